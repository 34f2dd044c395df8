package main

import (
	"context"
	"time"
)

// idleFor is how long the watchers are left alone.
const idleFor = 10 * time.Second

// idleAll starts all watchers, leaves them alone together, and returns how much
// processor time each used a second, with all that it has started.
func idleAll(ctx context.Context, l *lab, watchers []*watcher, names *tokens) figures {
	out, at, began := figures{}, map[string]*running{}, map[string]map[string]time.Duration{}
	for _, w := range watchers {
		f := figure{absent: w.absent}
		if w.absent == "" {
			r, err := w.start(ctx, l, names)
			if err == nil {
				defer r.stop()
				at[w.name] = r
			} else {
				f.absent = err.Error()
			}
		}
		out[w.name] = f
	}
	for _, r := range at {
		r.settle(ctx, 3*calm)
	}
	for name, r := range at {
		used, err := processorTime(r.process.PID())
		if err != nil {
			out[name] = figure{absent: err.Error()}
		}
		began[name] = used
	}
	select {
	case <-time.After(idleFor):
	case <-ctx.Done():
		return out
	}
	for name, r := range at {
		if used, err := processorTime(r.process.PID()); err != nil {
			out[name] = figure{absent: err.Error()}
		} else {
			out[name] = figure{values: []float64{milliseconds(since(began[name], used)) / idleFor.Seconds()}}
		}
	}
	return out
}

// since adds up what threads have used between two looks; one that has ended
// between them is not counted.
func since(before, after map[string]time.Duration) (used time.Duration) {
	for thread, at := range after {
		used += at - before[thread]
	}
	return used
}
