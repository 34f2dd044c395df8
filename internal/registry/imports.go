package registry

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
	"omcbuild/internal/lazyregexp"
)

// statement is an import at the top level of the file.
type statement struct {
	start, end int // offsets; the semicolon is inside
	specifier  string
	quote      string
	types      bool // import type
	semicolon  bool
	tight      bool // its braces have no space inside
}

// importsOf lists the imports of a file in its order.
func importsOf(f *jsscan.File) (list []statement) {
	for i := 0; i < len(f.Tokens); i++ {
		if f.Tokens[i].Parens != 0 || !f.Is(i, "import") || f.Is(i-1, ".") {
			continue
		}
		if s, last, ok := importAt(f, i); ok {
			list = append(list, s)
			i = last
		}
	}
	return list
}

// importAt reads the import whose keyword is token i, and returns its last token.
func importAt(f *jsscan.File, i int) (s statement, last int, ok bool) {
	last = i + 1
	for f.Kind(last) == jsscan.Ident || f.Is(last, "{") || f.Is(last, "}") || f.Is(last, ",") || f.Is(last, "*") {
		if f.Is(last, "{") {
			s.tight = f.Tokens[last].End < len(f.Text) && !strings.ContainsRune(" \t\r\n", rune(f.Text[f.Tokens[last].End]))
		}
		last++
	}
	if s.specifier, ok = f.Literal(last); !ok {
		return s, i, false
	}
	s.start, s.quote = f.Tokens[i].Start, f.Source(last)[:1]
	s.types = f.Is(i+1, "type") && !f.Is(i+2, ",") && (!f.Is(i+2, "from") || i+3 != last)
	if (f.Is(last+1, "with") || f.Is(last+1, "assert")) && f.Is(last+2, "{") {
		if last = f.Close(last + 2); last < 0 {
			return s, i, false
		}
	}
	if f.Is(last+1, ";") {
		s.semicolon = true
		last++
	}
	s.end = f.Tokens[last].End
	return s, last, true
}

// aliased matches paths that a tsconfig or package.json gives a short name to.
var aliased = lazyregexp.New(`^(@|~|[#$]\w*|~\w+|src)/`)

// specifier is what the registry has to import: written as it imports the
// families beside the new one, and else the path from the registry, with the
// ending that its other imports have.
func (s *source) specifier() string {
	folder, base := path.Split(stem(s.family.File))
	for i := len(s.imports) - 1; i >= 0; i-- {
		known := s.imports[i].specifier
		for _, file := range s.family.Neighbours {
			neighbourFolder, neighbour := path.Split(stem(file))
			if neighbourFolder != folder || path.Base(stem(known)) != neighbour {
				continue
			}
			if aliased.MatchString(known) || stem(path.Join(path.Dir(s.file), known)) == stem(file) {
				return folderOf(known) + base + strings.TrimPrefix(known, stem(known))
			}
		}
	}
	relative, err := filepath.Rel(filepath.FromSlash(path.Dir(s.file)), filepath.FromSlash(folder+base))
	if err != nil {
		relative = folder + base
	}
	relative = filepath.ToSlash(relative)
	if !strings.HasPrefix(relative, ".") {
		relative = "./" + relative
	}
	return relative + s.style.Suffix
}

// folderOf returns a path up to its last slash, as it is written.
func folderOf(specifier string) string { return specifier[:strings.LastIndexByte(specifier, '/')+1] }

// importLine says where the import goes: in alphabetical order among the imports
// from the same folder if they are, and after the last import if not.
func (s *source) importLine() insertion {
	specifier := s.specifier()
	row := s.sortedRow(folderOf(specifier))
	if len(row) == 0 {
		if len(s.imports) == 0 {
			return s.first()
		}
		return s.after(s.imports[len(s.imports)-1])
	}
	for i := len(row) - 1; i >= 0; i-- {
		if row[i].specifier < specifier {
			return s.after(row[i])
		}
	}
	if s.directed(row[0]) {
		return s.after(row[0])
	}
	at := row[0].start
	return insertion{at, s.line + s.style.Newline + s.indentAt(at)}
}

// sortedRow returns the imports from a folder when they are in alphabetical
// order: all of them, or those that import more than types.
func (s *source) sortedRow(folder string) []statement {
	var all, values []statement
	for _, each := range s.imports {
		if folderOf(each.specifier) != folder {
			continue
		}
		all = append(all, each)
		if !each.types {
			values = append(values, each)
		}
	}
	inOrder := func(list []statement) bool {
		return slices.IsSortedFunc(list, func(a, b statement) int { return strings.Compare(a.specifier, b.specifier) })
	}
	switch {
	case inOrder(all):
		return all
	case inOrder(values):
		return values
	}
	return nil
}

// after is the place below a statement and the comment on its line.
func (s *source) after(each statement) insertion {
	at := lineBreak(s.text, each.end, s.nextToken(each.end))
	if at < 0 {
		at = each.end
	}
	return insertion{at, s.style.Newline + s.indentAt(each.start) + s.line}
}

// directive matches comments that act on the line below them.
var directive = lazyregexp.New(`@ts-|(es|ox|ts)lint|biome-|prettier-|istanbul|v8 ignore|c8 ignore`)

// directed reports whether the comment above a statement acts on it.
func (s *source) directed(each statement) bool {
	above := strings.TrimRight(s.text[s.tokenBefore(each.start):each.start], " \t")
	above = strings.TrimSuffix(strings.TrimSuffix(above, "\n"), "\r")
	return directive.MatchString(above[strings.LastIndexByte(above, '\n')+1:])
}

// first is the place of the import in a file that has none: above the first
// statement and its comment.
func (s *source) first() insertion {
	at := 0
	if strings.HasPrefix(s.text, "#!") {
		at = len(s.text)
		if end := strings.IndexByte(s.text, '\n'); end >= 0 {
			at = end + 1
		}
	}
	return insertion{at, s.line + s.style.Newline + s.style.Newline}
}

// nextToken returns the offset of the first token at or after an offset.
func (s *source) nextToken(at int) int {
	for _, token := range s.scan.Tokens {
		if token.Start >= at {
			return token.Start
		}
	}
	return len(s.text)
}

// tokenBefore returns the end of the last token that ends at or before an offset.
func (s *source) tokenBefore(at int) int {
	end := 0
	for _, token := range s.scan.Tokens {
		if token.End > at {
			break
		}
		end = token.End
	}
	return end
}

// indentAt returns the white space that the line of an offset begins with.
func (s *source) indentAt(at int) string {
	line := s.text[strings.LastIndexByte(s.text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineBreak returns the offset of the first end of a line in text[from:to], which
// holds white space and comments only, or -1. Ends of lines inside a comment do
// not count, and a carriage return belongs to the end of the line.
func lineBreak(text string, from, to int) int {
	for i := from; i < to; i++ {
		switch {
		case text[i] == '\n':
			if i > from && text[i-1] == '\r' {
				i--
			}
			return i
		case strings.HasPrefix(text[i:to], "/*"):
			end := strings.Index(text[i+2:to], "*/")
			if end < 0 {
				return -1
			}
			i += end + 3
		case strings.HasPrefix(text[i:to], "//"):
			end := strings.IndexByte(text[i:to], '\n')
			if end < 0 {
				return -1
			}
			i += end - 1
		}
	}
	return -1
}
