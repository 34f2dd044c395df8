package watch

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// slack is how much earlier than the clock the time of a file may be.
	slack = 20 * time.Millisecond
	// pause is how long after a round began there has to be no other before the rest.
	// Who tries things out saves every second or faster, and a rest that is begun
	// between two such saves is given up at the second, having slowed it down.
	pause = time.Second
)

// loop is one Run. All of it but the work itself happens in one goroutine.
type loop struct {
	ctx     context.Context
	work    Work
	eyes    *eyes
	batch   batch
	job     job
	left    sync.WaitGroup // jobs that were given up and have not ended
	checkIt bool           // a check is due
	written []string       // products that are others now, for when there is nothing else to do
	restAt  time.Time      // when the rest is due; zero when there is none to do
	since   time.Time      // when the first job began after which nothing was looked at; zero is none
}

// job is what of the work is running. The zero value is nothing.
type job struct {
	done       chan struct{} // closed at its end; nil when nothing runs
	cancel     context.CancelFunc
	round      bool // not a check or a rest, which give way
	began      time.Time
	given      []string  // of a round: its changes
	first      time.Time // of a round: when the first of them was noticed
	superseded bool      // of a round: it was cancelled for newer changes
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
	l.left.Wait()
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
		case event, open := <-events:
			l.eyes.hears(open, func() { l.eyes.event(event) })
		case err, open := <-errors:
			l.eyes.hears(open, func() { l.eyes.failed(err) })
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
	switch {
	case !l.idle():
	case l.checkIt:
		next = time.Time{}
	case !l.restAt.IsZero():
		next = earlier(next, l.restAt)
	case len(l.written) > 0:
		next = time.Time{}
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

// ready reports whether a batch waits that can be taken up: not during a round.
func (l *loop) ready() bool { return l.waiting() && !l.job.round }

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
	switch {
	case !l.idle():
	case l.checkIt:
		l.checkIt = false
		l.start(job{}, l.work.Check)
	case !l.restAt.IsZero() && !l.restAt.After(now):
		l.restAt = time.Time{}
		l.start(job{}, l.work.Rest)
	case l.restAt.IsZero():
		for _, path := range l.written {
			l.batch.add(now, path)
		}
		l.written = nil
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
// unless it may have written the path itself: a check and a rest always, a round
// unless changes have been coming for long.
func (l *loop) changed(path string) {
	if l.eyes.set.product(path) {
		if !slices.Contains(l.written, path) {
			l.written = append(l.written, path)
		}
		return
	}
	now := time.Now()
	l.batch.add(now, path)
	if l.eyes.set.own(path) {
		return
	}
	switch j := &l.job; {
	case j.done == nil || j.superseded:
	case !j.round:
		l.giveUp()
	case now.Sub(j.first) < l.paces().bound:
		j.superseded = true
		j.cancel()
	}
}

// giveUp ends a check or a rest, and does not wait until it has ended. A round follows,
// and then they are due again.
func (l *loop) giveUp() {
	j := l.job
	j.cancel()
	l.left.Go(func() { <-j.done })
	l.job = job{}
	l.ended(j)
}

func (l *loop) startRound(now time.Time) {
	first := l.batch.first
	if first.IsZero() {
		first = now
	}
	given := l.batch.take(now)
	l.checkIt, l.restAt = false, time.Time{}
	l.start(job{round: true, given: given, first: first}, func(ctx context.Context) { l.work.Round(ctx, given) })
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
	l.ended(j)
	if j.superseded { // there is no time to lose, and a round follows
		l.batch.restore(j.first, j.given)
		return
	}
	l.eyes.look(l.work.Watched(), l.since.Add(-slack))
	l.since = time.Time{}
	if j.round {
		l.checkIt, l.restAt = true, j.began.Add(pause)
	}
}

// ended notes since when changes may have been overlooked.
func (l *loop) ended(j job) {
	if l.since.IsZero() {
		l.since = j.began
	}
}
