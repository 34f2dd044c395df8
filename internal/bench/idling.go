package main

import (
	"context"
	"time"
)

const (
	// idleSpans are how often the watchers are left alone, and idleFor how long each time;
	// the median counts, because something that a start has left may fall into one of them.
	idleSpans = 3
	idleFor   = 4 * time.Second

	// A watcher that uses more than atWork, in milliseconds a second, is still busy with
	// what it does behind its first build, such as running the server. All of them have
	// rested when none has been for restSpans in a row.
	atWork       = 50
	restSpans    = 2
	restFor      = 3 * time.Second
	restPatience = time.Minute
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
	rest(ctx, at)
	for name, used := range idle(ctx, at) {
		out[name] = used
	}
	return out
}

// rest waits until nothing works any more, but not for ever.
func rest(ctx context.Context, at map[string]*running) {
	deadline := time.Now().Add(restPatience)
	for quiet := 0; quiet < restSpans && time.Now().Before(deadline) && ctx.Err() == nil; quiet++ {
		for _, used := range span(ctx, at, restFor) {
			if median.of(used.values) > atWork {
				quiet = -1
			}
		}
	}
}

// idle is what each uses while nothing happens, in milliseconds a second.
func idle(ctx context.Context, at map[string]*running) figures {
	out := figures{}
	for range idleSpans {
		for name, used := range span(ctx, at, idleFor) {
			out[name] = figure{values: append(out[name].values, used.values...), absent: used.absent}
		}
	}
	for name, used := range out {
		if used.absent == "" {
			out[name] = figure{values: []float64{median.of(used.values)}}
		}
	}
	return out
}

// span is what each uses in a span of time, in milliseconds a second.
func span(ctx context.Context, at map[string]*running, length time.Duration) figures {
	out, before := figures{}, map[string]map[string]time.Duration{}
	for name, r := range at {
		before[name], _ = processorTime(r.process.PID())
	}
	select {
	case <-time.After(length):
	case <-ctx.Done():
		return nil
	}
	for name, r := range at {
		used, err := processorTime(r.process.PID())
		if err != nil {
			out[name] = figure{absent: err.Error()}
			continue
		}
		out[name] = figure{values: []float64{milliseconds(since(before[name], used)) / length.Seconds()}}
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
