package watch

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"time"
)

// coarse is the coarsest step of the times that file systems keep: two writes
// within it may leave the same time.
const coarse = 2 * time.Second

// mostHashed is the size up to which the contents of a file are compared.
const mostHashed = 8 << 20

// memory holds how everything in a field looked last.
type memory struct {
	seed  maphash.Seed
	of    *field
	files map[string]look // files and links, as the set spells them
	lists map[string]list // listed folders, by real path
}

// look is how a file looked. The zero value is that of none.
type look struct {
	info os.FileInfo
	at   time.Time // when it was looked at
	sum  uint64    // of the contents, when a second write could leave the same time
}

func newMemory() *memory {
	return &memory{seed: maphash.MakeSeed(), files: map[string]look{}, lists: map[string]list{}}
}

// note looks at a file and remembers how it is.
func (m *memory) note(path string) look {
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	l := look{info: info, at: time.Now()}
	if l.fresh() {
		l.sum = m.hash(path)
	}
	m.files[path] = l
	return l
}

// take looks at a file of which there was an event.
func (m *memory) take(f *field, path string) {
	l := m.note(path)
	p := f.named[filepath.Dir(path)]
	if p == nil || !p.listed || f.files[path] {
		return
	}
	if names := m.lists[p.real].names; names != nil && l.info != nil {
		names[filepath.Base(path)] = wanted
	} else {
		delete(names, filepath.Base(path))
		delete(m.files, path)
	}
}

// fresh reports whether another write could leave the same time.
func (l look) fresh() bool {
	return l.info != nil && l.info.Mode().IsRegular() && l.info.Size() <= mostHashed && l.at.Sub(l.info.ModTime()) < coarse
}

func (m *memory) hash(path string) uint64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return maphash.Bytes(m.seed, data)
}

// review looks at a file again and reports whether it is another, or written.
func (m *memory) review(path string) bool {
	before, known := m.files[path]
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	if known && same(before.info, info) {
		if !before.fresh() || info == nil || !info.Mode().IsRegular() {
			return false
		}
		// Its time may be that of an earlier write.
		written := m.hash(path) != before.sum
		m.note(path)
		return written
	}
	m.note(path)
	return known
}

// same reports whether two looks at a path show the same file, unwritten.
func same(a, b os.FileInfo) bool {
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case a.IsDir() && b.IsDir():
		return os.SameFile(a, b)
	}
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && readable(a) == readable(b) && os.SameFile(a, b)
}

// readable are the bits of a mode that decide whether a file can be read.
func readable(info os.FileInfo) os.FileMode { return info.Mode().Perm() & 0o444 }
