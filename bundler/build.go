package bundler

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// build is one call of Build.
type build struct {
	o         Options
	sources   sources
	externals externals
}

// Build bundles what the options describe. Nothing is written to disk.
//
// The error is a *diag.Failure: of class Usage when the options make no sense,
// of class Failed when the project's files are at fault; it then carries the
// warnings too. When ctx ends first, the error is its cause.
func Build(ctx context.Context, o Options) (*Result, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	b := &build{o: o, sources: sources{files: map[string]*loaded{}}, externals: externals{names: map[string]bool{}}}
	done, format, err := b.bundle(ctx)
	if err != nil {
		return nil, err
	}
	list := b.diagnostics(done.Errors, diag.Error)
	list.Add(b.diagnostics(done.Warnings, diag.Warning)...)
	if list.HasErrors() {
		return nil, diag.Fail(list...)
	}
	return b.result(done, format, list)
}

// bundle runs esbuild, a second time when the program needs it.
func (b *build) bundle(ctx context.Context) (api.BuildResult, api.Format, error) {
	a := attempt{format: api.FormatCommonJS}
	done, err := b.run(ctx, a)
	if err != nil {
		return done, a.format, err
	}
	if needsAwait(done.Errors) {
		a.format = api.FormatESModule
		done, err = b.run(ctx, a)
	}
	return done, a.format, err
}

// needsAwait reports whether top-level await is all that keeps the program from
// being CommonJS.
func needsAwait(errors []api.Message) bool {
	return slices.ContainsFunc(errors, func(m api.Message) bool {
		return strings.HasPrefix(m.Text, "Top-level await is currently not supported")
	})
}

// result turns esbuild's into ours.
func (b *build) result(done api.BuildResult, format api.Format, list diag.List) (*Result, error) {
	g, err := readGraph(done.Metafile)
	if err != nil {
		return nil, diag.Fail(diag.Diagnostic{Code: "bundler-internal", Message: "the bundler's own report cannot be read"}).Because(err)
	}
	r := &Result{Diagnostics: list, Stamp: &Stamp{ToolVersion: b.o.ToolVersion}}
	for _, f := range done.OutputFiles {
		rel, _ := filepath.Rel(b.o.Root, f.Path)
		out := Output{Path: filepath.ToSlash(rel), Contents: f.Contents, Mode: 0o644}
		if out.Path == b.o.Outfile {
			out.Mode = 0o755
			out.Contents, _ = b.assemble(f.Contents, format)
			r.Outputs = append([]Output{out}, r.Outputs...)
			continue
		}
		r.Outputs = append(r.Outputs, out)
	}
	for _, name := range g.names {
		if isFile(name) {
			pkg, _ := packageOf(name)
			r.Inputs = append(r.Inputs, Input{Path: name, Bytes: g.Inputs[name].Bytes, Package: pkg})
		}
	}
	r.Externals = sortedKeys(b.externals.names)
	if b.o.Metafile {
		r.Metafile = []byte(done.Metafile)
	}
	return r, nil
}
