package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on a glob. Each pair of braces multiplies what is looked for, and each
// ** what is walked through.
const (
	maxGlobLength   = 1000   // bytes
	maxAlternatives = 100    // names that the braces stand for together
	maxDoubleStars  = 3      // parts that are **
	maxStars        = 30     // stars and question marks
	maxFolderReads  = 50_000 // folders that one glob has read
)

// errTooWide ends a walk that has read maxFolderReads folders.
var errTooWide = fmt.Errorf("looks through more than %d folders", maxFolderReads)

// checkGlob reports why a pattern is not looked for: its form, or that it
// stands for too much. The error completes "which ...".
func checkGlob(pattern string) error {
	switch {
	case len(pattern) > maxGlobLength:
		return fmt.Errorf("has %d bytes, the limit is %d", len(pattern), maxGlobLength)
	case !doublestar.ValidatePattern(pattern):
		return errors.New("is not a valid glob")
	case alternatives(pattern) > maxAlternatives:
		return fmt.Errorf("stands for more than %d names by its braces", maxAlternatives)
	case strings.Count(pattern, "**") > maxDoubleStars:
		return fmt.Errorf("has ** more than %d times", maxDoubleStars)
	case strings.Count(pattern, "*")+strings.Count(pattern, "?") > maxStars:
		return fmt.Errorf("has more than %d stars and question marks", maxStars)
	}
	return nil
}

// alternatives is at least the number of names that the braces of a pattern
// stand for; it stops counting above the limit.
func alternatives(pattern string) int {
	n := 1
	for i, depth, commas := 0, 0, 0; i < len(pattern) && n <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth > 0 {
				commas++
			}
		case '}':
			if depth--; depth == 0 {
				n *= commas + 1
				commas = 0
			}
			if depth > 0 { // nested: their product is a bound
				n *= commas + 1
			}
		}
	}
	return n
}

// Glob lists what matches a pattern below a folder of a file system, in order
// of path, without what lies in node_modules and .git. Before it reads a folder
// it asks visit, whose error ends it. The other errors: the pattern is no glob,
// stands for too much, or leads through too many folders.
func Glob(files fs.FS, folder, pattern string, visit func() error, options ...doublestar.GlobOption) ([]string, error) {
	if err := checkGlob(pattern); err != nil {
		return nil, err
	}
	own := &ownFiles{files: files, folder: folder, visit: visit}
	found, err := doublestar.Glob(own, pattern, append(options, doublestar.WithFailOnIOErrors())...)
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = path.Join(folder, found[i])
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// ownFiles is a file system without the folders that hold others' files. Its
// only errors are that something is not there, and that the walk has to end.
type ownFiles struct {
	files  fs.FS
	folder string
	visit  func() error
	reads  int
}

// spend counts one look at the disk.
func (f *ownFiles) spend() error {
	if f.reads++; f.reads > maxFolderReads {
		return errTooWide
	}
	if f.visit != nil {
		return f.visit()
	}
	return nil
}

// Open implements fs.FS.
func (f *ownFiles) Open(name string) (fs.File, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	file, err := f.files.Open(path.Join(f.folder, name))
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return file, nil
}

// Stat implements fs.StatFS.
func (f *ownFiles) Stat(name string) (fs.FileInfo, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	info, err := fs.Stat(f.files, path.Join(f.folder, name))
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return info, nil
}

// ReadDir implements fs.ReadDirFS.
func (f *ownFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.spend(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.files, path.Join(f.folder, name))
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == "node_modules" || e.Name() == ".git"
	}), nil
}
