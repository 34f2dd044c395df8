package main

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	// endMark stands at the end of the entry, which comes last in a bundle: an
	// output without it was read before it was whole.
	endMark = "benchmark-end-of-entry"

	// lookEvery is how often a follower looks at its file.
	lookEvery = 200 * time.Microsecond

	// fresh is how long after the last change a follower reads the file even though
	// its size and time are the same: file systems keep coarse times.
	fresh = 20 * time.Millisecond
)

// follower reads a file again and again while others write it, as a client could
// at any moment, and notes when what it waits for is there and whether it has met
// the file half written.
type follower struct {
	path string
	done chan struct{} // closed when it is to end
	gone chan struct{} // closed when it has ended

	info    fs.FileInfo // of the last read, nil when the file was not there
	content []byte      // of the last read

	mu      sync.Mutex
	expects [][]byte
	arrived chan time.Time // gets the moment at which a whole file has all of expects
	broken  bool           // a half file was read since halfRead was asked last
	changed time.Time      // when the content changed last
}

// follow begins to read a file, which need not exist. Call end when done.
func follow(path string) *follower {
	f := &follower{path: path, done: make(chan struct{}), gone: make(chan struct{})}
	go f.loop()
	return f
}

func (f *follower) end() {
	close(f.done)
	<-f.gone
}

func (f *follower) loop() {
	defer close(f.gone)
	for {
		f.look()
		select {
		case <-f.done:
			return
		case <-time.After(lookEvery):
		}
	}
}

// expect returns a channel that gets the moment at which the file is whole and has
// all of the texts. The expectation before it is forgotten.
func (f *follower) expect(texts ...string) <-chan time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expects, f.arrived = nil, make(chan time.Time, 1)
	for _, text := range texts {
		f.expects = append(f.expects, []byte(text))
	}
	return f.arrived
}

// halfRead reports whether a half file was read since it was asked last.
func (f *follower) halfRead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	broken := f.broken
	f.broken = false
	return broken
}

// calmFor is how long the content has been the same.
func (f *follower) calmFor() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Since(f.changed)
}

// look reads the file when it may have changed.
func (f *follower) look() {
	info, err := os.Stat(f.path)
	if err == nil && f.info != nil && sameFile(info, f.info) && time.Since(info.ModTime()) > fresh {
		return
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(f.path)
	}
	if err != nil {
		info, content = nil, nil
	}
	before := f.content
	f.info, f.content = info, content
	if !bytes.Equal(before, content) || (before == nil) != (content == nil) {
		f.note(time.Now(), before, content)
	}
}

// note takes in that the content has become another; nil is no file.
func (f *follower) note(now time.Time, before, content []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed = now
	whole := bytes.Contains(content, []byte(endMark))
	if !whole || grown(before, content) {
		f.broken = true
	}
	has := func(text []byte) bool { return bytes.Contains(content, text) }
	if whole && len(f.expects) > 0 && !slices.ContainsFunc(f.expects, func(text []byte) bool { return !has(text) }) {
		f.arrived <- now
		f.expects = nil
	}
}

// grown reports whether a file that looked whole was only the beginning of what
// followed it.
func grown(before, content []byte) bool {
	return bytes.Contains(before, []byte(endMark)) && len(before) < len(content) && bytes.HasPrefix(content, before)
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
