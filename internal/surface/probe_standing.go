package surface

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Standing is a run in which another file stands for the bundle, one that
// is thought to answer by itself what the bundle answers, with the bundle behind it.
type Standing struct {
	// Probe is as Run gives it with Elsewhere, but that its first conversation was held with
	// the other file.
	Probe *Probe
	// Other is what a client that says less of itself and uses other ids was answered at
	// the end of that conversation: its start-up, and a call of a tool that there is not.
	Other []Exchange
	// Started is the start-up of the older client with the other file, which was killed as
	// soon as it had answered.
	Started *Conversation
}

// RunStanding holds the older client's conversation with the bundle of o, elsewhere, and
// the current client's with another file, as told says; then it starts that file
// as the older client does, as o says. The file comes from other, for which the
// conversation elsewhere does not wait. RunStanding returns nil when anything is odd: Run
// says then what it is of the bundle. So it is when the server does not speak the
// stateless protocol, in which each request says who asks. Calls are not made. Where known, which may
// be nil, returns what the conversation elsewhere would show, that is not held. The error
// is that of other, or as that of Run.
func RunStanding(ctx context.Context, o, told ProbeOptions, other func() ([]byte, error), known func() *Elsewhere) (*Standing, error) {
	for _, each := range []*ProbeOptions{&o, &told} {
		if err := each.check(); err != nil {
			return nil, err
		}
		each.setDefaults()
		each.Call = nil
	}
	s := &Standing{Probe: &Probe{Conversations: make([]*Conversation, 2)}}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		alone := o
		if alone.Bundle, err = other(); err != nil {
			return err
		}
		told.Bundle = alone.Bundle
		s.Probe.Conversations[0], err = converse(groupCtx, &told, func(t *talk) {
			t.asCurrentClient()
			if s.Other = t.repeatAsAnother(); s.Other != nil { // while this one comes to its end
				group.Go(func() error { return s.start(groupCtx, &alone) })
			}
		}, nil)
		return err
	})
	group.Go(func() (err error) {
		if known != nil {
			s.Probe.Elsewhere = known()
		}
		if s.Probe.Elsewhere == nil {
			s.Probe.Elsewhere, err = elsewhere(groupCtx, &o)
		}
		return err
	})
	err := group.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case s.Started == nil || s.Probe.Elsewhere.odd(s.Probe.Conversations[0]):
		return nil, nil
	}
	s.Probe.Conversations[1] = s.Probe.Elsewhere.Conversation
	s.Probe.summarise()
	if s.Probe.diagnose(&o); len(s.Probe.Diagnostics) > 0 {
		return nil, nil
	}
	return s, nil
}

// start holds the start-up of the older client.
func (s *Standing) start(ctx context.Context, alone *ProbeOptions) (err error) {
	s.Started, err = converse(ctx, alone, func(t *talk) {
		t.greet()
		t.client.Kill()
	}, nil)
	return err
}

// repeatAsAnother lets another client ask the same in the same process, and returns
// what it was answered; nil when it was not, or cannot be.
func (t *talk) repeatAsAnother() []Exchange {
	if t.failure != nil || !t.Listed || t.Generation != Modern {
		return nil
	}
	held := *t.Conversation
	for _, message := range (Again{Like: &held, Other: true}).messages() {
		if t.repeat(message); t.failure != nil {
			return nil
		}
	}
	other := t.Exchanges[len(held.Exchanges):]
	t.Exchanges = held.Exchanges
	t.Discover, t.List, t.listedAt = held.Discover, held.List, held.listedAt
	return other
}
