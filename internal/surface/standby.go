package surface

import (
	"context"
	"slices"
	"sync"

	"omcbuild/internal/process"
)

// Standby are node processes that wait for a bundle which is not there yet: each has
// booted in a folder of its own, and goes on when a conversation is to be held with what
// it waits for. What runs then cannot tell that from a start.
//
// The zero value is empty. A process that nobody took is ended by Close, or by the end
// of the context that it was added with.
type Standby struct {
	mu      sync.Mutex
	waiting []*waiting
}

// waiting is one process, and what it waits for.
type waiting struct {
	options   ProbeOptions
	elsewhere bool
	ready     chan struct{} // closed when the rest is known
	folder    *folder       // nil when it could not be started
	held      *process.Held
}

// Add starts one process for a conversation with options like o, whose Bundle and
// Extra do not matter; elsewhere says whether it is the one that is held there. It does
// not wait for that. Where a process cannot be started or held there is none: what is
// wrong is said by the conversation.
func (s *Standby) Add(ctx context.Context, o ProbeOptions, elsewhere bool) {
	o.setDefaults()
	o.Bundle, o.Extra, o.Standby = nil, nil, nil
	w := &waiting{options: o, elsewhere: elsewhere, ready: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, w)
	go w.start(ctx)
}

// Waits reports whether a process waits for what Add would be called with.
func (s *Standby) Waits(o ProbeOptions, elsewhere bool) bool {
	o.setDefaults()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.waiting, func(w *waiting) bool { return w.fits(&o, elsewhere) })
}

func (w *waiting) start(ctx context.Context) {
	defer close(w.ready)
	if w.options.Launch != nil || w.options.check() != nil {
		return
	}
	f, err := emptyFolder(w.options.TempDir)
	if err != nil {
		return
	}
	command, err := f.start(&w.options, w.elsewhere)
	if err == nil {
		before := len(command.Args) - len(f.command(&w.options).Args)
		w.held, err = process.Hold(ctx, command, before, f.root)
	}
	if err != nil {
		f.Remove()
		return
	}
	w.folder = f
}

// fits reports whether a process waits for what a conversation is to be held with: its
// command depends on nothing else, besides its folder.
func (w *waiting) fits(o *ProbeOptions, elsewhere bool) bool {
	own := &w.options
	return w.elsewhere == elsewhere && (!elsewhere || own.NoteRan == o.NoteRan) && own.Launch == nil && o.Launch == nil && own.Node == o.Node && own.FileName == o.FileName &&
		own.Path == o.Path && own.TempDir == o.TempDir && slices.Equal(own.Args, o.Args) && slices.Equal(own.Env, o.Env)
}

// take lets a process go on for a conversation, whose it is then with its folder. It
// returns nothing when none is there for it, or none that still waits.
func (s *Standby) take(ctx context.Context, o *ProbeOptions, elsewhere bool) (*folder, *process.Process, error) {
	for w := s.next(o, elsewhere); w != nil; w = s.next(o, elsewhere) {
		<-w.ready
		if w.folder == nil {
			continue
		}
		if !w.folder.whole() { // somebody tidied up
			w.end()
			continue
		}
		if err := w.folder.furnish(o); err != nil {
			w.end()
			return nil, nil, err
		}
		if p, err := w.held.Release(ctx); err == nil {
			return w.folder, p, nil
		}
		w.end()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return nil, nil, nil
}

// next removes a process that fits; nil when there is none.
func (s *Standby) next(o *ProbeOptions, elsewhere bool) *waiting {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.waiting, func(w *waiting) bool { return w.fits(o, elsewhere) })
	if i < 0 {
		return nil
	}
	w := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	return w
}

// end ends a process that is not needed, and removes its folder.
func (w *waiting) end() {
	<-w.ready
	if w.folder != nil {
		w.held.Drop()
		w.folder.Remove()
	}
}

// Close ends the processes that nobody took, and returns when they are gone. More may
// be added afterwards.
func (s *Standby) Close() {
	s.mu.Lock()
	left := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, w := range left {
		ending.Go(w.end)
	}
	ending.Wait()
}
