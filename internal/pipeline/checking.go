package pipeline

import (
	"context"
	"time"

	"omcbuild/bundler"
)

// Check runs the servers that are in place, as far as they were not run yet, up to the
// list of their tools, and compares that with the lock files. It looks at nothing that
// depends on the form of a bundle, since a quick round makes another: that is left to
// Settle, and so are what the sources declare, what an older client sees, and how a server
// ends. It returns nil when there is nothing to run, and as long as some sources do not
// build.
func (r *Rounds) Check(ctx context.Context) *RoundResult {
	began := time.Now()
	now, placed := r.checking()
	if now == nil {
		return nil
	}
	defer r.standBy(now)
	out := &RoundResult{Kind: RoundChecked}
	err := now.do(ctx, []step{{name: "run", do: runStep, goOn: whatever}, {name: "check", do: listedStep}})
	if out.Canceled = ctx.Err() != nil; out.Canceled {
		return out
	}
	out.Diagnostics = now.shown()
	out.Diagnostics.Add(failures(err)...)
	for _, it := range now.items {
		b := RoundBundle{Name: it.bundle.Name, Outfile: it.bundle.Outfile, Bytes: int64(len(it.file()))}
		if it.probe != nil {
			b.Ran, b.Tools, b.Locked = it.probe.Listed(), len(it.probe.Surface.Tools), it.lock != nil
		}
		out.Bundles, out.Changes = append(out.Bundles, b), append(out.Changes, it.changes...)
	}
	r.saw(ctx, now, placed)
	out.Duration = time.Since(began)
	return out
}

func whatever(*run) bool { return true }

// checking prepares a Check of the bundles that are in place, which it returns too; nil
// when there is none to do.
func (r *Rounds) checking() (*run, []*bundler.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.unchecked || !r.o.Verify || r.project == nil || len(r.broken) > 0 {
		return nil, nil
	}
	now := newBuildRun(r.project, r.o)
	now.watching, now.linked, now.glancing, now.standby = true, true, true, &r.standby
	servers := false
	var placed []*bundler.Result
	for i, k := range r.kept {
		if k.placed == nil || len(k.failed) > 0 {
			return nil, nil
		}
		it := now.items[i]
		it.outputs = k.placed.Outputs
		if seen := k.at(); seen != nil {
			it.heard = seen.probe
		}
		servers, placed = servers || it.mcp(), append(placed, k.placed)
	}
	if !servers {
		return nil, nil
	}
	return now, placed
}

// standBy has a process wait for the next Check of each server. In a repository of several
// plugins only those get one that were touched.
func (r *Rounds) standBy(now *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life.Err() != nil || r.project != now.project || !r.saved && r.project.Within != nil {
		return
	}
	for _, it := range now.items {
		if o := now.startOptions(it); it.mcp() && !r.standby.Waits(o, false) {
			r.standby.Add(r.life, o, false)
		}
	}
}

// listedStep looks at what the servers listed, as far as their sources have no say in
// it.
func listedStep(_ context.Context, r *run) error {
	for _, it := range r.items {
		if it.probe == nil {
			continue
		}
		list, err := r.surfaceChecks(it)
		if err != nil {
			return err
		}
		list.Add(r.leaked(it)...)
		it.faults = it.faults || list.HasErrors()
		r.diagnostics.Add(list...)
	}
	return nil
}

// saw remembers what a Check saw of bundles, unless others are in place by now.
func (r *Rounds) saw(ctx context.Context, now *run, placed []*bundler.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || len(r.kept) != len(now.items) {
		return
	}
	for i, k := range r.kept {
		switch it := now.items[i]; {
		case it.probe == nil || it.faults:
			k.seen = nil
		case it.heard == nil:
			k.seen = &sighting{of: placed[i], probe: it.probe, recorded: !now.fronted(it)}
		}
	}
	r.unchecked = false
}
