package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/lazyregexp"
)

// mostFolders bounds what is looked at below the Trees of a Set: a link to the
// root of the file system leads everywhere.
const mostFolders = 10_000

// field is a Set made ready: the folders to look into, and what a path in them
// means. But for its set's Matters it does not change once it is made.
type field struct {
	set     Set
	files   map[string]bool
	above   map[string]bool     // folders above all that is looked at: when they come or go, so may what is below
	places  map[string]*place   // by real path
	named   map[string]*place   // by the paths by which the set reaches them
	targets map[string][]string // files that are symbolic links, by the real path of what they lead to
	links   map[string]bool     // symbolic links to folders, met in listed ones
	trees   int                 // deep folders so far
}

// place is a folder that exists.
type place struct {
	real   string   // without symbolic links
	names  []string // the paths by which the Set reaches it
	info   os.FileInfo
	listed bool // whether files that come and go in it matter, beyond those of the Set
	deep   bool // whether folders in it are looked at as well
}

// survey finds the folders that a set needs, as they are now.
func survey(set Set, root string) *field {
	f := &field{set: set, files: map[string]bool{}, above: map[string]bool{}, places: map[string]*place{}, named: map[string]*place{},
		targets: map[string][]string{}, links: map[string]bool{}}
	for _, file := range slices.Concat(set.Files, set.Products) {
		file = filepath.Clean(file)
		f.files[file] = true
		if !remote(file, root) {
			f.climb(file, root)
			f.follow(file)
		}
	}
	for _, folder := range set.Folders {
		folder = filepath.Clean(folder)
		f.climb(folder, root)
		f.enlist(folder, false)
	}
	for _, tree := range set.Trees {
		tree = filepath.Clean(tree)
		f.climb(tree, root)
		f.enlist(tree, true)
	}
	return f
}

// own reports whether the work writes a file itself, too.
func (s Set) own(path string) bool { return slices.Contains(s.Own, path) }

// product reports whether a file is only there because the work writes it.
func (s Set) product(path string) bool {
	return slices.Contains(s.Products, path) && !slices.Contains(s.Files, path)
}

// remote reports whether a file is missing in a folder above the project, where
// others work: a configuration that could be there. The looks at all files are
// enough for it.
func remote(file, root string) bool {
	if up := filepath.Dir(file); up == root || !below(root, up) {
		return false
	}
	_, err := os.Lstat(file)
	return err != nil
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

// enlist adds a folder whose files come and go, with all below it if deep.
func (f *field) enlist(name string, deep bool) {
	p := f.place(name)
	if p == nil || p.deep || p.listed && !deep || f.trees >= mostFolders {
		return
	}
	p.listed, p.deep = true, deep
	if deep {
		f.trees++
	}
	entries, err := os.ReadDir(p.real)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(name, entry.Name())
		if passedOver(entry.Name()) || !isFolder(entry, path) {
			continue
		}
		if entry.Type()&os.ModeSymlink != 0 {
			f.links[path] = true
		}
		if deep {
			f.enlist(path, true)
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
var scratch = lazyregexp.New(`~$|\.(tmp|bak|orig|crswap)$|___jb_(tmp|old)___$|^#.*#$|^\d{4}$`)

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
	}
	p := f.named[filepath.Dir(path)]
	if p == nil || !p.listed || passedOver(filepath.Base(path)) {
		return nothing
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if p.deep {
			return structure
		}
		return nothing
	}
	if f.wanted(path) {
		return change
	}
	return nothing
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
