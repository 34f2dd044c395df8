package main

import (
	"context"
	"time"
)

const (
	idleFor = 10 * time.Second // how long the watchers are left alone

	// afterwards is how long their outputs must not have changed before: what is done
	// behind the first build, such as running the server, has ended by then.
	afterwards = 6 * time.Second
)

// idleAll starts all watchers, leaves them alone together, and returns how much
// processor time each used a second, with all that it has started.
func idleAll(ctx context.Context, l *lab, watchers []*watcher, names *tokens) figures {
	out, at := figures{}, map[string]*running{}
	defer func() {
		for _, r := range at {
			r.stop()
		}
	}()
	for _, w := range watchers {
		out[w.name] = figure{absent: w.absent}
		if w.absent != "" {
			continue
		}
		r, err := w.start(ctx, l, names)
		if err != nil {
			out[w.name] = figure{absent: err.Error()}
			continue
		}
		at[w.name] = r
	}
	for _, r := range at {
		r.settle(ctx, afterwards)
	}
	for name, used := range idle(ctx, at) {
		out[name] = used
	}
	return out
}

// idle measures what is running while nothing happens.
func idle(ctx context.Context, at map[string]*running) figures {
	out, before := figures{}, map[string]map[string]time.Duration{}
	look := func(take func(name string, used map[string]time.Duration)) {
		for name, r := range at {
			used, err := processorTime(r.process.PID())
			if err != nil {
				out[name] = figure{absent: err.Error()}
				continue
			}
			take(name, used)
		}
	}
	look(func(name string, used map[string]time.Duration) { before[name] = used })
	select {
	case <-time.After(idleFor):
	case <-ctx.Done():
		return nil
	}
	look(func(name string, used map[string]time.Duration) {
		out[name] = figure{values: []float64{milliseconds(since(before[name], used)) / idleFor.Seconds()}}
	})
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
