package bundler

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// virtualEntry is the name under which the entry stub shows in esbuild's
// messages and metafile.
const virtualEntry = "omcbuild-entry.ts"

// attempt is one run of esbuild. The first is in CommonJS; programs with
// top-level await need a second one as an ES module (see assemble.go).
type attempt struct {
	format api.Format // FormatCommonJS or FormatESModule
	names  bool       // keep the names of classes and functions while minifying
	direct bool       // start from the entry itself instead of a stub that imports it
	late   []string   // modules that have to be functions in the bundle (see late.go)
}

// buildOptions translates ours into esbuild's.
func (b *build) buildOptions(a attempt) api.BuildOptions {
	o := b.o
	options := api.BuildOptions{
		AbsWorkingDir: o.Root, Outfile: filepath.Join(o.Root, filepath.FromSlash(o.Outfile)),
		Bundle: true, Write: false, Metafile: true,
		Platform: api.PlatformNode, Format: a.format, MainFields: []string{"module", "main"},
		Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsEndOfFile,
		LogLevel: api.LogLevelSilent, Color: api.ColorNever,
		LogOverride: map[string]api.LogLevel{
			"unsupported-require-call": api.LogLevelWarning, "unsupported-dynamic-import": api.LogLevelWarning,
			"require-resolve-not-external": api.LogLevelSilent, "indirect-require": api.LogLevelSilent,
		},
		MinifyWhitespace: o.Minify, MinifyIdentifiers: o.Minify, MinifySyntax: o.Minify, KeepNames: a.names,
		Define: map[string]string{"import.meta": metaName},
		Loader: map[string]api.Loader{}, AssetNames: "[name]-[hash]",
		Plugins: []api.Plugin{plugin(func() *build { return b }, a)},
	}
	for name, value := range o.Define {
		options.Define[name] = value
	}
	for ext, loader := range defaultLoaders {
		options.Loader[ext] = loader
	}
	for ext, name := range o.Loader {
		options.Loader[ext] = loaders[name]
	}
	if o.Sourcemap {
		options.Sourcemap = api.SourceMapExternal
	}
	options.Target, options.Engines = targets(o.Target)
	b.setEntry(&options, a)
	return options
}

// setEntry makes a stub import the entry, so that the entry's exports are
// unused and dropped; a module, whose exports matter, is the entry itself.
func (b *build) setEntry(options *api.BuildOptions, a attempt) {
	source := b.o.Source
	if !b.o.AsWritten {
		source = leanSource(source)
	}
	if source == "" {
		if a.direct || b.o.Kind == KindModule {
			options.EntryPoints = []string{"./" + b.o.Entry}
			return
		}
		source = fmt.Sprintf("import %q;\n", "./"+b.o.Entry)
	} else if len(a.late) > 0 {
		source += lateImport
	}
	options.Stdin = &api.StdinOptions{
		Contents: source, ResolveDir: b.o.Root, Sourcefile: virtualEntry, Loader: api.LoaderTS,
	}
}

// targets reads a list such as "node20" or "es2022,node20"; it was checked before.
func targets(list string) (target api.Target, engines []api.Engine) {
	years := map[string]api.Target{
		"next": api.ESNext, "2015": api.ES2015, "2016": api.ES2016, "2017": api.ES2017, "2018": api.ES2018,
		"2019": api.ES2019, "2020": api.ES2020, "2021": api.ES2021, "2022": api.ES2022, "2023": api.ES2023, "2024": api.ES2024,
	}
	for _, part := range strings.Split(list, ",") {
		m := targetPattern.FindStringSubmatch(part)
		if m[1] == "node" {
			engines = append(engines, api.Engine{Name: api.EngineNode, Version: m[2]})
		} else {
			target = years[m[2]]
		}
	}
	return target, engines
}

// run lets esbuild build.
func (b *build) run(ctx context.Context, a attempt) (result api.BuildResult, err error) {
	if b.keeper == nil {
		return b.esbuild(ctx, b.buildOptions(a))
	}
	defer contained(&err)
	kept, failed, err := b.keeper.context(ctx, b, a)
	switch {
	case err != nil:
		return api.BuildResult{}, err
	case failed != nil:
		return api.BuildResult{Errors: failed.Errors}, nil
	}
	stop := context.AfterFunc(ctx, kept.session.Cancel)
	defer stop()
	return b.rebuild(ctx, kept.session, func() { close(kept.ended) })
}

// esbuild runs esbuild once. Cancelling ctx stops it; its panics become a diagnostic.
func (b *build) esbuild(ctx context.Context, o api.BuildOptions) (result api.BuildResult, err error) {
	defer contained(&err)
	session, failed := api.Context(o)
	if failed != nil {
		return api.BuildResult{Errors: failed.Errors}, nil
	}
	stop := context.AfterFunc(ctx, session.Cancel)
	defer stop()
	return b.rebuild(ctx, session, session.Dispose)
}

// contained turns a panic of esbuild into a diagnostic.
func contained(err *error) {
	if r := recover(); r != nil {
		*err = diag.Fail(diag.Diagnostic{Code: "bundler-internal",
			Message: fmt.Sprintf("the bundler broke down: %v", r), Hint: "report this with the file that was edited last"})
	}
}

// rebuild waits for the build or for the end of ctx, whichever comes first: what
// esbuild opens on its own, such as a pipe in the place of a tsconfig.json, may
// keep it forever (see pipes.go).
func (b *build) rebuild(ctx context.Context, session api.BuildContext, ended func()) (api.BuildResult, error) {
	done := make(chan api.BuildResult, 1)
	broken := make(chan any, 1)
	go func() {
		defer ended()
		defer func() {
			if r := recover(); r != nil {
				broken <- r
			}
		}()
		done <- session.Rebuild()
	}()
	over := func() bool { return len(done)+len(broken) > 0 || ctx.Err() != nil }
	var pipes []api.Message
	wait := patience
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		select {
		case result := <-done:
			if len(pipes) > 0 {
				return api.BuildResult{Errors: pipes}, context.Cause(ctx)
			}
			return result, context.Cause(ctx)
		case r := <-broken:
			panic(r) //nolint:forbidigo // the border of this package turns it into a diagnostic
		case <-ctx.Done():
			return api.BuildResult{}, context.Cause(ctx)
		case <-late.C:
			found := b.stuckOn(over)
			if pipes = append(pipes, found...); len(found) == 0 {
				wait *= 2
			}
			late.Reset(wait)
		}
	}
}
