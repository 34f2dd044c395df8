package analysis

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"omcbuild/bundler"
)

// Ways are the imports by which something came into a bundle.
type Ways struct {
	Asked   string   `json:"asked"`
	Modules []string `json:"modules"`         // the files that were meant, relative to the root
	Bytes   int64    `json:"bytes"`           // of these in the bundle
	Entry   bool     `json:"entry,omitempty"` // the program starts with one of them
	Chains  []Chain  `json:"chains"`          // one for each import from outside, the shortest first
	More    int      `json:"more,omitempty"`  // chains that are not listed
}

// Chain leads from the entry to what was asked for.
type Chain []Step

// Step is one import on the way.
type Step struct {
	Place
	Imports string `json:"imports"` // the file, or the package that stays outside
}

// Why finds the ways by which a module came in, or all modules of a package, a
// folder or an external package. What may be asked for is a path below the root or
// below node_modules, or the end of one. Each import of it from outside gives one
// chain, the shortest from the entry; at most limit are returned. It returns nil
// when nothing has that name.
func (b *Bundle) Why(asked string, limit int) *Ways {
	name := strings.Trim(path.Clean(strings.ReplaceAll(asked, `\`, "/")), "/")
	w := &Ways{Asked: asked, Modules: []string{}, Chains: []Chain{}}
	meant := b.find(w, name, true)
	if len(meant) == 0 {
		meant = b.find(w, name, false)
	}
	wanted := func(i bundler.Import) bool { return meant[i.Module] || len(meant) == 0 && i.External == name }
	w.Entry = meant[b.graph.Entry]
	steps := b.paths(meant)
	last := b.arrivals(steps, meant, wanted)
	if len(meant) == 0 && len(last) == 0 {
		return nil
	}
	w.More = max(0, len(last)-limit)
	for _, a := range last[:len(last)-w.More] {
		w.Chains = append(w.Chains, b.chain(steps, a))
	}
	return w
}

// find adds the modules that are meant by a name.
func (b *Bundle) find(w *Ways, name string, exact bool) map[string]bool {
	meant := map[string]bool{}
	for _, m := range b.graph.Modules {
		if means(m, name, exact) {
			w.Modules = append(w.Modules, m.Path)
			w.Bytes += m.Kept
			meant[m.Path] = true
		}
	}
	return meant
}

// arrivals are the imports from outside of what is meant, those nearest to the entry
// first.
func (b *Bundle) arrivals(steps map[string]arrival, meant map[string]bool, wanted func(bundler.Import) bool) (last []arrival) {
	for _, m := range b.graph.Modules {
		if _, reached := steps[m.Path]; !reached || meant[m.Path] {
			continue
		}
		for _, i := range m.Imports {
			if a := (arrival{m.Path, i, steps[m.Path].depth + 1}); wanted(i) && !slices.Contains(last, a) {
				last = append(last, a)
			}
		}
	}
	slices.SortStableFunc(last, func(x, y arrival) int { return cmp.Compare(x.depth, y.depth) })
	return last
}

// means reports whether a module is meant by a name: exactly, which takes folders
// and packages in, or by the end of its path.
func means(m bundler.Module, name string, exact bool) bool {
	if !exact {
		return strings.HasSuffix(m.Path, "/"+name)
	}
	for _, p := range []string{m.Path, inside(m.Path)} {
		if p == name || strings.HasPrefix(p, name+"/") {
			return true
		}
	}
	return m.Package == name
}

// paths finds the shortest way from the entry to every module, without going
// through those that are meant: from each module it reaches, how it was reached.
func (b *Bundle) paths(meant map[string]bool) map[string]arrival {
	steps := map[string]arrival{b.graph.Entry: {}}
	queue := []string{b.graph.Entry}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		m := b.modules[from]
		if m == nil || meant[from] {
			continue
		}
		for _, i := range m.Imports {
			if _, known := steps[i.Module]; !known && i.Module != "" {
				steps[i.Module] = arrival{from, i, steps[from].depth + 1}
				queue = append(queue, i.Module)
			}
		}
	}
	return steps
}

// arrival is the import by which a module is reached.
type arrival struct {
	from  string // "" at the entry
	by    bundler.Import
	depth int // imports from the entry
}

// chain is the way from the entry to an import.
func (b *Bundle) chain(steps map[string]arrival, last arrival) Chain {
	var chain Chain
	for a := last; a.from != ""; a = steps[a.from] {
		to := a.by.Module
		if to == "" {
			to = a.by.External
		}
		chain = append(chain, Step{b.place(a.from, a.by), to})
	}
	slices.Reverse(chain)
	return chain
}
