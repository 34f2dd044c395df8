package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// Some packages ask in an ES module whether there is a CommonJS module as well, and
// then change its exports. In Node there is none, but in a bundle there is that of the
// bundle, which is not theirs.

// asksForModule reports whether a script may ask that.
func asksForModule(text string) bool {
	return strings.Contains(text, "typeof module") || strings.Contains(text, "typeof exports")
}

// noModule answers such questions at the top of an ES module.
func noModule(f *jsscan.File) (edits []edit) {
	isModule := false
	for i := range f.Tokens {
		top := f.Tokens[i].Functions == 0 && !f.Is(i-1, ".")
		switch {
		case !top:
		case f.Is(i, "export") || f.Is(i, "import") && !f.Is(i+1, "(") && !f.Is(i+1, "."):
			isModule = isModule || f.Tokens[i].Parens == 0
		case f.Is(i, "typeof") && (f.Is(i+1, "module") || f.Is(i+1, "exports")) && !f.Is(i+2, ".") && !f.Is(i+2, "["):
			edits = append(edits, edit{f.Tokens[i].Start, f.Tokens[i+1].End, `"undefined"`})
		case f.Is(i+1, "=") && declared(f, i+2) == i && (f.Is(i, "module") || f.Is(i, "exports")):
			return nil // a variable of its own
		}
	}
	if !isModule {
		return nil
	}
	return edits
}
