package main

import (
	"context"
	"math"
	"slices"
	"time"
)

const (
	// informed is how many rounds are enough for what no limit depends on; half of those
	// that were asked for are too, if they are fewer.
	informed = 5

	// mostTimes bounds the rounds that are added while a row is too noisy to judge: all
	// of them together are at most so many times those that were asked for.
	mostTimes = 3

	// moreFor bounds the time for that; rounds that have begun are ended.
	moreFor = 30 * time.Second
)

// wanted are the rows that were asked for, and the figures that they are made of.
type wanted struct {
	rows   []row
	names  map[string]bool
	limits map[string]bool // those that a limit depends on
}

func (w wanted) needs(name string) bool { return w.names[name] }

// subject is one thing to time.
type subject struct {
	name   string
	absent string // why it cannot be timed here, "" when it can
	once   measure
}

// measure runs something once.
type measure func(context.Context) (cost, error)

// turns times subjects in turn.
type turns struct {
	subjects []subject
	taken    figures
	back     bool // the next round begins with the last subject
}

// inTurn times all subjects that are needed in turn, n times, back and forth, so
// that none of them always comes after the same other. One round before that is not
// counted: it fills caches. While a row is too noisy to judge, more rounds of its
// subjects follow, up to a bound. A subject that fails is left out from then on, and
// its figure says why.
func inTurn(ctx context.Context, n int, want wanted, subjects ...subject) (figures, error) {
	t := turns{subjects: subjects, taken: figures{}}
	if err := t.round(ctx, want.needs, false); err != nil {
		return nil, err
	}
	for round := range n {
		chosen := want.needs
		if round >= min(informed, (n+1)/2) {
			chosen = func(name string) bool { return want.limits[name] }
		}
		if err := t.round(ctx, chosen, true); err != nil {
			return nil, err
		}
	}
	return t.taken, t.more(ctx, n, want)
}

// more adds rounds while there are rows that cannot be judged. It looks again after
// some rounds only: who looks after each one will sooner or later see what he likes.
func (t *turns) more(ctx context.Context, n int, want wanted) error {
	if n < fewest {
		return nil // a trial
	}
	some := (n + 1) / 2
	deadline := time.Now().Add(moreFor)
	for done := n; done+some <= mostTimes*n && time.Now().Before(deadline); done += some {
		unsure := want.unsure(t.taken)
		if len(unsure) == 0 {
			return nil
		}
		for range some {
			if err := t.round(ctx, func(name string) bool { return unsure[name] }, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// round times the subjects that are chosen once each.
func (t *turns) round(ctx context.Context, chosen func(string) bool, counts bool) error {
	order := slices.Clone(t.subjects)
	if t.back {
		slices.Reverse(order)
	}
	t.back = !t.back
	for _, s := range order {
		f := t.taken[s.name]
		switch {
		case f.absent != "":
		case !chosen(s.name) && counts:
			f = f.passed()
		case !chosen(s.name):
		case s.absent != "":
			f.absent = s.absent
		default:
			f = f.timed(ctx, s, counts)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t.taken[s.name] = f
	}
	return nil
}

// timed adds one more value.
func (f figure) timed(ctx context.Context, s subject, counts bool) figure {
	took, err := s.once(ctx)
	if err != nil {
		return figure{absent: err.Error()}
	}
	if !counts {
		return f
	}
	f.values, f.paired = append(f.values, milliseconds(took.wall)), true
	if took.cpu > 0 || len(f.cpu) > 0 {
		f.cpu = append(f.cpu, milliseconds(took.cpu))
	}
	return f
}

// passed adds a round in which nothing was taken.
func (f figure) passed() figure {
	if len(f.values) > 0 {
		f.values = append(f.values, math.NaN())
	}
	if len(f.cpu) > 0 {
		f.cpu = append(f.cpu, math.NaN())
	}
	return f
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
