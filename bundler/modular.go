package bundler

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

//go:embed header/modules.cjs
var modulesSource string

// modular is a program in which each module of the project is a function of its own,
// so that one of them can be replaced without looking at the others. What is in
// packages is bundled once, and so is data. It does what the bundle does, from more
// bytes: nothing is left out and no name is checked, so that names have to be checked
// here, and forms that do not survive make a program that is not modular.
type modular struct {
	b        *build
	outdated bool                 // the program has another shape by now
	context  string               // digest of all that had a say beside the modules
	numbers  map[string]int       // input → its number; they never change
	modules  map[int]*printed     // the project's own
	files    map[string]*loaded   // their sources
	shapes   map[string]string    // what else went into the compiled text of each
	es       map[int]bool         // ES modules
	edges    map[edge]string      // import → input
	vendor   []byte               // packages and data, bundled once
	supplies map[string]bool      // what can be asked of it: inputs
	absent   map[taken]bool       // names that were not there in the bundle as a whole either: types, which leave nothing
	known    map[taken]bool       // names of packages that the bundle as a whole was made with
	found    map[string]diag.List // what there is to say of modules compiled since
}

// edge is an import as it is written.
type edge struct{ from, spec, kind string }

// taken is a name that one module takes from another; by is 0 for any module.
type taken struct {
	by, from int
	name     string
}

// importKinds are esbuild's words in its report for kinds of imports.
var importKinds = map[api.ResolveKind]string{
	api.ResolveJSImportStatement: "import-statement", api.ResolveJSRequireCall: "require-call",
	api.ResolveJSDynamicImport: "dynamic-import", api.ResolveJSRequireResolve: "require-resolve",
}

// errNotModular says why a program is bundled as a whole each time.
type errNotModular string

func (e errNotModular) Error() string { return string(e) }

// newModular takes a finished bundle apart. What of the one before is still true is
// used again.
func newModular(ctx context.Context, b *build, r *Result, before *modular) (*modular, error) {
	m := &modular{b: b, numbers: map[string]int{}, modules: map[int]*printed{}, files: map[string]*loaded{}, shapes: map[string]string{},
		es: map[int]bool{}, edges: map[edge]string{}, supplies: map[string]bool{}, absent: map[taken]bool{}, known: map[taken]bool{}, found: map[string]diag.List{}}
	if before != nil {
		m.numbers = before.numbers
	}
	if err := m.suits(); err != nil {
		return nil, err
	}
	own, err := m.readGraph()
	if err != nil {
		return nil, err
	}
	if err := m.suitsOwn(own); err != nil {
		return nil, err
	}
	m.context = contextOf(r.Stamp)
	if before != nil && before.context == m.context && maps.Equal(before.supplies, m.supplies) {
		m.vendor = before.vendor
	} else if err := m.bundlePackages(ctx); err != nil {
		return nil, err
	}
	if err := m.compileAll(ctx, own, before); err != nil {
		return nil, err
	}
	m.takeStock()
	if why := m.unserved(); why != "" {
		return nil, errNotModular(why)
	}
	return m, nil
}

// compileAll compiles the project's modules, except those that are as they were.
func (m *modular) compileAll(ctx context.Context, own []string, before *modular) error {
	var open []string
	for _, name := range own {
		m.files[name], m.shapes[name] = m.b.sources.get(m.file(name)), m.shape(name)
		id := m.number(name)
		if before != nil && before.context == m.context && before.files[name] != nil && before.modules[id] != nil &&
			before.files[name].hash == m.files[name].hash && before.shapes[name] == m.shapes[name] {
			m.modules[id] = before.modules[id]
			continue
		}
		open = append(open, name)
	}
	if len(open) == 0 {
		return nil
	}
	done, err := m.compile(ctx, open, false)
	if err != nil {
		return err
	}
	for _, name := range open {
		p, ok := done.modules[name]
		if !ok || len(done.added) > 0 {
			return errNotModular(name + " cannot be linked by itself")
		}
		m.modules[m.number(name)] = p
	}
	return nil
}

