package main

import (
	"context"
	"path/filepath"
	"time"
)

const (
	cheapCall = `{"name":"notepad_stats","arguments":{}}`

	// soon and later are how long a client leaves a server alone between the list and
	// the first call.
	soon  = 100 * time.Millisecond
	later = 500 * time.Millisecond
)

// takeCalling times the first call of a tool: some time after the list, from the
// call to its answer, and right after the list, from the start of the process.
func takeCalling(ctx context.Context, l *lab, want wanted) (figures, error) {
	if err := l.keepCode(ctx); err != nil {
		return nil, err
	}
	return inTurn(ctx, l.rounds, want,
		subject{name: "call after 500 ms", once: l.firstCall(l.shipped(), later)},
		subject{name: "loaded at once, call after 500 ms", once: l.firstCall(l.shipped().eagerly(), later)},
		subject{name: "call after 100 ms", once: l.firstCall(l.shipped(), soon)},
		subject{name: "loaded at once, call after 100 ms", once: l.firstCall(l.shipped().eagerly(), soon)},
		subject{name: "list and call", once: l.firstCall(l.shipped(), 0)},
		subject{name: "list and call, no code kept", once: l.firstCall(server{file: l.shipped().file, env: []string{"NODE_DISABLE_COMPILE_CACHE=1"}}, 0)},
		subject{name: "loaded at once, list and call", once: l.firstCall(l.shipped().eagerly(), 0)})
}

// keepCode has the server run for as long as it takes until its compiled code is kept,
// as one that somebody used before.
func (l *lab) keepCode(ctx context.Context) error {
	o, err := l.open(ctx, l.shipped())
	if err != nil {
		return err
	}
	defer o.client.Close(5 * time.Second)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		kept, _ := filepath.Glob(filepath.Join(l.home(), ".cache", "omcbuild-code", "*[a-z]64"))
		if ctx.Err() != nil || len(kept) > 0 {
			return ctx.Err()
		}
	}
	return nil // where it is kept elsewhere, or not at all
}

// firstCall calls a tool after a pause. Without one, the time is that from the
// start of the process.
func (l *lab) firstCall(s server, pause time.Duration) measure {
	return func(ctx context.Context) (cost, error) {
		o, err := l.open(ctx, s)
		if err != nil {
			return cost{}, err
		}
		defer o.client.Close(5 * time.Second)
		began := o.client.Started()
		if pause > 0 {
			time.Sleep(pause)
			began = time.Now()
		}
		if err := o.ask(ctx, 3, "tools/call", cheapCall); err != nil {
			return cost{}, err
		}
		return cost{wall: time.Since(began)}, nil
	}
}
