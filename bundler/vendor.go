package bundler

import (
	"context"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundlePackages bundles what the project's modules ask of packages, and its data, to
// a text that registers each with the linked program. It runs late, one by one, as
// the modules ask.
func (m *modular) bundlePackages(ctx context.Context) error {
	var stub strings.Builder
	stub.WriteString("__omcbuild_packages({\n")
	for _, name := range sortedKeys(m.supplies) {
		es := 0
		if m.es[m.number(name)] {
			es = 1
		}
		spec := name
		if !strings.HasPrefix(spec, "../") {
			spec = "./" + spec
		}
		fmt.Fprintf(&stub, "  %d: [%d, () => require(%q)],\n", m.number(name), es, spec)
	}
	stub.WriteString("});\nexport {};\n")
	o := m.b.buildOptions(attempt{format: api.FormatCommonJS})
	o.EntryPoints, o.LegalComments = nil, api.LegalCommentsNone
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = false, false, false
	o.Stdin = &api.StdinOptions{Contents: stub.String(), ResolveDir: m.b.o.Root, Sourcefile: virtualEntry, Loader: api.LoaderTS}
	o.Plugins = append([]api.Plugin{m.readOnce()}, o.Plugins...)
	done, err := m.b.esbuild(ctx, o)
	if err != nil {
		return err
	}
	if len(done.Errors) > 0 {
		return errNotModular("the packages cannot be bundled by themselves: " + done.Errors[0].Text)
	}
	g, err := readGraph(done.Metafile, m.b.o.Outfile)
	if err != nil {
		return err
	}
	for _, name := range g.names {
		if ownScript(name) {
			return errNotModular("a package imports " + name)
		}
	}
	for _, f := range done.OutputFiles {
		if m.b.rel(f.Path) == m.b.o.Outfile {
			m.vendor = append(append([]byte("(() => {\n"), f.Contents...), "})();\n"...)
		}
	}
	return nil
}

// readOnce gives esbuild what was read for the whole bundle.
func (m *modular) readOnce() api.Plugin {
	return api.Plugin{Name: "omcbuild-read", Setup: func(p api.PluginBuild) {
		p.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			file := m.b.sources.get(args.Path)
			if file == nil || !isScript(args.Path) || args.Suffix != "" || args.With["type"] != "" { // in another form
				return api.OnLoadResult{}, nil
			}
			return api.OnLoadResult{Contents: &file.text, Loader: api.LoaderDefault}, nil
		})
	}}
}
