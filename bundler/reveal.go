package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// reveal returns the export statement, on a line of its own, that makes the values
// visible which the top level of a module names and nothing in it hands on; "" when
// there are none. Each is exported under its name with the prefix in front.
func reveal(text, prefix string) string {
	scan, ok := jsscan.Scan(text)
	if !ok || !mayExport(scan) {
		return ""
	}
	var list []string
	for _, name := range unusedNames(scan) {
		list = append(list, name+" as "+prefix+name)
	}
	if len(list) == 0 {
		return ""
	}
	return "\nexport { " + strings.Join(list, ", ") + " };\n"
}

// mayExport reports whether a file is an ES module, to which an export may be added.
func mayExport(f *jsscan.File) bool {
	module := false
	for i, t := range f.Tokens {
		if t.Parens > 0 || f.Is(i-1, ".") {
			continue
		}
		if f.Is(i, "export") && f.Is(i+1, "=") {
			return false
		}
		module = module || f.Is(i, "export") || f.Is(i, "import") && !f.Is(i+1, "(") && !f.Is(i+1, ".")
	}
	return module
}

// unusedNames returns the names of the constants and variables of a module's top
// level that are neither exported nor used as a value, in order. To ask for a
// member or for the type of one does not use it.
func unusedNames(f *jsscan.File) (names []string) {
	declared, used := map[string]int{}, map[string]bool{}
	for i, t := range f.Tokens {
		if t.Kind != jsscan.Ident {
			continue
		}
		if name := f.Source(i); declares(f, i) {
			if declared[name]++; declared[name] == 1 {
				names = append(names, name)
			}
		} else if usesValue(f, i) {
			used[name] = true
		}
	}
	kept := names[:0]
	for _, name := range names {
		if !used[name] && declared[name] == 1 {
			kept = append(kept, name)
		}
	}
	return kept
}

// declares reports whether token i is the name in a declaration of the top level
// that is not exported.
func declares(f *jsscan.File, i int) bool {
	return f.Tokens[i].Parens == 0 && (f.Is(i-1, "const") || f.Is(i-1, "let") || f.Is(i-1, "var")) &&
		!f.Is(i-2, "export") && !f.Is(i-2, "declare") && !f.Is(i-2, ".") && (f.Is(i+1, "=") || f.Is(i+1, ":"))
}

// usesValue reports whether the identifier at token i hands its value on.
func usesValue(f *jsscan.File, i int) bool {
	switch {
	case f.Is(i-1, "."), f.Is(i+1, "."), f.Is(i-1, "typeof"), f.Is(i+1, "?") && f.Is(i+2, "."):
		return false
	case f.Is(i+1, ":") && (f.Is(i-1, "{") || f.Is(i-1, ",")): // the name of a member
		return false
	}
	return true
}
