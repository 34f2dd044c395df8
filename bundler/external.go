package bundler

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// An external package is reached in one of two ways. A static import or a
// require goes to a virtual CommonJS module in externalNamespace, whose one line
// calls the header; esbuild then does the rest as for any module, also when
// names are minified and when the output is an ES module. A dynamic import must
// stay an import(), because it may load an ES module: its specifier gets a
// token in front, and assemble.go turns the finished text into a call of the
// header.
const (
	externalNamespace = "external"
	externalToken     = "omcbuild-external-package:"
	externalName      = "__omcbuild_external"
)

const (
	bunOnly = "%s exists only in Bun, and this bundle runs in Node"
	bunHint = "use a Node module or an npm package instead, or keep bun as the command and leave this server unbundled"
)

// externals collects the packages that stay imports.
type externals struct {
	mu    sync.Mutex
	names map[string]string // package → why it cannot be bundled, "" when the options say that it stays
}

func (e *externals) add(name, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.names[name] = why
}

// any reports whether any package stays an import.
func (e *externals) any() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.names) > 0
}

// reason returns why a package stays outside, and whether it may.
func (e *externals) reason(name string) (why string, allowed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	why, allowed = e.names[name]
	return why, allowed
}

// plugin returns our side of esbuild: every file is loaded by us, and every
// import of a package is seen by us before esbuild looks for it. The build at hand may
// be another each time.
func plugin(now func() *build, a attempt) api.Plugin {
	return api.Plugin{Name: "omcbuild", Setup: func(p api.PluginBuild) {
		load := func(namespace string, do func(*build, api.OnLoadArgs) (api.OnLoadResult, error)) {
			p.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) { return do(now(), args) })
		}
		resolve := func(filter string, do func(*build, api.OnResolveArgs) (api.OnResolveResult, error)) {
			p.OnResolve(api.OnResolveOptions{Filter: filter}, func(args api.OnResolveArgs) (api.OnResolveResult, error) { return do(now(), args) })
		}
		load("file", func(b *build, args api.OnLoadArgs) (api.OnLoadResult, error) { return b.load(a, args) })
		load(externalNamespace, (*build).loadExternal)
		load(lateNamespace, func(b *build, args api.OnLoadArgs) (api.OnLoadResult, error) { return b.loadLate(a)(args) })
		resolve(`\.node$`, (*build).resolveAddon)
		resolve(foreignForm, (*build).refuseForm)
		resolve(`package\.json$`, (*build).resolveManifest)
		if slices.ContainsFunc(now().o.External, isPath) {
			resolve(`^\.{0,2}/`, (*build).resolvePath)
		}
		resolve(`^[^./#]`, func(b *build, args api.OnResolveArgs) (api.OnResolveResult, error) { return b.resolve(a, args) })
	}}
}

// isPath reports whether a specifier is a path and no package's name.
func isPath(spec string) bool {
	return strings.HasPrefix(spec, "/") || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
}

// resolvePath leaves an import() of a path as it is written where the options say so:
// the code runs elsewhere, such as in a page of a browser.
func (b *build) resolvePath(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Kind != api.ResolveJSDynamicImport || !b.o.declares(args.Path) {
		return api.OnResolveResult{}, nil
	}
	b.externals.add(args.Path, "")
	return api.OnResolveResult{Path: args.Path, External: true}, nil
}

// resolve decides about one import of a bare specifier. An empty result leaves
// it to esbuild.
func (b *build) resolve(a attempt, args api.OnResolveArgs) (result api.OnResolveResult, err error) {
	defer b.contain(&err)
	spec := args.Path
	switch {
	case args.Kind == api.ResolveEntryPoint:
		return api.OnResolveResult{}, nil
	case args.Namespace == externalNamespace:
		return api.OnResolveResult{Path: spec, External: true}, nil
	case isBun(spec) && (args.Kind == api.ResolveJSDynamicImport || args.Kind == api.ResolveJSRequireCall):
		return api.OnResolveResult{Path: spec, External: true}, nil // judged by where it stands
	case isBun(spec):
		return api.OnResolveResult{Errors: []api.Message{{
			Text:   fmt.Sprintf(bunOnly, spec),
			Detail: finding{code: "bun-import", hint: bunHint},
		}}}, nil
	case spec == lateModule:
		return api.OnResolveResult{Path: spec, Namespace: lateNamespace}, nil
	case isBuiltin(spec):
		if a.format == api.FormatESModule && args.Kind == api.ResolveJSImportStatement {
			return api.OnResolveResult{Path: spec, Namespace: externalNamespace, SideEffects: api.SideEffectsFalse}, nil
		}
		return api.OnResolveResult{Path: spec, External: true, SideEffects: api.SideEffectsFalse}, nil
	}
	name := packageName(spec)
	if p := b.packages.find(args.ResolveDir, name); p != nil && p.unusable && !b.o.declares(name) {
		return api.OnResolveResult{Errors: b.unusable(filepath.Join(p.dir, "package.json"))}, nil
	}
	switch {
	case b.staysOutside(name, args.ResolveDir) || b.mayBeMissing(name, args):
		return b.resolveExternal(a, args), nil
	case b.isMissing(name, args):
		return api.OnResolveResult{Path: spec, External: true}, nil // judged by where it stands
	}
	return api.OnResolveResult{}, nil
}

