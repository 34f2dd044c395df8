package bundler

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// build is one bundle in the making.
type build struct {
	o              Options
	entry          string // absolute, its symbolic links followed
	unresolvedRoot string // Root as given, before its symbolic links were followed
	family         *family
	own            map[string]bool   // folders from the entry up to Root: the project's own
	linked         map[string]string // folder outside node_modules → name of the package that it is, "" for none
	clues          *clueFinder
	sources        sources
	packages       packages
	externals      externals
	waiting        []string // files that wait at their top level
	frame          []Part   // what was put around the body, with its bytes
	asks           bool     // the entry asks for the path of the program
	metadata       bool     // some tsconfig asks for emitDecoratorMetadata
	keeper         *keeper  // of a session; nil for a build alone
	graph          *graph   // of the finished bundle
	form           attempt  // that made it
}

// Build bundles what the options describe. Nothing is written to disk.
//
// The error is a *diag.Failure: of class Usage when the options make no sense, of
// class Failed when the project's files are at fault; it then carries the warnings
// too. When ctx ends first, the error is its cause.
func Build(ctx context.Context, o Options) (*Result, error) {
	r, _, err := buildAll(ctx, o, nil)
	return r, err
}

// buildAll bundles, and returns how, also when it fails; nil when the options make no
// sense.
func buildAll(ctx context.Context, o Options, k *keeper) (*Result, *build, error) {
	checked, err := o.check()
	if err != nil {
		return nil, nil, err
	}
	f := &family{outfile: o.Outfile, entry: filepath.Join(checked.Root, filepath.FromSlash(o.Entry)), known: map[string]bool{}, inputs: map[string]bool{}}
	b := newBuild(checked, o.Root, f)
	b.keeper = k
	r, err := b.make(ctx)
	if err == nil {
		err = f.bundleAll(ctx, checked, o.Root, r)
	}
	if err != nil {
		return nil, b, err
	}
	return r, b, nil
}

func newBuild(o Options, unresolvedRoot string, f *family) *build {
	entry := filepath.Join(o.Root, filepath.FromSlash(o.Entry))
	if real, err := filepath.EvalSymlinks(entry); err == nil {
		entry = real
	}
	return &build{o: o, entry: entry, unresolvedRoot: unresolvedRoot, family: f, linked: map[string]string{}, own: ownFolders(o.Entry),
		clues:     newClueFinder(),
		sources:   sources{files: map[string]*loaded{}},
		packages:  packages{byDir: map[string]*npmPackage{}, found: map[[2]string]*npmPackage{}},
		externals: externals{names: map[string]string{}}}
}

// make makes one bundle.
func (b *build) make(ctx context.Context) (*Result, error) {
	entry := filepath.Join(b.o.Root, filepath.FromSlash(b.o.Entry))
	if _, err := os.Stat(entry); err == nil && !b.contains(entry) && (b.entry == b.family.entry || !inOwnPackage(entry)) {
		return nil, diag.Fail(diag.Diagnostic{Code: "entry-outside", Message: "the entry leads out of the project by a symbolic link",
			Position: diag.Position{File: b.o.Entry}, Hint: "put the file itself into the project"})
	}
	if err := b.checkHeader(); err != nil {
		return nil, err
	}
	if found := b.checkSettings(); len(found) > 0 {
		return nil, diag.Fail(b.diagnostics(found, diag.Error)...)
	}
	a := attempt{format: api.FormatCommonJS}
	for {
		done, err := b.bundle(ctx, &a)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		list := b.diagnostics(done.Errors, diag.Error)
		list.Add(b.diagnostics(done.Warnings, diag.Warning)...)
		if list.HasErrors() {
			return nil, diag.Fail(list...)
		}
		r, skipped, err := b.result(done, a, list)
		if len(skipped) == 0 || len(a.late) > 0 {
			return r, err
		}
		a.late = skipped
	}
}

// ownFolders are the folders from the entry up to the root.
func ownFolders(entry string) map[string]bool {
	own := map[string]bool{".": true}
	for dir := path.Dir(entry); dir != "." && dir != "/"; dir = path.Dir(dir) {
		own[dir] = true
	}
	return own
}

// bundle runs esbuild, a second time when the program needs it; a says how, and is
// changed to what was needed.
func (b *build) bundle(ctx context.Context, a *attempt) (api.BuildResult, error) {
	done, err := b.run(ctx, *a)
	if waiting := needsAwait(done.Errors); err == nil && len(waiting) > 0 && b.o.Kind != KindModule {
		b.waiting = waiting
		a.format = api.FormatESModule
		done, err = b.run(ctx, *a)
	}
	if err == nil && ignoresEntry(done.Warnings) && a.format == api.FormatCommonJS {
		a.direct = true
		done, err = b.run(ctx, *a)
	}
	if err == nil && b.o.Minify && !a.names && b.sources.showNames() {
		a.names = true
		done, err = b.run(ctx, *a)
	}
	return done, err
}

