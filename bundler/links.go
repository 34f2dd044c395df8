package bundler

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// links records the symbolic links by which the files of the bundle may have been
// found. esbuild names files without links, so a link that leads elsewhere would go
// unnoticed otherwise. They are looked for in the folders of sources and those above,
// in the folders along relative imports, and where packages are installed.
func (b *build) links(s *Stamp) {
	reached := map[string]bool{} // loaded files and the folders above them
	folders := map[string]bool{} // in which a link may be, absolute
	for file := range b.sources.files {
		for dir := file; !reached[dir]; dir = filepath.Dir(dir) {
			reached[dir] = true
		}
		b.linkFolders(file, folders)
	}
	b.linkFolders(filepath.Join(b.o.Root, filepath.FromSlash(b.o.Entry)), folders)
	for dir := b.o.Root; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		folders[filepath.Join(dir, "node_modules")] = true
	}
	if b.graph != nil {
		b.alongImports(folders)
	}
	for dir := range maps.Clone(folders) {
		b.linksIn(dir, reached, s)
	}
}

// linkFolders adds the folders between a file and the root and their folders of
// packages; of a file in a package those of packages alone.
func (b *build) linkFolders(file string, folders map[string]bool) {
	installed := inPackage(file)
	for dir := filepath.Dir(file); b.within(dir); dir = filepath.Dir(dir) {
		switch {
		case filepath.Base(dir) == "node_modules":
			folders[dir] = true
		case !installed && !folders[dir]:
			folders[dir], folders[filepath.Join(dir, "node_modules")] = true, true
		case !installed:
			return
		}
	}
}

// within reports whether a path is, by its name, the root or below it.
func (b *build) within(path string) bool {
	rel, err := filepath.Rel(b.o.Root, path)
	return err == nil && filepath.IsLocal(rel)
}

// alongImports adds the folders that relative imports of the project's own sources
// lead through, as they are written.
func (b *build) alongImports(folders map[string]bool) {
	for name, input := range b.graph.Inputs {
		file := filepath.Join(b.o.Root, filepath.FromSlash(name))
		if inPackage(file) {
			continue
		}
		for _, imported := range input.Imports {
			if strings.HasPrefix(imported.Original, ".") {
				b.linkFolders(filepath.Join(filepath.Dir(file), filepath.FromSlash(imported.Original)), folders)
			}
		}
	}
}

// linksIn records the links in a folder, and in those of scopes of packages, that lead
// to something that was reached.
func (b *build) linksIn(dir string, reached map[string]bool, s *Stamp) {
	entries, _ := os.ReadDir(dir)
	packages := filepath.Base(dir) == "node_modules"
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if packages && e.IsDir() && strings.HasPrefix(e.Name(), "@") {
			b.linksIn(name, reached, s)
		}
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(name); err == nil && reached[real] {
			s.Links[b.rel(name)] = digestLink(name)
		}
	}
}

// digestLink says where a path leads, seen from the folder that it is in; "" for one
// that leads nowhere. What is no link leads to its own name.
func digestLink(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(dir, real)
	if err != nil {
		return filepath.ToSlash(real)
	}
	return filepath.ToSlash(rel)
}
