package main

import (
	"context"
	"time"
)

// wanted says whether a figure is needed by a row that was asked for.
type wanted func(name string) bool

// subject is one thing to time.
type subject struct {
	name   string
	absent string // why it cannot be timed here, "" when it can
	once   func(context.Context) (time.Duration, error)
}

// inTurn times all subjects that are needed in turn, n times. One round before
// that is not counted: it fills caches. A subject that fails is left out from
// then on, and its figure says why.
func inTurn(ctx context.Context, n int, need wanted, subjects ...subject) (figures, error) {
	out := figures{}
	for round := range n + 1 {
		for _, s := range subjects {
			f := out[s.name]
			if f.absent != "" || !need(s.name) {
				continue
			}
			if f.absent = s.absent; f.absent == "" {
				f = f.taken(ctx, s, round > 0)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out[s.name] = f
		}
	}
	return out, nil
}

// taken adds one more value.
func (f figure) taken(ctx context.Context, s subject, counts bool) figure {
	took, err := s.once(ctx)
	if err != nil {
		return figure{absent: err.Error()}
	}
	if counts {
		f.values, f.paired = append(f.values, milliseconds(took)), true
	}
	return f
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
