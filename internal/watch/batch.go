package watch

import (
	"maps"
	"slices"
	"time"
)

// pace says how long to wait after a change for the next.
type pace struct {
	lone  time.Duration // one or two files: a save
	few   time.Duration // some files: all open files of an editor
	many  time.Duration // a generator, a checkout
	bound time.Duration // from the first change on, whatever happens
	// hold is how long a file that is empty or gone is given to come back: some
	// programs empty or remove a file before they write it.
	hold time.Duration
	// burst is how long after many files the next change counts as one of them.
	burst time.Duration
}

func eventPace() pace {
	return pace{lone: 4 * time.Millisecond, few: 20 * time.Millisecond, many: 80 * time.Millisecond,
		bound: 2 * time.Second, hold: 60 * time.Millisecond, burst: 300 * time.Millisecond}
}

// pollPace is for looking at files: a look between two writes is likely, and a
// second one a little later shows it.
func pollPace() pace {
	p := eventPace()
	p.lone, p.few = 15*time.Millisecond, 40*time.Millisecond
	return p
}

// Where a save ends and where a burst begins, in files.
const (
	loneFiles = 2
	manyFiles = 10
)

// batch collects changes until they settle. The zero value is empty.
type batch struct {
	all         bool // anything may have changed
	paths       map[string]bool
	first, last time.Time // of the changes in it
	calm        time.Time // when the last batch of many files ended
}

func (b *batch) empty() bool { return !b.all && len(b.paths) == 0 }

// add notes a change; an empty path stands for any.
func (b *batch) add(now time.Time, path string) {
	if b.first.IsZero() {
		b.first = now
	}
	b.last = now
	if path == "" {
		b.all = true
		return
	}
	if b.paths == nil {
		b.paths = map[string]bool{}
	}
	b.paths[path] = true
}

// touch keeps the batch waiting for something that may belong to it.
func (b *batch) touch(now time.Time) {
	if b.first.IsZero() {
		b.first = now
	}
	b.last = now
}

// due is when the batch has settled, if nothing more comes.
func (b *batch) due(p pace) time.Time {
	wait := p.few
	switch n := len(b.paths); {
	case b.all || n >= manyFiles || b.first.Sub(b.calm) < p.burst:
		wait = p.many
	case n <= loneFiles:
		wait = p.lone
	}
	due := b.last.Add(wait)
	if end := b.first.Add(p.bound); due.After(end) {
		return end
	}
	return due
}

// take empties the batch and returns what was in it: no path when anything may
// have changed.
func (b *batch) take(now time.Time) (changed []string) {
	if !b.all {
		changed = slices.Sorted(maps.Keys(b.paths))
	}
	calm := b.calm
	if b.all || len(b.paths) >= manyFiles {
		calm = now
	}
	*b = batch{calm: calm}
	return changed
}

// restore puts back what a cancelled round was given, with the time at which
// the first of it changed.
func (b *batch) restore(first time.Time, changed []string) {
	last := b.last
	if len(changed) == 0 {
		b.add(first, "")
	}
	for _, path := range changed {
		b.add(first, path)
	}
	b.first = first
	if last.After(b.last) {
		b.last = last
	}
}
