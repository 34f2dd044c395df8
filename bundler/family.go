package bundler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// family is a bundle with the bundles of the programs it starts: workers, child
// processes, plugins it imports by path. Each program is bundled once, wherever it
// is started from, and lies in the folder OUTFILE.assets of the bundle it all began
// with.
type family struct {
	outfile string // of the bundle it all began with, relative to Root
	entry   string // of the same, absolute
	queue   []asset
	known   map[string]bool // targets
	inputs  map[string]bool // of the bundles of programs, relative to Root
}

// add asks for one more program.
func (f *family) add(a asset) {
	if !f.known[a.target] {
		f.known[a.target] = true
		f.queue = append(f.queue, a)
	}
}

// bundleAll bundles all programs, and those they start, and adds them to the first
// bundle's result.
func (f *family) bundleAll(ctx context.Context, o Options, unresolvedRoot string, r *Result) error {
	for len(f.queue) > 0 {
		a := f.queue[0]
		f.queue = f.queue[1:]
		nested, err := f.bundle(ctx, o, unresolvedRoot, a)
		if err != nil {
			return err
		}
		for _, input := range nested.Inputs {
			f.inputs[input.Path] = true
		}
		if err := r.absorb(nested); err != nil {
			return err
		}
	}
	return nil
}

// bundle makes one program's bundle. It keeps its exports, since what a worker's
// file exports is often called by its starter; only a program that waits at its top
// level cannot have any.
func (f *family) bundle(ctx context.Context, o Options, unresolvedRoot string, a asset) (*Result, error) {
	b := newBuild(o, unresolvedRoot, f)
	source := b.rel(a.source)
	o.Entry, o.Source, o.Outfile, o.Assets, o.Metafile, o.Kind = source, "", a.target, nil, false, KindModule
	r, err := newBuild(o, unresolvedRoot, f).make(ctx)
	var failure *diag.Failure
	if errors.As(err, &failure) && failure.Diagnostics[0].Code == "top-level-await" {
		o.Kind = KindScript
		r, err = newBuild(o, unresolvedRoot, f).make(ctx)
	}
	switch {
	case errors.As(err, &failure) && inPackage(a.source):
		return &Result{Diagnostics: diag.List{{Code: "asset-unusable", Level: diag.Note, Position: a.from,
			Message: source + " is started at run time and cannot be bundled: " + failure.Diagnostics[0].Message}}}, nil
	case err != nil:
		return nil, err
	}
	r.Diagnostics = append(diag.List{{Code: "program-bundled", Level: diag.Note, Position: a.from,
		Message: fmt.Sprintf("%s is started at run time and is bundled to %s", source, a.target)}}, r.Diagnostics...)
	return r, nil
}

// absorb adds a program's result to the one of the bundle that starts it.
func (r *Result) absorb(nested *Result) error {
	for _, out := range nested.Outputs {
		i := slices.IndexFunc(r.Outputs, func(o Output) bool { return o.Path == out.Path })
		if i < 0 {
			r.Outputs = append(r.Outputs, out)
		} else if !bytes.Equal(r.Outputs[i].Contents, out.Contents) {
			return diag.Fail(diag.Diagnostic{Code: "asset-unusable", Message: "two different files would both be written to " + out.Path,
				Hint: "give one of them another name"})
		}
	}
	first := 1
	if len(r.Outputs) > 1 && r.Outputs[1].Path == r.Outputs[0].Path+".map" {
		first = 2
	}
	slices.SortStableFunc(r.Outputs[first:], func(a, b Output) int { return strings.Compare(a.Path, b.Path) })
	for _, d := range nested.Diagnostics {
		if !slices.Contains(r.Diagnostics, d) {
			r.Diagnostics.Add(d)
		}
	}
	for _, name := range nested.Externals {
		if !slices.Contains(r.Externals, name) {
			r.Externals = append(r.Externals, name)
		}
	}
	slices.Sort(r.Externals)
	if nested.Graph != nil {
		r.Programs = append(r.Programs, nested.Graph)
	}
	if s := nested.Stamp; s != nil {
		maps.Copy(r.Stamp.Files, s.Files)
		maps.Copy(r.Stamp.Folders, s.Folders)
		maps.Copy(r.Stamp.Links, s.Links)
		maps.Copy(r.Stamp.Trees, s.Trees)
		maps.Copy(r.Stamp.Outputs, s.Outputs)
	}
	r.Stamp.Externals = r.Externals
	r.Stamp.say(r.Diagnostics)
	return nil
}
