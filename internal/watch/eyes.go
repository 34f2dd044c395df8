package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"omcbuild/internal/diag"
)

const (
	// defaultPoll is the time between two looks where there are no events.
	defaultPoll = 500 * time.Millisecond
	// grace is how long after a change was seen its event may arrive.
	grace = time.Second
	// Looks beside the events are bounded to a part of a processor: one in 3000,
	// a third of a millisecond a second. Those in place of events to one in 50.
	restraint     = 3000
	pollRestraint = 50
	shortest      = 3 * time.Second
	longest       = time.Minute
)

// eyes see what changes: by events, and by looks at all files. The looks find
// what events miss, and take their place where there are none.
type eyes struct {
	root    string
	say     func(diag.Diagnostic)
	changed func(path string) // told of a change; "" is that anything may have changed
	touched func()            // told that there may be one, to be found by confirm

	poll     time.Duration // between looks; 0 as long as there are events
	looks    time.Duration // between looks beside the events; 0 is by what they cost
	notifier notifier      // nil when polling
	watching map[string]os.FileInfo
	heard    bool // any event arrived
	repaired bool // all folders were added again, because an event had not arrived

	set     Set
	field   *field
	memory  *memory
	stale   bool     // folders moved: the field has to be made again
	arrived []string // folders that came since
	lookAt  time.Time
	looked  time.Time            // when the last look began
	missed  map[string]time.Time // changes seen, whose events have not arrived; until when they may
}

func newEyes(o Options, open func() (notifier, error)) *eyes {
	e := &eyes{root: o.Root, say: o.Say, poll: o.Poll, looks: o.looks, memory: newMemory(), watching: map[string]os.FileInfo{}, missed: map[string]time.Time{},
		lookAt: time.Now().Add(longest), field: survey(Set{}, o.Root)}
	if e.say == nil {
		e.say = func(diag.Diagnostic) {}
	}
	if e.poll > 0 {
		return e
	}
	notifier, err := open()
	if err != nil {
		e.startPolling(err)
		return e
	}
	e.notifier = notifier
	return e
}

func (e *eyes) close() {
	if e.notifier != nil {
		e.notifier.close()
		e.notifier = nil
	}
}

func (e *eyes) channels() (<-chan fsnotify.Event, <-chan error) {
	if e.notifier == nil {
		return nil, nil
	}
	return e.notifier.events(), e.notifier.errors()
}

// next is when there is something to do without an event.
func (e *eyes) next() time.Time {
	next := e.lookAt
	for _, until := range e.missed {
		next = earlier(next, until)
	}
	return next
}

// look turns to a set. What changed after since and was not looked at before
// counts as changed.
func (e *eyes) look(set Set, since time.Time) {
	same := slices.Equal(set.Files, e.set.Files) && slices.Equal(set.Products, e.set.Products) && slices.Equal(set.Folders, e.set.Folders) && slices.Equal(set.Trees, e.set.Trees)
	e.set, e.field.set = set, set
	if same && !e.stale {
		return // the events, or the next look, tell of the rest
	}
	e.stale = false
	e.field = survey(set, e.root)
	e.attend()
	e.report(e.compare(since))
}

// compare looks at all files, and plans the next look.
func (e *eyes) compare(since time.Time) differences {
	began := time.Now()
	d := e.memory.compare(e.field, since, e.arrived)
	e.arrived = d.arrived
	e.stale = e.stale || d.moved
	now := time.Now()
	e.looked = began
	cost := now.Sub(began)
	switch {
	case e.poll > 0:
		e.lookAt = now.Add(max(e.poll, cost*pollRestraint))
	case e.looks > 0:
		e.lookAt = now.Add(e.looks)
	default:
		e.lookAt = now.Add(min(max(cost*restraint, shortest), longest))
	}
	return d
}

func (e *eyes) report(d differences) {
	for _, path := range d.changed {
		delete(e.missed, path)
		e.changed(path)
	}
	if e.stale {
		e.touched()
	}
}

// attend adds the folders of the field to the notifier, those again that are
// others by now, and removes what is no longer in it.
func (e *eyes) attend() {
	if e.notifier == nil {
		return
	}
	for real := range e.watching {
		if e.field.places[real] == nil {
			e.forget(real)
		}
	}
	for real, p := range e.field.places {
		if before := e.watching[real]; before != nil {
			if os.SameFile(before, p.info) {
				continue
			}
			e.forget(real)
		}
		err := e.notifier.add(real)
		switch {
		case err == nil:
			e.watching[real] = p.info
		case !passing(err):
			e.startPolling(err)
			return
		}
	}
}

