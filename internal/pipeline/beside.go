package pipeline

import (
	"context"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/typecheck"
)

// companions are the steps of a run that go on beside the others.
type companions struct {
	run   *run
	going []*companion // in the order in which they were started
}

// companion is one step that goes on beside others.
type companion struct {
	place  int // in the steps of the run
	cancel context.CancelFunc
	done   chan struct{} // closed once the rest is known
	found  diag.List
	err    error
	took   time.Duration
}

func (c *companions) start(ctx context.Context, s step, place int) {
	ctx, cancel := context.WithCancel(ctx)
	one := &companion{place: place, cancel: cancel, done: make(chan struct{})}
	c.going = append(c.going, one)
	go func() {
		defer close(one.done)
		began := time.Now()
		one.found, one.err = s.beside(ctx, c.run)
		one.took = time.Since(began)
	}()
}

// wait waits for all of them and adds what they found to the run.
func (c *companions) wait() error {
	for len(c.going) > 0 {
		one := c.going[0]
		<-one.done
		one.cancel()
		c.going = c.going[1:]
		c.run.steps[one.place].Duration = one.took
		c.run.diagnostics.Add(one.found...)
		if err := c.run.absorb(one.err); err != nil {
			return err
		}
	}
	return nil
}

// giveUp ends those that nobody waits for any more, and returns when they are gone.
func (c *companions) giveUp() {
	for _, one := range c.going {
		one.cancel()
	}
	for _, one := range c.going {
		<-one.done
		c.run.steps[one.place].Skipped = "given up"
	}
	c.going = nil
}

// typecheckBeside runs the project's compiler over all that its bundles are made of.
func typecheckBeside(ctx context.Context, r *run) (diag.List, error) {
	defer r.machine.slot()()
	o := typecheck.Options{Root: r.project.Root, Node: r.machine.Node, Env: r.machine.Env, CacheDir: projectCache(r.cacheDir, r.project.Root)}
	if within := r.project.Within; within != nil {
		o.Top = within.Root
	}
	for _, b := range r.project.Bundles {
		o.Entries = append(o.Entries, b.Entry)
	}
	return typecheck.Check(ctx, o)
}
