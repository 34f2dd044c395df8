package pipeline

import (
	"context"
	"slices"
	"time"

	"omcbuild/internal/products"
)

// settle does the steps of a build for the bundles that changed. The others stay as
// they were settled last.
func (r *Rounds) settle(ctx context.Context, out *RoundResult) {
	began := time.Now()
	done, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err != nil {
		out.Canceled = ctx.Err() != nil
		out.Diagnostics.Add(failures(err)...)
		return
	}
	defer done()
	run := newBuildRun(r.project, r.o)
	run.watching = true
	for i, k := range r.kept {
		run.items[i].session = k.session
		if it := k.item; it != nil && !k.changed {
			it.changes, it.met, it.collector, it.source, it.settled = nil, nil, nil, nil, true
			run.items[i] = it
		}
	}
	prebuild := r.prebuild
	err = run.do(ctx, append(r.settleSteps(), aloneSteps()...))
	if err == nil && !slices.ContainsFunc(run.steps, func(s StepReport) bool { return s.Name == "write" }) {
		err = run.putBundles()
	}
	if err != nil && ctx.Err() != nil {
		out.Canceled, r.prebuild = true, prebuild
		return
	}
	result := run.buildResult(time.Since(began))
	out.Metadata = result.Metadata
	out.Diagnostics.Add(result.Diagnostics...)
	out.Diagnostics.Add(failures(err)...)
	for i, b := range result.Bundles {
		report := RoundBundle{Name: b.Name, Outfile: b.Outfile, Bytes: b.Bytes, Changed: r.kept[i].changed && b.Bytes > 0}
		if report.Changed {
			report.Duration = time.Duration(b.DurationMs) * time.Millisecond
		}
		if v := b.Verify; v != nil {
			report.Ran, report.Tools, report.Locked = v.Ran, v.Tools, run.items[i].lock != nil
			out.Changes = append(out.Changes, v.Changes...)
		}
		out.Bundles = append(out.Bundles, report)
	}
	r.keep(run)
}

// settleSteps are those of build, with the project's own program only where it may
// make something else than before: what it writes is watched as well.
func (r *Rounds) settleSteps() []step {
	prebuild := r.prebuild
	steps := slices.DeleteFunc(buildSteps(), func(s step) bool { return s.name == "prebuild" && !prebuild })
	r.prebuild = false
	for i, s := range steps {
		if s.name == "prebuild" && s.do != nil {
			steps[i].do = func(ctx context.Context, run *run) error {
				r.prebuilt.from = time.Now()
				defer func() { r.prebuilt.to = time.Now() }()
				return s.do(ctx, run)
			}
		}
	}
	return steps
}

// keep remembers what was settled.
func (r *Rounds) keep(run *run) {
	for i, k := range r.kept {
		it := run.items[i]
		if len(it.outputs) == 0 {
			continue
		}
		k.item, k.changed = it, false
		if result := k.session.Last(); result != nil {
			k.result, k.placed = result, result
		}
	}
	r.configs = configDigests(r.project.Root)
	r.watch()
}

// putBundles puts bundles in place about which something is wrong: what stands there
// was made for speed and is no better.
func (r *run) putBundles() error {
	var files []products.File
	for _, it := range r.items {
		if it.stamp == nil {
			continue
		}
		for _, output := range it.outputs {
			files = append(files, products.File{Path: output.Path, Contents: output.Contents, Mode: output.Mode})
		}
	}
	if _, err := products.Write(r.project.Root, files); err != nil {
		return err
	}
	r.remember()
	return nil
}