// shape is what goes into the compiled text of a module beside its source.
func (m *modular) shape(name string) string {
	var parts []string
	for _, e := range m.b.graph.Inputs[name].Imports {
		parts = append(parts, fmt.Sprintln(e.Original, e.Kind, e.Path, m.es[m.numbers[e.Path]]))
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// contextOf digests all that had a say in a bundle beside the project's modules.
func contextOf(s *Stamp) string {
	var parts []string
	for name, digest := range s.Files {
		if !ownScript(name) {
			parts = append(parts, name+" "+digest)
		}
	}
	slices.Sort(parts)
	return digestNames(append(parts, s.Options))
}

// takeStock notes which names the modules take from packages, and which are taken
// that are not there.
func (m *modular) takeStock() {
	for id, p := range m.modules {
		for from, names := range p.checked(m.named(id)) {
			for _, name := range names {
				m.known[taken{0, from, name}] = true
			}
		}
		for from, names := range p.takes() {
			for _, name := range names {
				if !m.offers(from, name, nil) {
					m.absent[taken{id, from, name}] = true
				}
			}
		}
	}
}

func (m *modular) number(name string) int {
	id, known := m.numbers[name]
	if !known {
		id = len(m.numbers) + 1
		m.numbers[name] = id
	}
	return id
}

func (m *modular) file(name string) string {
	return filepath.Join(m.b.o.Root, filepath.FromSlash(name))
}

// ownScript reports whether an input is a module of the project's own.
func ownScript(name string) bool {
	return isFile(name) && !strings.Contains("/"+name, "/node_modules/") && isScript(name)
}

// readGraph numbers the inputs, notes who imports whom and what is asked of packages
// and data, and returns the project's own modules.
func (m *modular) readGraph() (own []string, err error) {
	g := m.b.graph
	for _, name := range g.names {
		if !ownScript(name) {
			continue
		}
		if m.b.sources.get(m.file(name)) == nil {
			return nil, errNotModular(name + " was not read")
		}
		own = append(own, name)
		m.es[m.number(name)] = g.Inputs[name].Format != "cjs"
		for _, e := range g.Inputs[name].Imports {
			switch {
			case e.External || !isFile(e.Path) || e.Path == "<runtime>":
				continue
			case e.With["type"] != "" && e.With["type"] != "json":
				return nil, errNotModular(name + " says in which form it wants a file")
			case e.Kind == "require-resolve":
				return nil, errNotModular(name + " asks for the place of a module")
			}
			m.edges[edge{name, e.Original, e.Kind}] = e.Path
			if !ownScript(e.Path) {
				m.supplies[e.Path] = true
				m.es[m.number(e.Path)] = isScript(e.Path) && g.Inputs[e.Path].Format != "cjs"
			}
		}
	}
	return own, nil
}

// isData reports whether a module is also asked for in another form.
func (m *modular) isData(name string) bool {
	for supplied := range m.supplies {
		if strings.HasPrefix(supplied, name+"?") {
			return true
		}
	}
	return false
}

// offers reports whether a module exports a name, or may: what comes through all
// that another exports is not looked for in packages.
func (m *modular) offers(id int, name string, asked map[int]bool) bool {
	p := m.modules[id]
	if p == nil || !p.es || p.exports[name] {
		return true
	}
	if asked[id] || name == "default" {
		return false
	}
	if asked == nil {
		asked = map[int]bool{}
	}
	asked[id] = true
	return slices.ContainsFunc(p.stars, func(star int) bool { return m.offers(star, name, asked) })
}

// assemble links the modules to one program.
func (m *modular) assemble() []byte {
	var body bytes.Buffer
	body.WriteString(modulesSource)
	body.Write(m.vendor)
	for _, name := range sortedKeys(m.numbers) {
		p := m.modules[m.numbers[name]]
		if p == nil {
			continue
		}
		if p.es {
			fmt.Fprintf(&body, "__omcbuild_modules[%d] = [1, (__omcbuild_module) => {\n", m.numbers[name])
		} else {
			fmt.Fprintf(&body, "__omcbuild_modules[%d] = [0, function(module, exports) {\n", m.numbers[name])
		}
		body.Write(p.text)
		body.WriteString("}];\n")
	}
	if m.b.o.Kind == KindModule {
		body.WriteString("module.exports = ")
	}
	fmt.Fprintf(&body, "__omcbuild_load(%d);\n", m.numbers[m.b.rel(m.b.entry)])
	text, _ := m.b.assemble(body.Bytes(), api.FormatCommonJS)
	return text
}
