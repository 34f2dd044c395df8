package bundler

import (
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// visibleRequires makes esbuild see requires that go through another name, and so
// bundle what they ask for. These spellings are common:
//
//	const require = createRequire(import.meta.url)   the variable is renamed, its
//	                                                 uses then mean the real require
//	const load = createRequire(import.meta.url)      load("x") becomes require("x")
//	__require("x"), left behind by an earlier run    becomes require("x")
//	of esbuild over a package
//	module.require("x")                              becomes require("x")
//
// A bundle's own require resolves from the bundle, as does one made from the
// import.meta.url it has, so nothing else changes.
func visibleRequires(f *jsscan.File) []edit {
	makers := makersOf(f)
	var edits []edit
	loaders := map[string]bool{}
	for i := range f.Tokens {
		end, ok := madeHere(f, i, makers)
		if !ok {
			continue
		}
		start := chainStart(f, i)
		if f.Is(end+1, "(") && f.Kind(end+2) == jsscan.String {
			edits = append(edits, edit{f.Tokens[start].Start, f.Tokens[end].End, "require"})
			continue
		}
		name := declared(f, start)
		if name < 0 || exported(f, name) {
			continue
		}
		if f.Is(name, "require") {
			edits = append(edits, edit{f.Tokens[name].Start, f.Tokens[name].End, "__omcbuild_require"})
		} else {
			loaders[f.Source(name)] = true
		}
	}
	return append(edits, throughNames(f, loaders)...)
}

// makersOf returns the names under which a file may have createRequire.
func makersOf(f *jsscan.File) map[string]bool {
	makers := map[string]bool{"createRequire": true}
	for i := range f.Tokens {
		if f.Is(i, "createRequire") && (f.Is(i+1, "as") || f.Is(i+1, ":")) {
			makers[f.Source(i+2)] = true
		}
	}
	return makers
}

// loadersOf returns the names under which a file may require: require itself, and
// variables that hold what createRequire made.
func loadersOf(f *jsscan.File) map[string]bool {
	names := map[string]bool{"require": true}
	makers := makersOf(f)
	for i := range f.Tokens {
		if _, here := madeHere(f, i, makers); !here {
			continue
		}
		start := chainStart(f, i)
		if name := declared(f, start); name >= 0 {
			names[f.Source(name)] = true
		}
	}
	return names
}

// madeHere reports whether token i calls createRequire for this very file, and
// where the call ends.
func madeHere(f *jsscan.File, i int, makers map[string]bool) (end int, ok bool) {
	if f.Kind(i) != jsscan.Ident || !makers[f.Source(i)] || !f.Is(i+1, "(") {
		return 0, false
	}
	if end = f.Close(i + 1); end < 0 {
		return 0, false
	}
	var argument strings.Builder
	for j := i + 2; j < end; j++ {
		argument.WriteString(f.Source(j))
	}
	switch argument.String() {
	case "import.meta.url", "import.meta.filename", "__filename", "fileURLToPath(import.meta.url)", "url.fileURLToPath(import.meta.url)":
		return end, true
	}
	return 0, false
}

// chainStart returns the first token of the expression whose last name is token i:
// module.createRequire, process.getBuiltinModule("module").createRequire,
// (await import("module")).createRequire.
func chainStart(f *jsscan.File, i int) int {
	for f.Is(i-1, ".") && i > 1 {
		i -= 2
		if f.Is(i, "?") || f.Is(i, "!") { // ?. and !.
			i--
		}
		for f.Is(i, ")") || f.Is(i, "]") {
			open := i - 1
			for open > 0 && f.Tokens[open].Parens > f.Tokens[i].Parens {
				open--
			}
			i = open
			called := f.Kind(i-1) == jsscan.Ident && !strings.Contains(wordsBefore, " "+f.Source(i-1)+" ") || f.Is(i-1, ")") || f.Is(i-1, "]")
			if !called {
				return i
			}
			i--
		}
	}
	return i
}

// wordsBefore are the words after which a bracket opens an expression and no call.
const wordsBefore = " await return typeof void new of in case yield throw delete else do default extends "

// declared returns the token of the variable that the expression at token i
// initialises, or -1.
func declared(f *jsscan.File, i int) int {
	if !f.Is(i-1, "=") {
		return -1
	}
	name := i - 2
	for back := 0; back < 4 && f.Is(name-1, "."); back++ { // require: NodeJS.Require = …
		name -= 2
	}
	if f.Is(name-1, ":") {
		name -= 2
	}
	if before := f.Source(name - 1); f.Kind(name) == jsscan.Ident && (before == "const" || before == "let" || before == "var" || before == ",") {
		return name
	}
	return -1
}

// exported reports whether the declaration of the variable at token i is an export.
func exported(f *jsscan.File, i int) bool { return f.Is(i-2, "export") }

// throughNames renames calls of the loaders with a constant argument.
func throughNames(f *jsscan.File, loaders map[string]bool) (edits []edit) {
	for i := range f.Tokens {
		name := f.Source(i)
		_, constant := f.Literal(i + 2)
		if f.Is(i, "module") && f.Is(i+2, "require") && f.Is(i+3, "(") && !f.Is(i-1, ".") {
			if _, constant = f.Literal(i + 4); constant {
				edits = append(edits, edit{f.Tokens[i].Start, f.Tokens[i+2].End, "require"})
			}
			continue
		}
		if f.Kind(i) != jsscan.Ident || !loaders[name] && !strings.HasPrefix(name, "__require") {
			continue
		}
		if constant && f.Is(i+1, "(") && f.Is(i+3, ")") && !f.Is(i-1, ".") && !f.Is(i-1, "function") {
			edits = append(edits, edit{f.Tokens[i].Start, f.Tokens[i].End, "require"})
		}
	}
	return edits
}

// throughParameters finds the functions of UMD modules that get require as their
// first parameter, from a wrapper that calls factory(require, exports). The
// parameter gets another name, so that what they require is bundled.
func throughParameters(f *jsscan.File) (edits []edit) {
	for i := range f.Tokens {
		name := i + 2
		if !f.Is(i, "function") || !f.Is(i+1, "(") {
			if name = i + 1; !f.Is(i, "(") || f.Is(i-1, "factory") {
				continue
			}
		}
		parameters := f.Is(name, "require") && f.Is(name+1, ",") && f.Is(name+2, "exports")
		if end := f.Close(name - 1); parameters && end > 0 && (f.Is(end+1, "{") || f.Is(end+1, "=>")) {
			edits = append(edits, edit{f.Tokens[name].Start, f.Tokens[name].End, "__omcbuild_require"})
		}
	}
	return edits
}

// throwingStubs finds functions that an earlier bundler left in place of require
// and that throw whenever they are called.
func (b *build) throwingStubs(path string, f *jsscan.File) (list diag.List) {
	for i := range f.Tokens {
		if kind := f.Kind(i); kind != jsscan.String && kind != jsscan.TemplatePart {
			continue
		}
		text := f.Source(i)
		esbuildStub := strings.Contains(text, "Dynamic require of") && !guardedStub(f, i)
		rollupStub := strings.Contains(text, "Could not dynamically require")
		if !esbuildStub && !rollupStub {
			continue
		}
		d := diag.Diagnostic{Code: "dynamic-require", Level: diag.Error, Position: b.at(path, f.Text, f.Tokens[i].Start),
			Message: "an earlier bundler replaced require by a function that throws when it is called",
			Hint:    "import the package's unbundled or CommonJS form, or mark it external"}
		if rollupStub {
			d.Level = diag.Note
		}
		list.Add(d)
	}
	return list
}

// guardedStub reports whether the stub around token i uses the real require when
// there is one, as there is in our bundles.
func guardedStub(f *jsscan.File, i int) bool {
	for j := i; j > 0 && j > i-80; j-- {
		if f.Is(j-1, "typeof") && strings.HasPrefix(f.Source(j), "require") { // require2 where the name was taken
			return true
		}
	}
	return false
}