// resolveAddon decides about the import of a compiled addon by path. One of a
// package was built for this machine by an install script; it stays outside, like
// the package if it cannot do without. One of the project's own is copied. A name
// such as ./platform.node may leave out the .js of a plain module.
func (b *build) resolveAddon(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
	if inPackage(args.Importer) && strings.HasPrefix(args.Path, ".") && !isModule(args.ResolveDir, args.Path) {
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	return api.OnResolveResult{}, nil
}

// isModule reports whether a path that ends like an addon's is that of a module.
func isModule(dir, name string) bool {
	return !exists(dir, name) && slices.ContainsFunc([]string{".js", ".ts", ".json"}, func(end string) bool { return exists(dir, name+end) })
}

// resolveExternal says how an import of an external package is written.
func (b *build) resolveExternal(a attempt, args api.OnResolveArgs) api.OnResolveResult {
	static := args.Kind == api.ResolveJSImportStatement || args.Kind == api.ResolveJSRequireCall
	switch {
	case static && (b.o.Header == HeaderNodePath || a.format == api.FormatESModule):
		return api.OnResolveResult{Path: args.Path, Namespace: externalNamespace}
	case !static && b.o.Header == HeaderNodePath:
		return api.OnResolveResult{Path: externalToken + args.Path, External: true}
	}
	return api.OnResolveResult{Path: args.Path, External: true}
}

// loadExternal writes the one line of a virtual module.
func (b *build) loadExternal(args api.OnLoadArgs) (api.OnLoadResult, error) {
	call := "require"
	if b.o.Header == HeaderNodePath && !isBuiltin(args.Path) {
		call = externalName
	}
	contents := fmt.Sprintf("module.exports = %s(%q);\n", call, args.Path)
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
}

// staysOutside reports whether a package stays an import: the options say so, or
// it has compiled code, which no bundle can hold.
func (b *build) staysOutside(name, from string) bool {
	if b.o.declares(name) {
		why := ""
		if p := b.packages.find(from, name); p != nil {
			why = p.native
		}
		b.externals.add(name, why)
		return true
	}
	if p := b.packages.find(from, name); p != nil && p.native != "" {
		b.externals.add(name, p.native)
		return true
	}
	return false
}

// mayBeMissing reports whether an import that runs late, in a package, is of another
// that is not installed and that the first one says it can do without.
func (b *build) mayBeMissing(name string, args api.OnResolveArgs) bool {
	if !b.isMissing(name, args) {
		return false
	}
	_, dir := packageOf(b.rel(args.Importer))
	m := readManifest(filepath.Join(b.o.Root, filepath.FromSlash(dir)))
	if m == nil || m.Optional[name] == nil && !m.PeerMeta[name].Optional {
		return false
	}
	b.externals.add(name, "")
	return true
}

// isMissing reports whether an import in a package, of a kind that may run late, is of
// another that is not installed.
func (b *build) isMissing(name string, args api.OnResolveArgs) bool {
	late := args.Kind == api.ResolveJSDynamicImport || args.Kind == api.ResolveJSRequireCall
	return late && inPackage(args.Importer) && b.packages.find(args.ResolveDir, name) == nil
}

// declares reports whether the options let a package stay an import. Subpaths and
// patterns such as "@scope/*" are understood.
func (o Options) declares(name string) bool {
	return slices.ContainsFunc(o.External, func(declared string) bool {
		prefix, any := strings.CutSuffix(declared, "*")
		return declared == name || any && strings.HasPrefix(name, prefix)
	})
}

// wantedVersions are the version ranges that the project's package.json asks for,
// of the packages that stay outside.
func (b *build) wantedVersions() map[string]wanted {
	ranges := map[string]wanted{}
	for dir := path.Dir(b.o.Entry); ; dir = path.Dir(dir) {
		if m := readManifest(filepath.Join(b.o.Root, filepath.FromSlash(dir))); m != nil {
			for _, table := range []map[string]any{m.Dependencies, m.Optional, m.Peer, m.Development} {
				for name := range b.externals.names {
					text, asked := table[name].(string)
					if _, known := ranges[name]; !asked || known {
						continue
					}
					if w, ok := readRange(text); ok {
						ranges[name] = w
					}
				}
			}
		}
		if dir == "." || dir == "/" {
			return ranges
		}
	}
}

// packageName cuts a specifier down to its package: "@a/b/c" → "@a/b". A path stays
// as it is.
func packageName(spec string) string {
	if isPath(spec) {
		return spec
	}
	parts := strings.SplitN(spec, "/", 3)
	if strings.HasPrefix(spec, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// isBuiltin reports whether Node itself has the module.
func isBuiltin(spec string) bool {
	return strings.HasPrefix(spec, "node:") || !strings.Contains(spec, " ") && strings.Contains(builtins, " "+spec+" ")
}

// builtins are the modules of Node that need no node: in front.
const builtins = " _http_agent _http_client _http_common _http_incoming _http_outgoing _http_server" +
	" _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common" +
	" _tls_wrap assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram" +
	" diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises" +
	" module net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl" +
	" stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty" +
	" url util util/types v8 vm wasi worker_threads zlib "
