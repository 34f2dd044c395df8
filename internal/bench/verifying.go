package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"omcbuild/internal/process"
)

// round is what is read of a line of omcbuild watch --json.
type round struct {
	Kind    string
	Bundles []struct {
		Name string
		Ran  bool
	}
}

// verified reports whether the server `t` has run and answered in the round.
func (r round) verified() bool {
	for _, b := range r.Bundles {
		if b.Name == "t" && b.Ran {
			return true
		}
	}
	return false
}

// takeVerifying times a save up to the line of omcbuild watch --json which says
// that the new server has run and offers what it should.
func takeVerifying(ctx context.Context, l *lab, want wanted) (figures, error) {
	c, err := l.changing("verified", atTop)
	if err != nil {
		return nil, err
	}
	p, err := process.Start(ctx, l.command(c.folder, l.omcbuild, "watch", "--json"))
	if err != nil {
		return nil, err
	}
	defer p.Stop(0)
	go last(p.Stderr())
	rounds := make(chan round, 100)
	go readRounds(p.Stdout(), rounds)
	if err := nextVerified(ctx, rounds, startPatience); err != nil {
		return nil, fmt.Errorf("omcbuild watch --json: first build: %w", err)
	}
	once := func(save func(string) error) measure {
		return func(ctx context.Context) (cost, error) {
			time.Sleep(thinking)
			for len(rounds) > 0 {
				<-rounds
			}
			began := time.Now()
			if err := save(c.tokens.next()); err != nil {
				return cost{}, err
			}
			err := nextVerified(ctx, rounds, savePatience)
			return cost{wall: time.Since(began)}, err
		}
	}
	return inTurn(ctx, l.rounds, want,
		subject{name: "plain save", once: once(c.source.save)},
		subject{name: "atomic save", once: once(c.source.replace)})
}

// readRounds sends the lines of a stream on, and closes the channel at its end.
func readRounds(stdout io.Reader, rounds chan<- round) {
	defer close(rounds)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r round
		if json.Unmarshal(lines.Bytes(), &r) == nil {
			rounds <- r
		}
	}
}

// nextVerified waits for a round in which the server was verified.
func nextVerified(ctx context.Context, rounds <-chan round, patience time.Duration) error {
	deadline := time.After(patience)
	for {
		select {
		case r, open := <-rounds:
			if !open {
				return fmt.Errorf("it ended")
			}
			if r.verified() {
				return nil
			}
		case <-deadline:
			return fmt.Errorf("no verified server in %v", patience)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
