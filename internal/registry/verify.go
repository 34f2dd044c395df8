package registry

import (
	"slices"

	"omcbuild/bundler"
	"omcbuild/internal/jsscan"
)

// local returns the name under which the file declares the array that it exports
// as allTools, or says why there is none.
func (s *source) local() (local, why string) {
	f := s.plain
	local, why = exported(f)
	if why != "" {
		return "", why
	}
	value, word := declared(f, local)
	if value >= 0 && f.Kind(value) == jsscan.Ident && f.Is(value+1, ";") { // another name for it
		local = f.Source(value)
		value, word = declared(f, local)
	}
	switch {
	case value < 0:
		return "", "its declaration was not found"
	case plainArray(f, value) < 0:
		return "", "it is not written as one array"
	case word != "const" && assignments(f, local) > 1:
		return "", "it is assigned more than once"
	}
	return local, ""
}

// exported returns the local name of what a plain file exports as allTools.
func exported(f *jsscan.File) (local, why string) {
	for i, token := range f.Tokens {
		if token.Parens != 0 || !f.Is(i, "export") || f.Is(i-1, ".") {
			continue
		}
		switch {
		case isDeclaration(f, i+1) && f.Is(i+2, Name):
			return Name, ""
		case f.Is(i+1, "function") && f.Is(i+2, Name), f.Is(i+1, "async") && f.Is(i+3, Name):
			return "", "it is a function"
		case f.Is(i+1, "{"):
			end := f.Close(i + 1)
			local := exportedIn(f, i+2, end)
			if local != "" && f.Is(end+1, "from") {
				return "", "it comes from another file"
			}
			if local != "" {
				return local, ""
			}
		}
	}
	return "", "the file does not export it"
}

// exportedIn looks for allTools in an export list.
func exportedIn(f *jsscan.File, from, end int) string {
	for i := from; i < end; i++ {
		if !f.Is(i, Name) || !f.Is(i+1, ",") && !f.Is(i+1, "}") {
			continue
		}
		if f.Is(i-1, "as") && i-2 >= from {
			return f.Source(i - 2)
		}
		return Name
	}
	return ""
}

// declared returns the token at which the value of a variable of a plain file
// begins and the word that declares it, or -1.
func declared(f *jsscan.File, local string) (value int, word string) {
	value = -1
	for i, token := range f.Tokens {
		if token.Parens == 0 && isDeclaration(f, i) && f.Is(i+1, local) && f.Is(i+2, "=") {
			if value >= 0 {
				return -1, ""
			}
			value, word = i+3, f.Source(i)
		}
	}
	return value, word
}

// plainArray returns the opening bracket of the array that is all of a value, or
// -1: nothing is called on it and nothing is taken from it.
func plainArray(f *jsscan.File, value int) int {
	open := arrayAt(f, value)
	if open < 0 {
		return -1
	}
	end, outer := f.Close(open), value
	for f.Is(value, "(") { // as the compiler writes it around a comment
		value++
	}
	if end >= 0 && open != value && f.Is(end+1, ")") {
		end++
	} else if open != value {
		return -1
	}
	for range value - outer {
		if !f.Is(end+1, ")") {
			return -1
		}
		end++
	}
	if end < 0 || !f.Is(end+1, ";") && !f.Is(end+1, ",") {
		return -1
	}
	return open
}

// assignments counts how often a variable is given a value.
func assignments(f *jsscan.File, local string) (n int) {
	for i := range f.Tokens {
		if f.Is(i, local) && f.Is(i+1, "=") && !f.Is(i+2, "=") && !f.Is(i-1, ".") {
			n++
		}
	}
	return n
}

// verify looks at the edited text in esbuild's plain form. It says what is wrong
// when that differs from the file before by anything but one import and one
// element in the array itself.
func (s *source) verify(text, local string) string {
	plain, err := bundler.Plain(s.file, text)
	if err != nil {
		return "what would be written is no valid source"
	}
	f, ok := jsscan.Scan(plain)
	if !ok {
		return "what would be written cannot be read again"
	}
	words := wordsOf(f)
	added := []string{"import", "{", s.family.Export, "}", "from", `"` + s.specifier() + `"`, ";"}
	imported := find(words, added)
	spread := find(words, []string{"...", s.family.Export})
	value, _ := declared(f, local)
	if imported < 0 || spread < 0 || value < 0 {
		return "what would be written has no place for the family"
	}
	open := plainArray(f, value)
	if open < 0 || spread <= open || spread >= f.Close(open) || f.Tokens[spread].Parens != f.Tokens[open].Parens+1 || f.Tokens[imported].Parens != 0 {
		return "what would be written has the family in another place"
	}
	from, to := spread, spread+2
	if from-1 > open && words[from-1] == "," {
		from--
	}
	if imported < from {
		words = slices.Delete(slices.Delete(words, from, to), imported, imported+len(added))
	} else {
		words = slices.Delete(slices.Delete(words, imported, imported+len(added)), from, to)
	}
	if !slices.Equal(words, wordsOf(s.plain)) {
		return "what would be written changes more than the two lines"
	}
	return ""
}

func wordsOf(f *jsscan.File) []string {
	words := make([]string, len(f.Tokens))
	for i := range f.Tokens {
		words[i] = f.Source(i)
	}
	return words
}

// find returns where a row of words begins, or -1 when it is not there exactly
// once.
func find(words, row []string) int {
	at := -1
	for i := 0; i+len(row) <= len(words); i++ {
		if slices.Equal(words[i:i+len(row)], row) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}
