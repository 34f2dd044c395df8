package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestWhenABatchHasSettled says after how many milliseconds a batch is taken up.
func TestWhenABatchHasSettled(t *testing.T) {
	p := eventPace()
	every := func(n int, gap time.Duration) []time.Duration {
		var at []time.Duration
		for i := range n {
			at = append(at, time.Duration(i)*gap)
		}
		return at
	}
	cases := map[string]struct {
		calm time.Duration   // since the last burst; 0 is never
		at   []time.Duration // of changes, each of another file
		want time.Duration
	}{
		"one save":                      {at: every(1, 0), want: p.lone},
		"two files":                     {at: every(2, time.Millisecond), want: time.Millisecond + p.lone},
		"all files of an editor":        {at: every(5, time.Millisecond), want: 4*time.Millisecond + p.few},
		"a generator":                   {at: every(300, time.Millisecond), want: 299*time.Millisecond + p.many},
		"a generator that never pauses": {at: every(1000, 5*time.Millisecond), want: p.bound},
		"one file after a generator":    {calm: 50 * time.Millisecond, at: every(1, 0), want: p.many},
		"one file long after":           {calm: time.Second, at: every(1, 0), want: p.lone},
	}
	start := time.Unix(1_000_000, 0)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b batch
			if c.calm > 0 {
				b.calm = start.Add(-c.calm)
			}
			for i, at := range c.at {
				b.add(start.Add(at), fmt.Sprint(i))
			}
			if got := b.due(p).Sub(start); got != c.want {
				t.Errorf("due after %v, want %v", got, c.want)
			}
		})
	}
}

// TestACancelledRoundGivesBack puts its changes together with the newer ones.
func TestACancelledRoundGivesBack(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	var b batch
	b.add(start, "b")
	given := b.take(start.Add(time.Millisecond))
	b.add(start.Add(time.Second), "a")
	b.restore(start, given)
	if b.first != start || b.last != start.Add(time.Second) {
		t.Errorf("from %v to %v", b.first, b.last)
	}
	if got := b.take(start); !slices.Equal(got, []string{"a", "b"}) || !b.empty() {
		t.Errorf("took %v", got)
	}
	b.add(start, "a")
	b.restore(start, nil)
	if got := b.take(start); got != nil {
		t.Errorf("took %v of what may be anything", got)
	}
}
