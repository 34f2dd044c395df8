package bundler

import (
	"strings"

	"omcbuild/bundler/internal/jsscan"
	"omcbuild/internal/diag"
)

// elsewhere finds what a source takes from the way its author starts it and what a
// plugin's server, started by node alone, will not have: the Bun global, and the
// variables that npm sets for its scripts.
func (b *build) elsewhere(path string, f *jsscan.File) (list diag.List) {
	for i := range f.Tokens {
		name := f.Source(i)
		if f.Kind(i) != jsscan.Ident {
			continue
		}
		at := b.at(path, f.Text, f.Tokens[i].Start)
		switch {
		case name == "Bun" && f.Is(i+1, ".") && !f.Is(i-1, ".") && !asksFor(f, "Bun"):
			list.Add(diag.Diagnostic{Code: "bun-global", Level: diag.Warning, Position: at,
				Message: "Bun exists only in Bun, and this bundle runs in Node",
				Hint:    "use a module of Node's, or ask typeof Bun first"})
		case strings.HasPrefix(name, "npm_package_") && f.Is(i-1, ".") && f.Is(i-2, "env"):
			list.Add(diag.Diagnostic{Code: "npm-variable", Level: diag.Warning, Position: at,
				Message: name + " is set by npm for its scripts and is missing when node starts the bundle",
				Hint:    "import package.json, or put the value in with define"})
		}
	}
	return list
}

// asksFor reports whether a file asks for the type of a global or declares it.
func asksFor(f *jsscan.File, name string) bool {
	for i := range f.Tokens {
		if f.Is(i, name) && (f.Is(i-1, "typeof") || f.Is(i-1, "const") || f.Is(i-1, "import") || f.Is(i-1, "{")) {
			return true
		}
	}
	return false
}
