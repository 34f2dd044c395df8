package watch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// differences are what changed since the last look.
type differences struct {
	changed []string // files
	arrived []string // folders that came
	moved   bool     // folders came, went or are others: the field has to be made again
}

// list is what was in a folder.
type list struct {
	info  os.FileInfo
	at    time.Time // when it was looked at
	names map[string]entry
}

// entry is what stands behind a name in a folder.
type entry int

const (
	other  entry = iota // a file that does not matter
	wanted              // a file that does
	folder
)

// compare looks at everything in a field, and finds what is not as it was. Of
// what is looked at for the first time, that counts as changed which lies in a
// folder that arrived, or changed after since: it may have been read before.
func (m *memory) compare(f *field, since time.Time, arrived []string) differences {
	var d differences
	again := m.of != f
	m.of = f
	for _, paths := range []map[string]bool{f.files, f.links} {
		for path := range paths {
			if _, known := m.files[path]; !known {
				if m.isNew(path, since) {
					d.changed = append(d.changed, path)
				}
			} else if m.review(path) {
				d.changed = append(d.changed, path)
				d.moved = d.moved || f.links[path]
			}
		}
	}
	for _, real := range slices.Sorted(maps.Keys(f.places)) { // parents first
		p := f.places[real]
		info, err := os.Stat(real)
		switch {
		case err != nil || !os.SameFile(info, p.info):
			d.moved = true
		case p.listed:
			within := func(folder string) bool { return below(p.names[0], folder) }
			whole := slices.ContainsFunc(arrived, within) || slices.ContainsFunc(d.arrived, within)
			m.compareList(f, p, listing{info: info, again: again, whole: whole, since: since}, &d)
		}
	}
	if again {
		m.forget(f)
	}
	return d
}

// listing is how a folder is to be compared.
type listing struct {
	info  os.FileInfo
	again bool // what its names mean may have changed
	whole bool // it arrived with all that is in it
	since time.Time
}

// compareList finds what came into a listed folder, what left it, and what was
// written in it beyond the files of the set.
func (m *memory) compareList(f *field, p *place, how listing, d *differences) {
	before, known := m.lists[p.real]
	now := before
	if !known || how.again || !before.still(how.info) {
		now = readList(f, p, how.info)
	}
	m.lists[p.real] = now
	whole := !known && (how.whole || !changedAt(how.info).Before(how.since))
	for name, kind := range now.names {
		path := filepath.Join(p.names[0], name)
		_, was := before.names[name]
		arrives := known && !was
		switch {
		case kind == folder && arrives && p.deep:
			d.arrived = append(d.arrived, path)
			d.moved = d.moved || f.named[path] == nil
		case kind == wanted && !f.files[path]:
			if m.changed(path, arrives || whole, how.since) {
				d.changed = append(d.changed, path)
			}
		}
	}
	for name, kind := range before.names {
		if _, still := now.names[name]; still || kind == other {
			continue
		}
		path := filepath.Join(p.names[0], name)
		d.moved = d.moved || kind == folder && p.deep
		if kind == wanted && !f.files[path] {
			delete(m.files, path)
			d.changed = append(d.changed, path)
		}
	}
}

// changed looks at a file of a listed folder.
func (m *memory) changed(path string, arrives bool, since time.Time) bool {
	if _, known := m.files[path]; known {
		return m.review(path)
	}
	return m.isNew(path, since) || arrives
}

// isNew looks at a file for the first time, and reports whether it, or the
// folder that it is missing in, changed after a time.
func (m *memory) isNew(path string, since time.Time) bool {
	info := m.note(path).info
	if info == nil {
		if info, _ = os.Stat(filepath.Dir(path)); info == nil {
			return false
		}
	}
	return !changedAt(info).Before(since)
}

// still reports whether a folder holds what it held when it was listed.
func (l list) still(info os.FileInfo) bool {
	return os.SameFile(l.info, info) && l.info.ModTime().Equal(info.ModTime()) && l.at.Sub(info.ModTime()) >= coarse
}

func readList(f *field, p *place, info os.FileInfo) list {
	l := list{info: info, at: time.Now(), names: map[string]entry{}}
	entries, err := os.ReadDir(p.real)
	if err != nil {
		return l
	}
	for _, e := range entries {
		if passedOver(e.Name()) {
			continue
		}
		path := filepath.Join(p.names[0], e.Name())
		switch {
		case isFolder(e, path):
			l.names[e.Name()] = folder
		case f.wanted(path):
			l.names[e.Name()] = wanted
		default:
			l.names[e.Name()] = other
		}
	}
	return l
}

func isFolder(e fs.DirEntry, path string) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// forget drops what is not in a field.
func (m *memory) forget(f *field) {
	for real := range m.lists {
		if p := f.places[real]; p == nil || !p.listed {
			delete(m.lists, real)
		}
	}
	for path := range m.files {
		if f.files[path] || f.links[path] {
			continue
		}
		p := f.named[filepath.Dir(path)]
		if p == nil || m.lists[p.real].names[filepath.Base(path)] != wanted {
			delete(m.files, path)
		}
	}
}
