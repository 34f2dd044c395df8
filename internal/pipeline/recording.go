package pipeline

import (
	"context"
	"sync"
	"time"

	"omcbuild/bundler"
	"omcbuild/internal/front"
)

// recordingAtTheEnd is how long a recording may take when watching ends. A server that is
// recorded then has listed its tools before.
const recordingAtTheEnd = 3 * time.Second

// Record runs the servers that a Check found good and that are to have a front, as build
// does, and keeps what they answered for Settle and Finish. It finds nothing to say: where
// it does not go well, Settle says so.
func (r *Rounds) Record(ctx context.Context) {
	r.mu.Lock()
	open := r.unrecorded()
	r.mu.Unlock()
	seen := open.record(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		open.keep(seen)
	}
}

// recordings are the bundles to record.
type recordings struct {
	run   *run
	items []*item
	kept  []*kept
	seen  []*sighting // what is known of them
}

// unrecorded are the bundles in place that a Check found good and whose answers were not
// recorded.
func (r *Rounds) unrecorded() *recordings {
	open := &recordings{}
	if !r.o.Verify || r.project == nil || len(r.broken) > 0 {
		return open
	}
	open.run = newBuildRun(r.project, r.o)
	open.run.watching, open.run.linked = true, true
	for i, k := range r.kept {
		seen := k.at()
		if seen == nil || seen.recorded || len(k.failed) > 0 {
			continue
		}
		it := open.run.items[i]
		it.outputs = k.placed.Outputs
		open.items, open.kept, open.seen = append(open.items, it), append(open.kept, k), append(open.seen, seen)
	}
	return open
}

// record runs them, all at once.
func (o *recordings) record(ctx context.Context) []*sighting {
	seen := make([]*sighting, len(o.items))
	var running sync.WaitGroup
	for i, it := range o.items {
		running.Go(func() { seen[i] = o.run.recordOne(ctx, it, o.seen[i]) })
	}
	running.Wait()
	return seen
}

func (r *run) recordOne(ctx context.Context, it *item, before *sighting) *sighting {
	seen := &sighting{of: before.of, probe: before.probe, recorded: true}
	list, err := r.hear(ctx, it)
	if err != nil || it.probe == nil || list.HasErrors() {
		return seen
	}
	var recorded *bundler.Front
	if recorded, _ = front.Record(it.probe, r.frontOptions(it)); recorded != nil {
		seen.front, seen.probe = recorded, it.probe
	}
	return seen
}

// keep remembers what was recorded of bundles that are still in place.
func (o *recordings) keep(seen []*sighting) {
	for i, k := range o.kept {
		if k.seen == o.seen[i] {
			k.seen = seen[i]
		}
	}
}
