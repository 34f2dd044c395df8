package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// zodEntries are the modules of zod that export their own namespace as z, and
// whether as the default too.
var zodEntries = map[string]bool{
	"zod": true, "zod/v3": true, "zod/v4": true, "zod/mini": false, "zod/v4/mini": false, "zod/v4-mini": false,
}

// importsZod reports whether a script may import zod in a way that keeps all of it:
// with a from in front of the module's name, and no "* as" in front of that.
func importsZod(text string) bool {
	for at := 0; ; at += len("zod") {
		next := strings.Index(text[at:], "zod")
		if next < 0 {
			return false
		}
		if at += next; at == 0 || text[at-1] != '"' && text[at-1] != '\'' {
			continue
		}
		clause, from := cutWord(text[:at-1], "from")
		if from && !isNamespaceImport(clause) {
			return true
		}
	}
}

// isNamespaceImport reports whether text ends with "import * as NAME".
func isNamespaceImport(text string) bool {
	end := len(text)
	for end > 0 && !strings.ContainsRune(" \t\r\n*}", rune(text[end-1])) {
		end--
	}
	text, ok := cutWord(text[:end], "as")
	if ok {
		text, ok = cutWord(text, "*")
	}
	if ok {
		_, ok = cutWord(text, "import")
	}
	return ok
}

// cutWord takes a word, and space around it, from the end of a text.
func cutWord(text, word string) (string, bool) {
	const space = " \t\r\n"
	text, ok := strings.CutSuffix(strings.TrimRight(text, space), word)
	return strings.TrimRight(text, space), ok
}

// leanZod turns `import { z } from "zod"` into `import * as z from "zod"`. The
// two mean the same, but only through the second can esbuild see which parts of
// zod are used; the first keeps all of it, every language's messages included.
// Names beside z stay in an import of their own on the same line.
func leanZod(f *jsscan.File) []edit {
	var edits []edit
	for i := range f.Tokens {
		if !f.Is(i, "import") || f.Is(i-1, ".") || f.Tokens[i].Parens > 0 {
			continue
		}
		clause, ok := readImport(f, i)
		if !ok {
			continue
		}
		hasDefault, known := zodEntries[clause.module]
		if text, lean := clause.lean(hasDefault); known && lean {
			edits = append(edits, edit{f.Tokens[i].Start, f.Tokens[clause.last].End, text})
		}
	}
	return edits
}

// leanSource makes the zod imports of a source lean.
func leanSource(text string) string {
	if !importsZod(text) {
		return text
	}
	f, ok := jsscan.Scan(text)
	if !ok {
		return text
	}
	return apply(text, leanZod(f))
}

// importClause is an import statement taken apart.
type importClause struct {
	standard string   // name bound to the default export
	space    string   // name bound to the namespace
	named    []string // what stands between braces, one by one, as written
	source   string   // the module's string, with its quotes
	module   string   // the module's name
	last     int      // index of the module's string
}

// readImport reads the import statement at token i; false for type imports, import
// calls, imports without names and those with attributes.
func readImport(f *jsscan.File, i int) (c importClause, ok bool) {
	i++
	if f.Is(i, "type") && !f.Is(i+1, "from") && !f.Is(i+1, ",") {
		return c, false
	}
	if f.Kind(i) == jsscan.Ident {
		c.standard = f.Source(i)
		if i++; f.Is(i, ",") {
			i++
		}
	}
	switch {
	case f.Is(i, "*") && f.Is(i+1, "as"):
		c.space = f.Source(i + 2)
		i += 3
	case f.Is(i, "{"):
		end := f.Close(i)
		if end < 0 {
			return c, false
		}
		c.named = names(f, i+1, end)
		i = end + 1
	}
	c.last = i + 1
	c.module, ok = f.Literal(i + 1)
	c.source = f.Source(i + 1)
	return c, ok && c.source[0] != '`' && f.Is(i, "from") && !f.Is(i+2, "with") && !f.Is(i+2, "assert")
}

// names splits the tokens from up to end at their commas.
func names(f *jsscan.File, from, end int) (list []string) {
	var words []string
	for i := from; i <= end; i++ {
		if i < end && !f.Is(i, ",") {
			words = append(words, f.Source(i))
			continue
		}
		if len(words) > 0 {
			list = append(list, strings.Join(words, " "))
		}
		words = nil
	}
	return list
}

// lean writes the clause with namespace imports for every name of the namespace;
// false when it has none.
func (c importClause) lean(hasDefault bool) (string, bool) {
	var spaces, rest []string
	if c.standard != "" && hasDefault {
		spaces = append(spaces, c.standard)
	} else if c.standard != "" {
		return "", false
	}
	for _, name := range c.named {
		words := strings.Fields(name)
		local := words[len(words)-1]
		isSpace := words[0] == "z" || words[0] == "default" && hasDefault
		if isSpace && (len(words) == 1 || len(words) == 3 && words[1] == "as") {
			spaces = append(spaces, local)
		} else {
			rest = append(rest, name)
		}
	}
	if len(spaces) == 0 {
		return "", false
	}
	if c.space != "" {
		spaces = append(spaces, c.space)
	}
	var statements []string
	for _, local := range spaces {
		statements = append(statements, "import * as "+local+" from "+c.source)
	}
	if len(rest) > 0 {
		statements = append(statements, "import { "+strings.Join(rest, ", ")+" } from "+c.source)
	}
	return strings.Join(statements, "; "), true
}
