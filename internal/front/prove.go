package front

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
	"omcbuild/internal/surface"
)

// Proof is how a bundle with a front started.
type Proof struct {
	Initialize, List time.Duration // from the start of the process to the answers, as the older client heard them
}

// Prove starts a bundle with its front, o.Bundle, twice, in new folders: as another
// client in a third world, where the server behind the front has to say again what the
// front said and then gets a call; and as the older client of the run p, here, to which it
// has to say what the server alone said. Where the third world shows more than another
// answer, that other client is heard here as well. The list says what kept it from being proved: warnings (codes
// front-refused) where the server is the reason, and an error where the front is. The
// error is that of surface.Run.
func Prove(ctx context.Context, o surface.ProbeOptions, p *surface.Probe) (*Proof, diag.List, error) {
	var started, other *surface.Conversation
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		started, err = surface.HoldAgain(groupCtx, o, surface.Again{Like: p.Conversations[1]})
		return err
	})
	group.Go(func() (err error) {
		other, err = heardAgain(groupCtx, o, p, true)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	list := same(o.FileName, p.Conversations[1], started)
	found, err := fromAnother(ctx, o, p, other)
	if err == nil && found.HasErrors() {
		if other, err = heardAgain(ctx, o, p, false); err == nil {
			found, err = fromAnother(ctx, o, p, other)
		}
		if err == nil && len(found) == 0 {
			found.Add(Refused(o.FileName, "on another system it does not start or end as on this one"))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	list.Add(found...)
	return &Proof{Initialize: started.Initialize, List: started.List}, list, nil
}

// heardAgain lets another client hear what the front says and then the server behind it.
func heardAgain(ctx context.Context, o surface.ProbeOptions, p *surface.Probe, third bool) (*surface.Conversation, error) {
	return surface.HoldAgain(ctx, Proving(o), surface.Again{Like: p.Conversations[0], Other: true, Third: third})
}

// fromAnother judges what another client has heard.
func fromAnother(ctx context.Context, o surface.ProbeOptions, p *surface.Probe, other *surface.Conversation) (diag.List, error) {
	if other.Err() == nil {
		return said(o.FileName, other, p.Conversations[0]), nil
	}
	alone, err := surface.HoldAgain(ctx, switched(o, "0"), surface.Again{Like: p.Conversations[0], Other: true})
	if err != nil {
		return nil, err
	}
	return diag.List{endedEarly(o.FileName, other, alone)}, nil
}

// endedEarly says whose fault it is that another client was not answered: that of
// the server, when it does not answer it without a front either.
func endedEarly(file string, other, alone *surface.Conversation) diag.Diagnostic {
	if what := alone.Err(); what != nil {
		return Refused(file, "it does not answer a client that says less of itself: "+what.Error())
	}
	return broken(file, "a conversation as another client ended early, "+other.Err().Error())
}

// Proving are the options with which the server behind a front says again what the front
// said.
func Proving(o surface.ProbeOptions) surface.ProbeOptions { return switched(o, "prove") }

// switched are the options with the front told how to behave. What it tells on stderr
// is kept, however much the server writes there.
func switched(o surface.ProbeOptions, how string) surface.ProbeOptions {
	o.Env = append(slices.Clone(o.Env), Switch+"="+how)
	o.Limits.StderrLines = 5000
	return o
}

// said reads what the front tells of the server behind it, which is to end as it did alone.
func said(file string, c, alone *surface.Conversation) diag.List {
	const otherwise = "the server answers "
	var refusal []string
	proved := false
	for _, line := range c.Record.Stderr {
		text, ours := strings.CutPrefix(line, "front: ")
		switch {
		case !ours:
		case strings.HasSuffix(text, " are the same"):
			proved = true
		case strings.HasPrefix(text, otherwise):
			refusal = append(refusal, "another client hears something else at another time on another system: "+stdio.Visible([]byte(strings.TrimPrefix(text, otherwise)), 300))
		case strings.HasPrefix(text, "the server did not say again"):
			refusal = append(refusal, stdio.Visible([]byte(text), 300))
		}
	}
	switch {
	case len(refusal) > 0:
		return diag.List{Refused(file, refusal...)}
	case !proved:
		return diag.List{broken(file, "the server behind it was not heard")}
	case (c.Exit.LeftBehind() || !c.Exit.Success()) && !endsAlike(c.Exit, alone.Exit):
		return diag.List{broken(file, "it ends with "+c.Exit.String())}
	}
	return nil
}

func endsAlike(a, b stdio.Exit) bool {
	return a.String() == b.String() && a.Step == b.Step && a.LeftBehind() == b.LeftBehind()
}

// same compares the answers of a start with those of the server alone.
func same(file string, alone, started *surface.Conversation) (list diag.List) {
	if err := started.Err(); err != nil {
		return diag.List{broken(file, err.Error())}
	}
	heard := map[string]string{}
	for _, e := range alone.Exchanges {
		if line, ok := marked(e); ok {
			heard[request(e)] = line
		}
	}
	for _, e := range started.Exchanges {
		if line, _ := marked(e); line != heard[request(e)] {
			return diag.List{broken(file, fmt.Sprintf("%s is answered otherwise than by the server alone", e.Method))}
		}
	}
	return nil
}

func broken(file, what string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: "front-broken", Position: diag.Position{File: file},
		Message: "does not work with a front, and works without: " + what,
		Hint:    "set front to false",
	}
}