func (e *eyes) forget(real string) {
	e.notifier.remove(real)
	delete(e.watching, real)
}

// hears takes something in, unless the notifier has ended, which tells nothing more.
func (e *eyes) hears(open bool, take func()) {
	if !open {
		e.startPolling(errEnded)
		return
	}
	take()
}

// event takes in what the system told.
func (e *eyes) event(event fsnotify.Event) {
	path := event.Name
	if path == "" {
		return
	}
	e.heard = true
	if event.Op == fsnotify.Chmod {
		e.modes(path)
		return
	}
	if e.watching[path] != nil && event.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0 {
		e.forget(path)
		e.stale = true
		e.touched()
	}
	for _, name := range e.field.spellings(path) {
		switch e.field.means(name) {
		case change:
			e.memory.take(e.field, name)
			delete(e.missed, name)
			e.changed(name)
		case structure:
			e.stale = true
			e.touched()
		}
	}
}

// modes takes in that the mode or the times of a file were set. It matters when
// the file can be read now and could not before, or the other way around.
func (e *eyes) modes(path string) {
	for _, name := range e.field.spellings(path) {
		before, known := e.memory.files[name]
		if !known || before.info == nil {
			continue
		}
		if info, err := os.Stat(name); err == nil && readable(info) != readable(before.info) {
			e.memory.take(e.field, name)
			e.changed(name)
		}
	}
}

// confirm looks again before a batch is taken up, where that may show more: when
// folders moved, and when polling. It reports whether there was more.
func (e *eyes) confirm() bool {
	if !e.stale && e.poll == 0 {
		return false
	}
	if e.stale {
		e.stale = false
		e.field = survey(e.set, e.root)
		e.attend()
	}
	d := e.compare(e.looked.Add(-slack))
	e.report(d)
	return len(d.changed) > 0 || e.stale
}

// incomplete reports whether one of a few changed files is empty or gone, as
// some programs leave it for a moment before they write it.
func (e *eyes) incomplete(paths map[string]bool) bool {
	if len(paths) > loneFiles {
		return false
	}
	for path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() && info.Size() == 0 {
			return true
		}
	}
	return false
}

// act does what is due. While a round runs or a batch waits, no look is needed:
// there is one after it.
func (e *eyes) act(now time.Time, busy bool) {
	e.judge(now)
	if e.lookAt.After(now) {
		return
	}
	if busy {
		e.lookAt = now.Add(max(e.poll, 100*time.Millisecond))
		return
	}
	d := e.compare(e.looked.Add(-slack))
	if e.poll > 0 {
		e.report(d)
		return
	}
	for _, path := range d.changed {
		if e.attended(path) {
			e.missed[path] = now.Add(grace)
		} else {
			e.changed(path)
		}
	}
	if e.stale {
		e.touched()
	}
}

// attended reports whether there should be events of a file.
func (e *eyes) attended(path string) bool {
	p := e.field.named[filepath.Dir(path)]
	return p != nil && e.watching[p.real] != nil
}

// judge takes up changes whose events have not arrived. The first time, the
// folders are added again; after that, or when there was never an event, the
// system is not relied on any more.
func (e *eyes) judge(now time.Time) {
	late := false
	for path, until := range e.missed {
		if !until.After(now) {
			delete(e.missed, path)
			e.changed(path)
			late = true
		}
	}
	switch {
	case !late || e.notifier == nil:
	case e.repaired || !e.heard:
		e.startPolling(errDeaf)
	default:
		e.repaired = true
		for real := range e.watching {
			e.forget(real)
		}
		e.attend()
	}
}

// failed takes in an error of the notifier.
func (e *eyes) failed(err error) {
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		e.stale = true
		e.changed("")
		return
	}
	e.startPolling(err)
}

// Reasons for which the system is not relied on: files changed without an event, and
// there will be none any more.
var (
	errDeaf  = errors.New("a file changed and the system did not tell")
	errEnded = errors.New("it does not tell of files any more")
)

// startPolling goes over to looking at all files again and again.
func (e *eyes) startPolling(reason error) {
	e.close()
	clear(e.watching)
	clear(e.missed)
	if e.poll == 0 {
		e.poll = defaultPoll
	}
	e.lookAt = time.Now()
	why, remedy := explain(reason)
	e.say(diag.Diagnostic{Code: "watch-polling", Level: diag.Warning,
		Message: fmt.Sprintf("changes are looked for every %d ms, because the system does not report them: %s", e.poll.Milliseconds(), why),
		Hint:    remedy})
}
