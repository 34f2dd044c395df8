package main

import (
	"context"
	"time"
)

const (
	cheapCall = `{"name":"notepad_stats","arguments":{}}`

	// later is how long a client leaves a server alone between the list and the
	// first call, at the least.
	later = 500 * time.Millisecond
)

// takeCalling times the first call of a tool: some time after the list, from the
// call to its answer, and right after the list, from the start of the process.
func takeCalling(ctx context.Context, l *lab, need wanted) (figures, error) {
	return inTurn(ctx, l.rounds, need,
		subject{name: "call after 500 ms", once: l.firstCall(l.shipped(), later)},
		subject{name: "loaded at once, call after 500 ms", once: l.firstCall(l.shipped().eagerly(), later)},
		subject{name: "list and call", once: l.firstCall(l.shipped(), 0)},
		subject{name: "loaded at once, list and call", once: l.firstCall(l.shipped().eagerly(), 0)})
}

// firstCall calls a tool after a pause. Without one, the time is that from the
// start of the process.
func (l *lab) firstCall(s server, pause time.Duration) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		o, err := l.open(ctx, s)
		if err != nil {
			return 0, err
		}
		defer o.client.Close(5 * time.Second)
		began := o.client.Started()
		if pause > 0 {
			time.Sleep(pause)
			began = time.Now()
		}
		if err := o.ask(ctx, 3, "tools/call", cheapCall); err != nil {
			return 0, err
		}
		return time.Since(began), nil
	}
}
