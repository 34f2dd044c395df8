package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const (
	// quietLoop is how long an empty Node loop takes at most, in milliseconds, on a
	// machine for which the limits of absolute times are meant.
	quietLoop = 80

	// restless is how much longer than a quick one of them a slow one of them may take
	// (the third quarter against the first) where nothing else runs.
	restless = 1.25

	// looks is how often it is started each time that the machine is looked at.
	looks = 9
)

// state is how fast the machine was around some measurement: how long an empty Node
// loop took from its start to its answers, in milliseconds.
type state struct{ times []float64 }

func (s state) and(t state) state { return state{slices.Concat(s.times, t.times)} }

// unrest says what is wrong with the machine, "" when it is calm or was not looked at.
func (s state) unrest() string {
	if len(s.times) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(s.times))
	middle, quick, slow := median.of(sorted), sorted[len(sorted)/4], sorted[len(sorted)*3/4]
	switch {
	case middle > quietLoop:
		return fmt.Sprintf("an empty Node loop takes %.0f ms here, up to %d ms are meant", middle, quietLoop)
	case slow > quick*restless:
		return fmt.Sprintf("an empty Node loop takes now %.0f, now %.0f ms", quick, slow)
	}
	return ""
}

// text is the state in words.
func (s state) text() string {
	return fmt.Sprintf("%.1f ms (%.1f to %.1f)", median.of(s.times), slices.Min(s.times), slices.Max(s.times))
}

// look takes the state of the machine.
func (l *lab) look(ctx context.Context) (state, error) {
	file := filepath.Join(l.work, "look.cjs")
	if err := os.WriteFile(file, []byte("const initialized = '{}', listed = '{}';\n"+emptyLoop), 0o600); err != nil {
		return state{}, err
	}
	var s state
	for i := range looks + 1 {
		o, err := l.open(ctx, server{file: file})
		if err != nil {
			return state{}, err
		}
		o.client.Close(0)
		if i > 0 {
			s.times = append(s.times, milliseconds(o.listed.wall))
		}
	}
	return s, nil
}

// betweenWords says how the machine was before, between and after the groups of a run.
func betweenWords(states []state) string {
	first, last, all := states[0], states[len(states)-1], state{}
	for _, s := range states {
		all = all.and(s)
	}
	words := fmt.Sprintf("An empty Node loop answered after %s before all of this, and after %s at the end", first.text(), last.text())
	if unrest := all.unrest(); unrest != "" {
		return words + ". The machine was not calm: " + unrest + "."
	}
	return words + "."
}
