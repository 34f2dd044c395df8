package bundler

import (
	"path/filepath"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// use is one import of something that stays outside the bundle.
type use struct {
	file    string // importing file, relative to Root
	spec    string // as written
	atLoad  bool   // runs when the bundle starts
	guarded bool   // a try around it handles its failure
	static  bool   // an import statement
	kind    string // as in the metafile
	offset  int    // where it is written; 0 when not found
}

// reach answers which parts of a bundle run when it starts. It scans only files on
// the way to an external, so a bundle without externals costs nothing.
type reach struct {
	b     *build
	g     *graph
	scans map[string]*jsscan.File
	start map[string]bool // files whose top level runs at the start
}

// newReach finds what runs at the start, among the files from which one of the
// targets is imported.
func (b *build) newReach(g *graph, targets map[string]bool) *reach {
	r := &reach{b: b, g: g, scans: map[string]*jsscan.File{}, start: map[string]bool{}}
	relevant := r.importers(targets)
	queue := []string{}
	enter := func(name string) {
		if relevant[name] && !r.start[name] {
			r.start[name] = true
			queue = append(queue, name)
		}
	}
	enter(g.entry)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, edge := range g.Inputs[name].Imports {
			if !relevant[edge.Path] || r.start[edge.Path] {
				continue
			}
			if edge.Kind == "import-statement" || slices.ContainsFunc(r.sites(name, edge.Original), func(u use) bool { return u.atLoad }) {
				enter(edge.Path)
			}
		}
	}
	return r
}

// importers returns the targets and every file from which they are reached.
func (r *reach) importers(targets map[string]bool) map[string]bool {
	back := map[string][]string{}
	for _, name := range r.g.names {
		for _, edge := range r.g.Inputs[name].Imports {
			back[edge.Path] = append(back[edge.Path], name)
		}
	}
	seen := map[string]bool{}
	var queue []string
	for target := range targets {
		seen[target] = true
		queue = append(queue, target)
	}
	for len(queue) > 0 {
		for _, importer := range back[queue[0]] {
			if !seen[importer] {
				seen[importer] = true
				queue = append(queue, importer)
			}
		}
		queue = queue[1:]
	}
	return seen
}

// scan returns the tokens of an input, nil when it cannot be read.
func (r *reach) scan(name string) *jsscan.File {
	if f, known := r.scans[name]; known {
		return f
	}
	path := filepath.Join(r.b.o.Root, filepath.FromSlash(name))
	var f *jsscan.File
	if name == virtualEntry {
		f, _ = jsscan.Scan(r.b.o.Source)
	} else if file := r.b.sources.get(path); file != nil {
		f, _ = jsscan.Scan(file.text)
	} else if text, err := readRegular(path); err == nil {
		f, _ = jsscan.Scan(string(text))
	}
	if f != nil {
		f = f.Plain()
	}
	r.scans[name] = f
	return f
}

// sites returns where a file imports a module, at least one; a place that is not
// found counts as running at the start.
func (r *reach) sites(name, spec string) (list []use) {
	if f := r.scan(name); f != nil {
		for i := range f.Tokens {
			text, constant := f.Literal(i)
			if !constant || text != spec || !f.Is(i-1, "from") && !f.Is(i-1, "import") && !isLoadCall(f, i) || onlyTypes(f, i) {
				continue
			}
			t := f.Tokens[i]
			list = append(list, use{file: name, spec: spec, atLoad: t.Functions == 0, guarded: t.Tries > 0 || caught(f, i), offset: t.Start})
		}
	}
	if len(list) == 0 {
		list = append(list, use{file: name, spec: spec, atLoad: true})
	}
	return list
}

// onlyTypes reports whether the string at token i is the module of an import or
// export of types, of which nothing is left at run time.
func onlyTypes(f *jsscan.File, i int) bool {
	if !f.Is(i-1, "from") {
		return false
	}
	for j := i - 2; j > 0; j-- {
		if f.Is(j, ";") || f.Kind(j) == jsscan.String {
			return false
		}
		if f.Is(j-1, "import") || f.Is(j-1, "export") {
			// import type from "x" imports a value called type.
			return f.Is(j, "type") && j+1 < i-1 && !f.Is(j+1, ",")
		}
	}
	return false
}

// isLoadCall reports whether the string at token i is the argument of require,
// require.resolve or import.
func isLoadCall(f *jsscan.File, i int) bool {
	if !f.Is(i-1, "(") {
		return false
	}
	word := f.Source(i - 2)
	return word == "require" || word == "import" || word == "resolve" && f.Is(i-3, ".")
}

// caught reports whether a catch handler follows the import() around token i.
func caught(f *jsscan.File, i int) bool {
	return f.Is(i+1, ")") && f.Is(i+2, ".") && f.Is(i+3, "catch") || f.Is(i+1, ")") && f.Is(i+2, ".") && f.Is(i+3, "then") && f.Is(i+4, "(") && thenCatches(f, i+4)
}

// thenCatches reports whether then's call at a parenthesis is followed by catch or
// has a second argument.
func thenCatches(f *jsscan.File, open int) bool {
	end := f.Close(open)
	if end < 0 {
		return false
	}
	depth := f.Tokens[open].Parens + 1
	for i := open + 1; i < end; i++ {
		if f.Is(i, ",") && f.Tokens[i].Parens == depth {
			return true
		}
	}
	return f.Is(end+1, ".") && f.Is(end+2, "catch")
}

// position is the place of a use.
func (r *reach) position(u use) diag.Position {
	if f := r.scan(u.file); f != nil && u.offset > 0 {
		return r.b.at(filepath.Join(r.b.o.Root, filepath.FromSlash(u.file)), f.Text, u.offset)
	}
	return diag.Position{File: u.file}
}
