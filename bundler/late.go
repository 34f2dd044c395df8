package bundler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/lazyregexp"
)

// In one file a module that is imported late becomes a function, and so does all
// that it imports. Whoever imports such a module at the start calls its function
// first. esbuild forgets that call in one case: the module has no side effects (its
// package.json says so) and is reached through "export *" of a module that is not
// imported late itself. The names are then bound past the module in between, the
// call is not made, and the bundle dies at its start of a name that has no value yet.
//
// Modules in between that are functions too are called, and call in turn. So the
// program is bundled once more, with those modules imported by a module that nobody
// loads, late.
const (
	lateModule    = "omcbuild-late"
	lateNamespace = "late"
	lateImport    = "\n;(() => import(\"" + lateModule + "\"));"
)

// loadLate writes the module that nobody loads.
func (b *build) loadLate(a attempt) func(api.OnLoadArgs) (api.OnLoadResult, error) {
	return func(api.OnLoadArgs) (api.OnLoadResult, error) {
		var text strings.Builder
		for _, name := range a.late {
			fmt.Fprintf(&text, "import %q;\n", "./"+name)
		}
		text.WriteString("export {};\n")
		contents := text.String()
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS, ResolveDir: b.o.Root}, nil
	}
}

// skipped returns the modules past which names are bound although what they hand on
// has to be called first.
func (b *build) skipped(g *graph) (list []string) {
	late := g.late()
	handing := map[string]bool{}
	for _, name := range g.names {
		if late[name] || g.kept[name] == 0 && name != virtualEntry {
			continue
		}
		for _, edge := range g.Inputs[name].Imports {
			if edge.Kind == "import-statement" && !edge.External && b.handsOn(g, late, handing, edge.Path) {
				list = append(list, edge.Path)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// handsOn reports whether a module hands on, with "export *", what a late module
// without side effects exports. What is known already stands in handing.
func (b *build) handsOn(g *graph, late, handing map[string]bool, name string) bool {
	if known, seen := handing[name]; seen || late[name] || !isFile(name) {
		return known
	}
	handing[name] = false
	for _, edge := range g.Inputs[name].Imports {
		if edge.Kind != "import-statement" || edge.External {
			continue
		}
		pure := late[edge.Path] && g.kept[edge.Path] > 0 && g.Inputs[edge.Path].Format == "esm" && b.declaresEffects(edge.Path)
		if (pure || b.handsOn(g, late, handing, edge.Path)) && b.exportsAll(name) {
			handing[name] = true
			break
		}
	}
	return handing[name]
}

var exportsStar = lazyregexp.New(`export\s*\*\s*from\b`)

// exportsAll reports whether a file exports everything of another.
func (b *build) exportsAll(name string) bool {
	file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name)))
	return file != nil && exportsStar.MatchString(file.text)
}

// declaresEffects reports whether the package of an input says which of its modules
// have side effects.
func (b *build) declaresEffects(name string) bool {
	_, dir := b.packageOfInput(name)
	b.packages.mu.Lock()
	defer b.packages.mu.Unlock()
	p := b.packages.read(filepath.Join(b.o.Root, filepath.FromSlash(dir)))
	return p != nil && p.effects
}

// late returns the modules that become functions in the bundle: those imported
// late or required, and all that they import.
func (g *graph) late() map[string]bool {
	late := map[string]bool{}
	var enter func(name string)
	enter = func(name string) {
		if late[name] {
			return
		}
		late[name] = true
		for _, edge := range g.Inputs[name].Imports {
			if !edge.External {
				enter(edge.Path)
			}
		}
	}
	for _, name := range g.names {
		if g.Inputs[name].Format == "cjs" {
			enter(name)
		}
		for _, edge := range g.Inputs[name].Imports {
			if !edge.External && (edge.Kind == "dynamic-import" || edge.Kind == "require-call") {
				enter(edge.Path)
			}
		}
	}
	return late
}
