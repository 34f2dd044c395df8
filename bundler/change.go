package bundler

import (
	"context"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// update compiles modules that changed and links the program anew. It returns why the
// program has to be bundled as a whole instead, or "".
func (m *modular) update(ctx context.Context, last *Result, names []string) (r *Result, again string, err error) {
	before := map[string]bool{}
	for _, name := range names {
		before[name] = m.es[m.number(name)]
	}
	done, again, err := m.recompile(ctx, names)
	if err != nil || again != "" {
		return nil, again, err
	}
	for _, name := range names {
		p := done.modules[name]
		switch {
		case p == nil:
			return nil, name + " cannot be linked by itself", nil
		case p.es != before[name]:
			return nil, name + " is another kind of module", nil
		case m.b.sources.get(m.file(name)).found.HasErrors():
			return nil, "something is wrong with " + name, nil
		}
		if again := m.judge(name, p, done.imports[name]); again != "" {
			return nil, again, nil
		}
	}
	list := m.b.diagnostics(done.warnings, diag.Warning)
	for _, name := range names {
		file := m.b.sources.get(m.file(name))
		m.files[name], m.modules[m.number(name)] = file, done.modules[name]
		m.found[name] = append(about(list, name), file.found...)
	}
	if again := m.missing(); again != "" {
		return nil, again, nil
	}
	if again := m.unserved(); again != "" {
		return nil, again, nil
	}
	return m.result(last), "", nil
}

// result is the last one with the linked program in it.
func (m *modular) result(last *Result) *Result {
	r := *last
	r.Diagnostics = slices.DeleteFunc(slices.Clone(last.Diagnostics), func(d diag.Diagnostic) bool { _, newer := m.found[d.File]; return newer })
	for _, name := range sortedKeys(m.found) {
		r.Diagnostics.Add(m.found[name]...)
	}
	r.Outputs = slices.Clone(last.Outputs)
	r.Outputs[0].Contents = m.assemble()
	return &r
}

func about(list diag.List, name string) (own diag.List) {
	for _, d := range list {
		if d.File == name {
			own.Add(d)
		}
	}
	return own
}

// recompile compiles modules from disk, a second time when they import what the
// program has already and they did not.
func (m *modular) recompile(ctx context.Context, names []string) (*compiled, string, error) {
	ctx = context.WithoutCancel(ctx) // what esbuild leaves running would still use the modules, and it takes milliseconds
	done, err := m.compile(ctx, names, true)
	if err != nil {
		return nil, "", err
	}
	if len(needsAwait(done.errors)) > 0 {
		return nil, "a module waits at its top level", nil
	}
	if len(done.errors) > 0 {
		list := m.b.diagnostics(done.errors, diag.Error)
		list.Add(m.b.diagnostics(done.warnings, diag.Warning)...)
		return nil, "", diag.Fail(list...)
	}
	if len(done.added) == 0 {
		return done, "", nil
	}
	for e, to := range done.added {
		if m.modules[m.numbers[to]] == nil && !m.supplies[to] {
			return nil, e.from + " imports " + to + ", which is new", nil
		}
		m.edges[e] = to
	}
	done, err = m.compile(ctx, names, true)
	if err == nil && len(done.errors)+len(done.added) > 0 {
		return nil, "imports changed", nil
	}
	return done, "", err
}

// judge returns what about a changed module has to be looked at in the program as a
// whole, or "".
func (m *modular) judge(name string, p *printed, outside []edge) string {
	for _, e := range outside {
		spec := strings.TrimPrefix(strings.TrimPrefix(e.spec, externalNamespace+":"), externalToken)
		if _, newer := since(spec); newer || !isBuiltin(spec) {
			return name + " imports " + spec + " from outside"
		}
	}
	file, old := m.b.sources.get(m.file(name)), m.files[name]
	same := func(a, b asset) bool { a.from, b.from = diag.Position{}, diag.Position{}; return a == b }
	if !slices.EqualFunc(file.reads, old.reads, same) || !slices.Equal(file.missing, old.missing) {
		return name + " reads other files"
	}
	if why := m.suitsText(name, file.text); why != "" {
		return why
	}
	for _, host := range m.b.hostPaths() {
		for _, form := range spellings(host) {
			if findPath(p.text, form) >= 0 {
				return name + " names a folder of this machine"
			}
		}
	}
	for from, names := range p.checked(name) {
		for _, taken1 := range names {
			if m.supplies[m.named(from)] && m.es[from] && !m.known[taken{0, from, taken1}] {
				return name + " takes " + taken1 + " from " + m.named(from)
			}
		}
	}
	return ""
}

// named is the input with a number.
func (m *modular) named(id int) string {
	for name, number := range m.numbers {
		if number == id {
			return name
		}
	}
	return ""
}

// missing says which name a module takes from another that does not export it, or "".
func (m *modular) missing() string {
	for id, p := range m.modules {
		for from, names := range p.takes() {
			for _, name := range names {
				if !m.absent[taken{id, from, name}] && !m.offers(from, name, nil) {
					return m.named(from) + " exports no " + name
				}
			}
		}
	}
	return ""
}

// isOf reports whether the modules are those of a bundle as a whole.
func (m *modular) isOf(b *build, r *Result) bool {
	if m.context != contextOf(r.Stamp) || b.form.format != api.FormatCommonJS || len(b.form.late) > 0 {
		return false
	}
	count := 0
	for _, name := range b.graph.names {
		if !ownScript(name) {
			continue
		}
		count++
		old, file := m.files[name], b.sources.get(m.file(name))
		if old == nil || file == nil || old.hash != file.hash {
			return false
		}
	}
	return count == len(m.files)
}
