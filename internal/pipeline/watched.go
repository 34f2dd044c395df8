package pipeline

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/project"
)

// Watched says which changes in the file system mean something to a project. Paths
// are absolute. A file may not be there yet: its absence had a say.
type Watched struct {
	Files   []string // each by itself, wherever it lies
	Folders []string // folders in which a file may come or go, not those below them
	Trees   []string // folders of which all below matters

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
// After a failed round it holds what could mend it.
func (r *Rounds) Watched() Watched {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watched
}

// broken watches the configuration alone, beside what was watched before.
func (w *Watched) broken(p *project.Project) {
	if w.files == nil {
		*w = Watched{files: map[string]bool{}, folders: map[string]bool{}, outputs: map[string]bool{}}
	}
	if p != nil {
		w.addFiles(p.Root, configFiles)
	}
	w.list()
}

// of watches what the bundles were made from.
func (w *Watched) of(p *project.Project, kept []*keptBundle) {
	*w = Watched{files: map[string]bool{}, folders: map[string]bool{}, outputs: map[string]bool{}}
	w.addFiles(p.Root, configFiles)
	for _, k := range kept {
		w.folders[filepath.Dir(filepath.Join(p.Root, filepath.FromSlash(k.bundle.Entry)))] = true
		w.files[filepath.Join(p.Root, filepath.FromSlash(k.bundle.Entry))] = true
		if k.result == nil {
			continue
		}
		s := k.result.Stamp
		for name := range s.Files {
			w.files[filepath.Join(p.Root, filepath.FromSlash(name))] = true
		}
		for name := range s.Folders {
			w.folders[filepath.Join(p.Root, filepath.FromSlash(name))] = true
		}
		for name := range s.Trees {
			w.Trees = append(w.Trees, filepath.Join(p.Root, filepath.FromSlash(name)))
		}
		for _, pattern := range k.bundle.Assets {
			w.Trees = append(w.Trees, filepath.Join(p.Root, filepath.FromSlash(fixedPart(pattern))))
		}
		for name := range s.Outputs {
			w.outputs[filepath.Join(p.Root, filepath.FromSlash(name))] = true
		}
	}
	w.list()
}

func (w *Watched) addFiles(root string, names []string) {
	for _, name := range names {
		w.files[filepath.Join(root, filepath.FromSlash(name))] = true
	}
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
