package bundler

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// compiled is what esbuild made of some modules.
type compiled struct {
	modules  map[string]*printed
	imports  map[string][]edge // module → what it imports from outside, and is no file
	added    map[edge]string   // imports that are new
	warnings []api.Message
	errors   []api.Message
}

// compile compiles modules of the project, each by itself. With again they are read
// from disk, else as the whole bundle was made of them.
func (m *modular) compile(ctx context.Context, names []string, again bool) (*compiled, error) {
	o := m.b.buildOptions(attempt{format: api.FormatCommonJS})
	o.Stdin, o.Outfile, o.Outdir, o.EntryPoints = nil, "", m.b.o.Root, nil
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax, o.LegalComments = false, false, false, api.LegalCommentsNone
	for _, name := range names {
		o.EntryPointsAdvanced = append(o.EntryPointsAdvanced, api.EntryPoint{InputPath: m.file(name), OutputPath: "omcbuild-" + strconv.Itoa(m.number(name))})
	}
	o.Plugins = append([]api.Plugin{m.plugin(names, again)}, o.Plugins...)
	done, err := m.b.esbuild(ctx, o)
	if err != nil {
		return nil, err
	}
	c := &compiled{modules: map[string]*printed{}, imports: map[string][]edge{}, added: map[edge]string{}, warnings: done.Warnings, errors: done.Errors}
	if len(done.Errors) > 0 {
		return c, nil
	}
	g, err := readGraph(done.Metafile, "")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		stay := map[string]bool{}
		for _, e := range g.Outputs["omcbuild-"+strconv.Itoa(m.number(name))+".js"].Imports {
			stay[e.Path] = true
		}
		for _, e := range g.Inputs[name].Imports {
			switch {
			case e.External && !stay[e.Path]: // only types, or nothing, of it is used
			case !e.External && isFile(e.Path) && e.Path != "<runtime>":
				c.added[edge{name, e.Original, e.Kind}] = e.Path
			case !strings.HasPrefix(e.Path, moduleToken) && e.Path != "<runtime>":
				c.imports[name] = append(c.imports[name], edge{name, e.Path, e.Kind})
			}
		}
		m.es[m.number(name)] = g.Inputs[name].Format != "cjs"
	}
	for _, name := range names {
		target := "omcbuild-" + strconv.Itoa(m.number(name)) + ".js"
		i := slices.IndexFunc(done.OutputFiles, func(f api.OutputFile) bool { return path.Base(filepath.ToSlash(f.Path)) == target })
		if i < 0 {
			continue
		}
		if p, ok := link(done.OutputFiles[i].Contents, m.es[m.number(name)], m.nodeModule(name), func(id int) bool { return m.es[id] }); ok {
			m.written(name, p)
			c.modules[name] = p
		}
	}
	return c, nil
}

// plugin gives the sources to esbuild and keeps everything else outside.
func (m *modular) plugin(names []string, again bool) api.Plugin {
	entries := map[string]bool{}
	for _, name := range names {
		entries[m.file(name)] = true
	}
	return api.Plugin{Name: "omcbuild-modules", Setup: func(p api.PluginBuild) {
		p.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if !entries[args.Path] { // only its name counts
				text := "module.exports = {};"
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
			}
			if file := m.b.sources.get(args.Path); !again && file != nil {
				return api.OnLoadResult{Contents: &file.text, Loader: api.LoaderDefault}, nil
			}
			return api.OnLoadResult{}, nil // the whole bundle's way
		})
		p.OnResolve(api.OnResolveOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			if to, known := m.edges[edge{m.b.rel(args.Importer), args.Path, importKinds[args.Kind]}]; known {
				return api.OnResolveResult{Path: moduleToken + strconv.Itoa(m.number(to)), External: true}, nil
			}
			return api.OnResolveResult{}, nil
		})
	}}
}

// nodeModule reports whether Node would load a file as an ES module, which says what
// the default of a CommonJS module is.
func (m *modular) nodeModule(name string) bool {
	switch path.Ext(name) {
	case ".mts", ".mjs":
		return true
	case ".cts", ".cjs":
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if manifest := readManifest(m.b.folder(dir)); manifest != nil {
			return manifest.Type == "module"
		}
		if dir == "." || dir == "/" || path.Base(dir) == ".." {
			return false
		}
	}
}
