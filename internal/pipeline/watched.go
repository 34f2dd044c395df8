package pipeline

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/bundler"
)

// Watched says which changes in the file system mean something to a project. Paths
// are absolute. A file may not be there yet: its absence had a say.
type Watched struct {
	Files   []string // each by itself, wherever it lies
	Folders []string // folders in which a file may come or go, not those below them
	Trees   []string // folders of which all below matters
	Outputs []string // files that a round writes, and puts right when somebody else changed them

	files, folders map[string]bool
	outputs        map[string]bool
}

// Matters reports whether the change of a path may ask for a round. It does not look
// at the disk.
func (w Watched) Matters(path string) bool {
	switch {
	case w.outputs[path]:
		return false
	case w.files[path]:
		return true
	case w.folders[filepath.Dir(path)]:
		return bundler.Importable(filepath.Base(path))
	}
	return slices.ContainsFunc(w.Trees, func(tree string) bool {
		return path == tree || strings.HasPrefix(path, tree+string(filepath.Separator))
	})
}

// Watched returns what to watch now; after a round it may be more or less than before.
// After a failed round it holds what could mend it; before the project was read once
// it is empty.
func (r *Rounds) Watched() Watched {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watched
}

// watch finds out what to watch.
func (r *Rounds) watch() {
	root := r.project.Root
	w := Watched{files: map[string]bool{}, folders: map[string]bool{}, outputs: map[string]bool{}}
	for _, file := range configFiles(root) {
		w.files[file] = true
	}
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	for _, k := range r.kept {
		files, folders, trees := k.session.Consulted()
		for _, file := range files {
			w.files[file] = true
		}
		for _, folder := range folders {
			w.folders[folder] = true
		}
		w.Trees = append(w.Trees, trees...)
		for _, pattern := range append([]string{k.bundle.Families}, k.bundle.Assets...) {
			if pattern != "" {
				w.Trees = append(w.Trees, at(fixedPart(pattern)))
			}
		}
		w.outputs[at(k.bundle.Outfile)] = true
		if k.result != nil {
			for _, output := range k.result.Outputs {
				w.outputs[at(output.Path)] = true
			}
		}
	}
	w.list()
	r.watched = w
}

// list fills the lists from the sets.
func (w *Watched) list() {
	w.Files, w.Folders = w.Files[:0:0], w.Folders[:0:0]
	for name := range w.files {
		w.Files = append(w.Files, name)
	}
	for name := range w.folders {
		w.Folders = append(w.Folders, name)
	}
	w.Outputs = slices.Sorted(maps.Keys(w.outputs))
	slices.Sort(w.Files)
	slices.Sort(w.Folders)
	slices.Sort(w.Trees)
	w.Trees = slices.Compact(w.Trees)
}

// fixedPart is the folder of a glob in front of its first magic character.
func fixedPart(pattern string) string {
	if at := strings.IndexAny(pattern, "*?[{\\"); at >= 0 {
		pattern = pattern[:at] + "x"
	}
	return path.Dir(pattern)
}
