package pipeline

import (
	"context"
	"slices"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

// Finish puts the plain products in place where a quick round left others, unproven,
// and nothing else: it is for the end of watching, which is not to take long. A server
// gets its front when the last Check found it good, with what it then answers. Sources that do not build
// leave what is there. It returns nil when there is nothing to do.
func (r *Rounds) Finish(ctx context.Context) *RoundResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.project == nil || len(r.broken) > 0 || !slices.ContainsFunc(r.kept, func(k *kept) bool { return k.changed }) {
		return nil
	}
	began := time.Now()
	out := &RoundResult{Kind: RoundFinished}
	defer func() { out.Duration = time.Since(began) }()
	done, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err != nil {
		if out.Canceled = ctx.Err() != nil; !out.Canceled {
			out.Diagnostics = failures(err)
		}
		return out
	}
	defer done()
	o := r.o
	o.Verify, o.Typecheck = false, false
	now := newBuildRun(r.project, o)
	for i, k := range r.kept {
		now.items[i].session = k.session
		if k.item != nil && !k.changed {
			known := *k.item
			known.settled = true
			now.items[i] = &known
		}
	}
	r.recordLast(ctx)
	err = now.do(ctx, append([]step{{name: "bundle", do: bundleStep}, {name: "front", do: r.frontsAtTheEnd}}, finishSteps()...))
	out.Diagnostics, out.Canceled = now.shown(), ctx.Err() != nil
	if !out.Canceled {
		out.Diagnostics.Add(failures(err)...)
	}
	for i, it := range now.items {
		if len(it.outputs) > 0 {
			out.Bundles = append(out.Bundles, RoundBundle{Name: it.bundle.Name, Outfile: it.bundle.Outfile, Bytes: int64(len(it.file())), Changed: r.kept[i].changed})
		}
	}
	return out
}

// recordLast records what a Check saw last, when that was not done yet.
func (r *Rounds) recordLast(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordingAtTheEnd)
	defer cancel()
	open := r.unrecorded()
	open.keep(open.record(ctx))
}

// frontsAtTheEnd puts the answers that the last Check recorded before the servers that
// it ran, and says which have to do without.
func (r *Rounds) frontsAtTheEnd(_ context.Context, now *run) error {
	for i, k := range r.kept {
		it := now.items[i]
		if !k.changed || !now.fronted(it) {
			continue
		}
		if seen := k.at(); seen != nil && seen.front != nil {
			outputs, err := bundler.WithFront(it.outputs, *seen.front)
			if err == nil {
				if err = it.replace(now, outputs); err != nil {
					return err
				}
				continue
			}
		}
		now.diagnostics.Add(diag.Diagnostic{
			Code: "front-left-out", Level: diag.Warning, Position: diag.Position{File: it.bundle.Outfile},
			Message: "has no front: watch ended before the answers of the last sources were recorded",
			Hint:    "run omcbuild build, which completes it, before you commit",
		})
	}
	return nil
}