// ignoresEntry reports whether the entry was left out of the bundle because its
// package.json says that it has no side effects.
func ignoresEntry(warnings []api.Message) bool {
	return slices.ContainsFunc(warnings, func(m api.Message) bool {
		return m.ID == "ignored-bare-import" && m.Location != nil && m.Location.File == virtualEntry
	})
}

// result turns esbuild's into ours. When skipped is not empty, the bundle is of no
// use and has to be made again (see late.go).
func (b *build) result(done api.BuildResult, a attempt, list diag.List) (r *Result, skipped []string, err error) {
	var g *graph
	var notRead error
	var reading sync.WaitGroup
	reading.Go(func() { g, notRead = readGraph(done.Metafile, b.o.Outfile) })
	outputs, err := b.outputs(done.OutputFiles, a.format)
	stamp := b.stampInputs()
	reading.Wait()
	switch {
	case notRead != nil:
		return nil, nil, diag.Fail(diag.Diagnostic{Code: "bundler-internal", Message: "the bundler's own report cannot be read"}).Because(notRead)
	case err != nil:
		return nil, nil, err
	}
	if skipped = b.skipped(g); len(skipped) > 0 && len(a.late) == 0 {
		return nil, skipped, nil
	}
	beside := b.collect(g)
	r = &Result{Outputs: outputs}
	b.sayOrigins(outputs, g)
	for _, target := range sortedKeys(beside.outputs) {
		r.Outputs = append(r.Outputs, beside.outputs[target])
	}
	b.describe(r, g)
	for _, name := range g.names {
		if file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name))); file != nil && g.kept[name] > 0 {
			list.Add(file.found...)
		}
	}
	left, externals := b.checkExternals(g)
	r.Externals = externals
	list.Add(left...)
	list.Add(b.checkDuplicates(g)...)
	list.Add(checkAddons(g)...)
	list.Add(b.checkDecorators(g)...)
	list.Add(b.checkConfig()...)
	list.Add(b.checkBuiltins(g)...)
	list.Add(b.checkAwaits(g)...)
	list.Add(b.checkHostPaths(r.Outputs[0].Contents, g)...)
	list.Add(beside.list...)
	r.Diagnostics = list
	if list.HasErrors() {
		return nil, nil, diag.Fail(list...)
	}
	if b.o.Metafile {
		r.Metafile = []byte(strings.ReplaceAll(done.Metafile, externalToken, ""))
	}
	if b.o.Graph {
		r.Graph = b.anatomy(g, r, r.Outputs[0].Contents)
	}
	b.graph, b.form = g, a
	stamp.finish(b, r, beside)
	r.Stamp = stamp
	return r, nil, nil
}

// outputs assembles the bundle and carries the other files of esbuild along.
func (b *build) outputs(files []api.OutputFile, format api.Format) (list []Output, err error) {
	var bundle, sourceMap Output
	for _, f := range files {
		out := Output{Path: b.rel(f.Path), Contents: f.Contents, Mode: 0o644}
		switch out.Path {
		case b.o.Outfile:
			out.Mode = 0o755
			bundle = out
		case b.o.Outfile + ".map":
			sourceMap = out
		default:
			list = append(list, out)
		}
	}
	var before int
	bundle.Contents, before = b.assemble(bundle.Contents, format)
	if err := b.checkText(bundle.Contents); err != nil {
		return nil, err
	}
	if b.o.Sourcemap {
		sourceMap.Contents = shiftMap(sourceMap.Contents, before)
		list = append([]Output{sourceMap}, list...)
	}
	return append([]Output{bundle}, list...), nil
}

// sayOrigins notes from which packages the files come that esbuild copied.
func (b *build) sayOrigins(outputs []Output, g *graph) {
	for i := range outputs[1:] {
		out := &outputs[1+i]
		for name := range g.Outputs[out.Path].Inputs { // of a copy there is one
			out.Package, out.Folder = b.packageOfInput(name)
		}
	}
}

// shiftMap moves a source map down by some lines: each ends with a semicolon.
func shiftMap(text []byte, lines int) []byte {
	key := []byte(`"mappings": "`)
	return bytes.Replace(text, key, append(slices.Clone(key), bytes.Repeat([]byte(";"), lines)...), 1)
}

// describe lists what went in.
func (b *build) describe(r *Result, g *graph) {
	for _, name := range g.names {
		if !isFile(name) {
			continue
		}
		input := Input{Path: name, Bytes: g.Inputs[name].Bytes, Kept: g.kept[name]}
		input.Package, _ = b.packageOfInput(name)
		if file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name))); file != nil {
			input.Bytes = file.bytes
			if file.lean && input.Kept > 0 {
				r.Saved.Zod = append(r.Saved.Zod, name)
			}
			if file.marked {
				r.Marked = append(r.Marked, name)
			}
		}
		r.Inputs = append(r.Inputs, input)
	}
}

// contain turns a panic in a callback, which would end the whole program from one
// of esbuild's goroutines, into an error of the file at hand.
func (b *build) contain(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the bundler broke down: %v", r)
	}
}
