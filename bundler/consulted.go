package bundler

import (
	"errors"
	"path"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
)

// Consulted returns what had a say in the last builds, good and bad: files that are
// there or are not, folders in which files may come and go, and folders of which all
// below counts. Paths are absolute.
func (s *Session) Consulted() (files, folders, trees []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := func(list []string, b *build, names []string) []string {
		for _, name := range names {
			list = append(list, filepath.Join(b.o.Root, filepath.FromSlash(name)))
		}
		return list
	}
	add := func(b *build, stamp *Stamp) {
		files = at(at(files, b, sortedKeys(stamp.Files)), b, sortedKeys(stamp.Links))
		folders, trees = at(folders, b, sortedKeys(stamp.Folders)), at(trees, b, sortedKeys(stamp.Trees))
	}
	if s.result != nil {
		add(s.b, s.result.Stamp)
	}
	if s.stale && s.tried != nil {
		stamp := s.tried.stampInputs()
		s.tried.links(stamp)
		add(s.tried, stamp)
		entry := filepath.Join(s.tried.o.Root, filepath.FromSlash(s.tried.o.Entry))
		files, folders = append(files, entry), append(folders, filepath.Dir(entry))
	}
	for _, file := range s.wanted {
		folders = append(folders, filepath.Dir(file))
	}
	return append(files, s.wanted...), folders, trees
}

// wanted are the paths at which what a build that failed did not find may turn up.
func (b *build) wanted(err error) (paths []string) {
	var failure *diag.Failure
	if !errors.As(err, &failure) {
		return nil
	}
	for _, d := range failure.Diagnostics {
		if !strings.HasPrefix(d.Message, "cannot find ") || d.File == "" {
			continue
		}
		for i, spec := range strings.Split(d.Message, `"`) {
			if i%2 == 1 {
				paths = append(paths, b.candidates(path.Dir(d.File), spec)...)
			}
		}
	}
	return paths
}

// candidates are the paths at which an import in a folder may find something.
func (b *build) candidates(dir, spec string) (paths []string) {
	if isPath(spec) {
		return b.steps(path.Join(dir, spec))
	}
	for ; filepath.IsLocal(filepath.FromSlash(dir)); dir = path.Dir(dir) {
		paths = append(paths, b.folder(path.Join(dir, "node_modules")), b.folder(path.Join(dir, "node_modules", packageName(spec))))
		if dir == "." {
			break
		}
	}
	return paths
}

// steps are a path and the folders above it that are not there.
func (b *build) steps(name string) (paths []string) {
	for ; name != "." && !exists(b.folder(path.Dir(name)), path.Base(name)); name = path.Dir(name) {
		paths = append(paths, b.folder(name))
	}
	return paths
}
