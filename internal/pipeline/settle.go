package pipeline

import (
	"context"
	"time"
)

// settle does the steps of a build.
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
	err = run.do(ctx, append(buildSteps(), aloneSteps()...))
	if ctx.Err() != nil {
		out.Canceled = true
		return
	}
	result := run.buildResult(time.Since(began))
	out.Diagnostics, out.Metadata = append(result.Diagnostics, failures(err)...), result.Metadata
	for _, b := range result.Bundles {
		report := RoundBundle{Name: b.Name, Outfile: b.Outfile, Bytes: b.Bytes, Duration: time.Duration(b.DurationMs) * time.Millisecond}
		if v := b.Verify; v != nil {
			report.Ran, report.Tools = v.Ran, v.Tools
			out.Changes = append(out.Changes, v.Changes...)
		}
		out.Bundles = append(out.Bundles, report)
	}
}
