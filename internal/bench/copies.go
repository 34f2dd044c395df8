package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copy makes a copy of the repository in a folder of the lab: what it has, what
// the servers have installed, and nothing else that was built or installed.
// Installed files are linked where the file system can, because nobody writes to
// them.
func (l *lab) copy(name string) (string, error) {
	target := filepath.Join(l.work, name)
	return target, filepath.WalkDir(l.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(l.root, path)
		if err != nil {
			return err
		}
		if leftOut(filepath.ToSlash(relative)) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		return place(path, filepath.Join(target, relative), entry, installed(filepath.ToSlash(relative)))
	})
}

// leftOut says what a copy does without; paths are slash separated.
func leftOut(relative string) bool {
	switch relative {
	case ".git", "bin", "dist", "tmp", "coverage":
		return true
	}
	return !installed(relative) && filepath.Base(relative) == "node_modules"
}

// installed reports whether a path is what the servers have installed.
func installed(relative string) bool {
	return relative == "src/node_modules" || strings.HasPrefix(relative, "src/node_modules/")
}

// place puts one entry of a folder elsewhere.
func place(from, to string, entry fs.DirEntry, link bool) error {
	switch {
	case entry.IsDir():
		return os.MkdirAll(to, 0o755)
	case entry.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case !entry.Type().IsRegular():
		return nil
	case link && os.Link(from, to) == nil:
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}
