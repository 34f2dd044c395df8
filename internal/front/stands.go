package front

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/surface"
)

// Stands reports whether the answers that were recorded of an earlier server are those
// of the plain one of o, which is built from changed sources. It takes two loads of the
// server instead of the three of surface.Run and Prove, and is right most of the time:
// few changes are of what a server says while it starts. What it returns is the run and
// the proof; nil says that both are to be had in the long way, from their beginning,
// also for the words in which to tell what is wrong. So nothing is lost but time when
// it gives up, and it gives up over anything that is odd.
//
// The current client's conversation is held with the server behind the old answers,
// OMCBUILD_FRONT=prove; the older client's, elsewhere, with the plain
// server, as always. What the long way knows of a server is known here of the same
// bytes:
//
//	what it answers the current client     it heard the old answers, and the server behind them
//	                                       said each of them again to the letter, else the
//	                                       front tells; the rest of the conversation, the
//	                                       checks and the end, is the server's own
//	what it answers elsewhere, and at      the same conversation in the same way
//	what it looks
//	whether those agree, and make a front  the same Record, of both conversations; what it makes
//	                                       has to be what the old answers are, so that even
//	                                       one that nobody asked for here cannot be a false one
//	what it answers another client         asked in the same process, after all else. In the
//	                                       stateless protocol each request says who asks, and
//	                                       only a server of that protocol is tried like this;
//	                                       one that greets its clients is loaded for each
//	that it works behind a front, is       the current client's conversation, which goes on
//	called and ends there                  with the server behind the front, where the other
//	                                       client makes the call of the proof
//	what the front says to the older       started and killed, as in Prove
//	client, and how fast
//	that it works without a front          the conversation elsewhere
//
// Where elsewhere returns what was heard and seen there of a server that does the same until
// it ends, that is not found out again.
//
// Not known is what the third world of Prove would have shown: the long way is gone by
// builds that are frozen, and by every verification.
//
// The bundle behind the old answers comes from fronted. The error is that, or that of
// surface.Run.
func Stands(ctx context.Context, o surface.ProbeOptions, fronted func() ([]byte, error), old *bundler.Front, known Options, elsewhere func() *surface.Elsewhere) (*surface.Probe, *Proof, error) {
	if !slices.ContainsFunc(old.Answers, func(a bundler.FrontAnswer) bool { return a.State == modern }) {
		return nil, nil, nil
	}
	s, err := surface.RunStanding(ctx, o, Proving(o), fronted, elsewhere)
	if s == nil {
		return nil, nil, err
	}
	p, current := s.Probe, s.Probe.Conversations[0]
	recorded, refused := Record(p, known)
	switch {
	case len(refused) > 0 || !reflect.DeepEqual(recorded.Answers, old.Answers):
		return nil, nil, nil
	case len(said(o.FileName, current, p.Conversations[1])) > 0 || len(same(o.FileName, p.Conversations[1], s.Started)) > 0:
		return nil, nil, nil
	case !alike(current.Exchanges, s.Other):
		return nil, nil, nil
	}
	ours := func(line string) bool { return strings.HasPrefix(line, "front: ") }
	current.Record.Stderr = slices.DeleteFunc(current.Record.Stderr, ours)
	p.Stderr = current.Record.Stderr
	return p, &Proof{Initialize: s.Started.Initialize, List: s.Started.List}, nil
}

// alike reports whether another client was answered the same to each of the requests
// that a front may answer.
func alike(heard, other []surface.Exchange) bool {
	for _, e := range heard {
		if e.Method == "tools/call" {
			return true
		}
		if len(other) == 0 {
			return false
		}
		a, okA := marked(e)
		b, okB := marked(other[0])
		if !okA || !okB || a != b || e.Method != other[0].Method {
			return false
		}
		other = other[1:]
	}
	return false
}
