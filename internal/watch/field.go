package watch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mostFolders bounds what is looked at below the Folders of a Set: a link to the
// root of the file system leads everywhere.
const mostFolders = 10_000

// field is a Set made ready: the folders to look into, and what a path in them
// means. It does not change once it is made.
type field struct {
	set     Set
	files   map[string]bool
	above   map[string]bool     // folders above files and Folders: when they come or go, so may what is below
	places  map[string]*place   // by real path
	named   map[string]*place   // by the paths by which the set reaches them
	targets map[string][]string // files that are symbolic links, by the real path of what they lead to
	links   map[string]bool     // symbolic links to folders, met below Folders
	reached map[string]bool     // real paths of the folders below Folders
}

// place is a folder that exists.
type place struct {
	real   string   // without symbolic links
	names  []string // the paths by which the Set reaches it
	info   os.FileInfo
	listed bool // whether what comes and goes in it matters, beyond the files of the Set
}

// survey finds the folders that a set needs, as they are now.
func survey(set Set, root string) *field {
	f := &field{set: set, files: map[string]bool{}, above: map[string]bool{}, places: map[string]*place{}, named: map[string]*place{},
		targets: map[string][]string{}, links: map[string]bool{}, reached: map[string]bool{}}
	for _, file := range set.Files {
		file = filepath.Clean(file)
		f.files[file] = true
		f.climb(file, root)
		f.follow(file)
	}
	for _, folder := range set.Folders {
		folder = filepath.Clean(folder)
		f.climb(folder, root)
		f.descend(folder)
	}
	return f
}

// climb adds the nearest folder above a path that exists, and those from there up
// to the root of the project.
func (f *field) climb(path, root string) {
	for up := filepath.Dir(path); !f.above[up]; up = filepath.Dir(up) {
		f.above[up] = true
	}
	dir := filepath.Dir(path)
	for f.place(dir) == nil && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	for below(dir, root) && dir != root {
		dir = filepath.Dir(dir)
		f.place(dir)
	}
}

// follow adds the folder of the file that a symbolic link leads to.
func (f *field) follow(file string) {
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return
	}
	if real, err := filepath.EvalSymlinks(file); err == nil && f.place(filepath.Dir(real)) != nil {
		f.targets[real] = append(f.targets[real], file)
	}
}

// place adds a folder by one of its names; nil when there is none.
func (f *field) place(name string) *place {
	if p := f.named[name]; p != nil {
		return p
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil
	}
	p := f.places[real]
	if p == nil {
		info, err := os.Stat(real)
		if err != nil || !info.IsDir() {
			return nil
		}
		p = &place{real: real, info: info}
		f.places[real] = p
	}
	p.names = append(p.names, name)
	f.named[name] = p
	return p
}

// descend adds a folder and all below it.
func (f *field) descend(name string) {
	if len(f.reached) >= mostFolders {
		return
	}
	p := f.place(name)
	if p == nil {
		return
	}
	p.listed = true
	if f.reached[p.real] {
		return
	}
	f.reached[p.real] = true
	entries, err := os.ReadDir(p.real)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		switch {
		case passedOver(entry.Name()):
		case entry.IsDir():
			f.descend(path)
		case entry.Type()&os.ModeSymlink != 0:
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				f.links[path] = true
				f.descend(path)
			}
		}
	}
}

// below reports whether a path is a folder or in it.
func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}

// passedOver reports whether an entry of a folder is left out by its name.
func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

// scratch are the names of files that editors make while they save: backups,
// probes and parts of files.
var scratch = regexp.MustCompile(`~$|\.(tmp|bak|orig|crswap)$|___jb_(tmp|old)___$|^#.*#$|^\d{4}$`)

// meaning is what it means that something happened to a path.
type meaning int

const (
	nothing   meaning = iota
	change            // of what the work is done from
	structure         // of the folders that are looked into
)

// means says what it means when a path was written, appeared or disappeared. A
// path has to be spelled as in the set.
func (f *field) means(path string) meaning {
	switch {
	case f.files[path]:
		return change
	case f.above[path] || f.links[path]:
		return structure
	case !f.deep(path):
		return nothing
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return structure
	}
	if f.wanted(path) {
		return change
	}
	return nothing
}

// deep reports whether a path is in a listed folder, and not left out.
func (f *field) deep(path string) bool {
	p := f.named[filepath.Dir(path)]
	return p != nil && p.listed && !passedOver(filepath.Base(path))
}

// wanted reports whether a file in a listed folder is part of the set.
func (f *field) wanted(path string) bool {
	name := filepath.Base(path)
	if f.files[path] {
		return true
	}
	if passedOver(name) || scratch.MatchString(name) {
		return false
	}
	return f.set.Matters == nil || f.set.Matters(path)
}

// spellings are the paths by which the set may know a path in a real folder.
func (f *field) spellings(path string) []string {
	paths := slices.Clone(f.targets[path])
	if p := f.places[filepath.Dir(path)]; p != nil {
		for _, name := range p.names {
			paths = append(paths, filepath.Join(name, filepath.Base(path)))
		}
	}
	return paths
}
