package bundler

import (
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/jsscan"
)

// A linked program has to do what the bundle does. What follows finds the programs of
// which that is not sure: they are bundled as a whole each time.

// suits reports what about a bundle as a whole keeps it from being modular.
func (m *modular) suits() error {
	b := m.b
	switch {
	case b.form.format != api.FormatCommonJS:
		return errNotModular("a module waits at its top level")
	case len(b.form.late) > 0:
		return errNotModular("modules are called before others")
	case b.o.Sourcemap:
		return errNotModular("there is a source map")
	case b.o.Entry == "" || len(b.o.Reveal) > 0:
		return errNotModular("the entry is no file")
	}
	return nil
}

// reservedTexts are in no module that is linked: the linking goes by them.
var reservedTexts = []string{"__omcbuild_load", "__omcbuild_space", "__omcbuild_module", "__omcbuild_import", "__omcbuild_late", "__omcbuild_packages", moduleToken, "__toCommonJS", "__reExport", "__export("}

// suitsOwn reports what about the project's modules keeps them from being linked.
func (m *modular) suitsOwn(own []string) error {
	for _, name := range own {
		if why := m.suitsText(name, m.b.sources.get(m.file(name)).text); why != "" {
			return errNotModular(why)
		}
		if m.mayBeLeftOut(name) {
			return errNotModular("package.json says with sideEffects that " + name + " may be left out")
		}
	}
	return nil
}

// suitsText reports what about the text of a module keeps it from being linked, or "".
func (m *modular) suitsText(name, text string) string {
	for _, reserved := range reservedTexts {
		if strings.Contains(text, reserved) {
			return name + " has " + reserved + " in it"
		}
	}
	return ""
}

// mayBeLeftOut reports whether the package.json that an input belongs to has the field
// sideEffects: a bundle has no module of which nothing is used then.
func (m *modular) mayBeLeftOut(name string) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if manifest := readManifest(m.b.folder(dir)); manifest != nil {
			said := string(manifest.SideEffects)
			return said != "" && said != "true" && said != "null"
		}
		if dir == "." || dir == "/" || path.Base(dir) == ".." {
			return false
		}
	}
}

// unserved reports what about the compiled modules a linked program would do otherwise
// than the bundle, or "".
func (m *modular) unserved() string {
	observed := map[int]bool{}
	if m.b.o.Kind == KindModule {
		observed[m.numbers[m.b.rel(m.b.entry)]] = true
	}
	for _, p := range m.modules {
		for id := range p.wholes {
			observed[id] = true
		}
	}
	for _, name := range sortedKeys(m.numbers) {
		id := m.numbers[name]
		p := m.modules[id]
		if p == nil || !p.es {
			continue
		}
		if m.reaches(p.asks, id, map[int]bool{}) {
			return name + " is part of a circle of imports"
		}
		for _, bare := range p.bare {
			if to := m.named(bare); m.supplies[to] && m.mayBeLeftOut(to) {
				return name + " imports " + to + ", which may be left out"
			}
		}
		if why := m.stars(name, p, observed[id]); why != "" {
			return why
		}
	}
	return ""
}

// stars reports what a module exports with export * and is not sure to be the same
// when linked, or "". It is for modules that are part of no circle.
func (m *modular) stars(name string, p *printed, observed bool) string {
	if len(p.stars) > 0 && observed {
		return name + " exports all of another, and is asked for as a whole"
	}
	by := map[string]int{}
	for _, star := range p.stars {
		names, ok := m.exported(star)
		if !ok {
			return name + " exports all of " + m.named(star)
		}
		for exported := range names {
			if other, twice := by[exported]; twice && other != star && !p.exports[exported] {
				return name + " exports " + exported + " of two modules"
			}
			by[exported] = star
		}
	}
	return ""
}

// exported returns the names that a module of the project exports, "default" aside;
// false where they are not known.
func (m *modular) exported(id int) (map[string]bool, bool) {
	p := m.modules[id]
	if p == nil || !p.es {
		return nil, false
	}
	names := map[string]bool{}
	for name := range p.exports {
		names[name] = name != "default"
	}
	delete(names, "default")
	for _, star := range p.stars {
		if star == id {
			return nil, false
		}
		more, ok := m.exported(star)
		if !ok {
			return nil, false
		}
		for name := range more {
			names[name] = true
		}
	}
	return names, true
}

// reaches reports whether a module is loaded by one of others.
func (m *modular) reaches(from []int, id int, seen map[int]bool) bool {
	for _, next := range from {
		if next == id {
			return true
		}
		if p := m.modules[next]; p != nil && !seen[next] {
			seen[next] = true
			if m.reaches(p.asks, id, seen) {
				return true
			}
		}
	}
	return false
}

// written notes the names that a module's imports and exports name as they are
// written, used or not, and what it imports for its effects alone.
func (m *modular) written(name string, p *printed) {
	file := m.b.sources.get(m.file(name))
	if file == nil {
		return
	}
	f, ok := jsscan.Scan(file.text)
	if !ok {
		return
	}
	for i := range f.Tokens {
		if t := f.Tokens[i]; !f.Is(i, "import") && !f.Is(i, "export") || t.Functions > 0 || f.Is(i-1, ".") || f.Is(i+1, "(") || f.Is(i+1, ".") {
			continue
		}
		names, from := clause(f, i)
		spec, constant := f.Literal(from)
		to, known := m.edges[edge{name, spec, "import-statement"}]
		switch {
		case !constant || !known:
		case from == i+1:
			p.bare = append(p.bare, m.number(to))
		case len(names) > 0:
			p.written[m.number(to)] = append(p.written[m.number(to)], names...)
		}
	}
}

// checked are the names taken from other modules that a bundle is made with only where
// they are there: in TypeScript an import of which nothing is used says nothing.
func (p *printed) checked(name string) map[int][]string {
	if ext := path.Ext(name); ext == ".ts" || ext == ".tsx" || ext == ".mts" || ext == ".cts" {
		return p.uses
	}
	return p.takes()
}

// clause returns the names that an import or an export from another takes, and the
// token that says from where, -1 when there is none.
func clause(f *jsscan.File, i int) (names []string, from int) {
	if f.Kind(i+1) == jsscan.String {
		return nil, i + 1
	}
	at := i + 1
	if f.Is(at, "type") && !f.Is(at+1, "from") && !f.Is(at+1, ",") {
		return nil, -1
	}
	if f.Is(i, "import") && f.Kind(at) == jsscan.Ident {
		names, at = append(names, "default"), at+1
		if f.Is(at, ",") {
			at++
		}
	}
	if f.Is(at, "{") {
		end := f.Close(at)
		if end < 0 {
			return nil, -1
		}
		for j := at + 1; j < end; j++ {
			if f.Is(j-1, "{") || f.Is(j-1, ",") {
				names = append(names, nameAt(f, j)...)
			}
		}
		at = end + 1
	}
	if f.Is(at, "*") && f.Is(at+1, "as") {
		at += 3
	}
	if !f.Is(at, "from") || f.Kind(at+1) != jsscan.String {
		return nil, -1
	}
	return names, at + 1
}

// nameAt returns the name that token i of a list takes; none when it is a type, or the
// list ends there.
func nameAt(f *jsscan.File, i int) []string {
	if text, constant := f.Literal(i); constant {
		return []string{text}
	}
	typed := f.Is(i, "type") && !f.Is(i+1, ",") && !f.Is(i+1, "}") && !f.Is(i+1, "as")
	if f.Kind(i) != jsscan.Ident || typed {
		return nil
	}
	return []string{f.Source(i)}
}
