package watch

import (
	"context"
	"time"
)

const (
	// slack is how much earlier than the clock the time of a file may be.
	slack = 20 * time.Millisecond
	// pause is how long after a round there has to be no change before the rest.
	pause = 30 * time.Millisecond
)

// loop is one Run. All of it but the work itself happens in one goroutine.
type loop struct {
	ctx    context.Context
	work   Work
	eyes   *eyes
	batch  batch
	job    job
	restAt time.Time // when the rest is due; zero when there is none to do
	since  time.Time // when the first job began after which nothing was looked at; zero is none
}

// job is what of the work is running. The zero value is nothing.
type job struct {
	done       chan struct{} // closed at its end; nil when nothing runs
	cancel     context.CancelFunc
	round      bool // not a rest
	began      time.Time
	given      []string  // of a round: its changes
	first      time.Time // of a round: when the first of them was noticed
	superseded bool      // it was cancelled for newer changes
}

func newLoop(ctx context.Context, work Work, o Options, open func() (notifier, error)) *loop {
	l := &loop{ctx: ctx, work: work, eyes: newEyes(o, open)}
	l.eyes.changed = l.changed
	l.eyes.touched = func() { l.batch.touch(time.Now()) }
	return l
}

func (l *loop) close() {
	if l.job.done != nil {
		l.job.cancel()
		<-l.job.done
	}
	l.eyes.close()
}

// run is the loop. It waits for whatever happens next: the end, an event, the
// end of what runs, or a time at which something is due.
func (l *loop) run() {
	l.batch.all = true
	l.startRound(time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(time.Until(l.next()))
		events, errors := l.eyes.channels()
		select {
		case <-l.ctx.Done():
			return
		case event := <-events:
			l.eyes.event(event)
		case err := <-errors:
			l.eyes.failed(err)
		case <-l.job.done:
			l.finished()
		case <-timer.C:
			l.act(time.Now())
		}
	}
}

// next is when something is due.
func (l *loop) next() time.Time {
	next := l.eyes.next()
	if l.ready() {
		next = earlier(next, l.batch.due(l.paces()))
	}
	if l.idle() && !l.restAt.IsZero() {
		next = earlier(next, l.restAt)
	}
	return next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// waiting reports whether a batch waits to be settled.
func (l *loop) waiting() bool { return !l.batch.first.IsZero() }

// idle reports whether nothing runs and no batch waits.
func (l *loop) idle() bool { return l.job.done == nil && !l.waiting() }

// ready reports whether a batch waits that can be taken up: not during a round,
// and not before the rest that was cancelled for it has ended.
func (l *loop) ready() bool { return l.waiting() && !l.job.round && !l.job.superseded }

func (l *loop) paces() pace {
	if l.eyes.poll > 0 {
		return pollPace()
	}
	return eventPace()
}

// act does what is due.
func (l *loop) act(now time.Time) {
	l.eyes.act(now, l.job.round || l.waiting())
	if l.ready() && !l.batch.due(l.paces()).After(now) {
		l.settled(now)
	}
	if l.idle() && !l.restAt.IsZero() && !l.restAt.After(now) {
		l.startRest()
	}
}

// settled begins a round with the batch, unless there is a reason to wait on.
func (l *loop) settled(now time.Time) {
	p, age := l.paces(), now.Sub(l.batch.first)
	more := l.eyes.confirm()
	switch {
	case more && age < p.bound:
	case l.batch.empty():
		l.batch.take(now) // folders moved, and that was all
	case age < p.hold && l.eyes.incomplete(l.batch.paths):
		l.batch.touch(now)
	case l.job.done == nil:
		l.startRound(now)
	}
}

// changed notes that a path changed, "" for any. What runs ends in favour of it,
// unless it may have written the path itself: a rest always, a round unless
// changes have been coming for long.
func (l *loop) changed(path string) {
	now := time.Now()
	l.batch.add(now, path)
	if l.eyes.own(path) {
		return
	}
	if j := &l.job; j.done != nil && !j.superseded && (!j.round || now.Sub(j.first) < l.paces().bound) {
		j.superseded = true
		j.cancel()
	}
}

func (l *loop) startRound(now time.Time) {
	first := l.batch.first
	if first.IsZero() {
		first = now
	}
	given := l.batch.take(now)
	l.restAt = time.Time{}
	l.start(job{round: true, given: given, first: first}, func(ctx context.Context) { l.work.Round(ctx, given) })
}

func (l *loop) startRest() {
	l.restAt = time.Time{}
	l.start(job{}, l.work.Rest)
}

func (l *loop) start(j job, do func(context.Context)) {
	ctx, cancel := context.WithCancel(l.ctx)
	done := make(chan struct{})
	j.done, j.cancel, j.began = done, cancel, time.Now()
	l.job = j
	go func() {
		defer close(done)
		do(ctx)
	}()
}

// finished looks at what the work was done from, and plans what comes next.
func (l *loop) finished() {
	j := l.job
	j.cancel()
	l.job = job{}
	if l.ctx.Err() != nil {
		return
	}
	if l.since.IsZero() {
		l.since = j.began
	}
	if j.superseded {
		// There is no time to lose, and a round follows.
		if j.round {
			l.batch.restore(j.first, j.given)
		}
		return
	}
	l.eyes.look(l.work.Watched(), l.since.Add(-slack))
	l.since = time.Time{}
	if j.round {
		l.restAt = time.Now().Add(pause)
	}
}
