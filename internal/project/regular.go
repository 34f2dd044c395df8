package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

var (
	errNotRegular = errors.New("it is not a regular file")
	errNotFolder  = errors.New("it is not a folder")
)

// OpenRegular opens a file below a folder for reading, when it is a regular one.
// The name is slash separated. To open a named pipe would take until somebody
// writes to it, and to read some devices has no end; both are refused with an
// error that says so. What becomes a pipe while it is looked at is not waited for.
func OpenRegular(root *os.Root, name string) (*os.File, error) {
	return openKind(root, name, fs.FileMode.IsRegular, errNotRegular)
}

// OpenFolder is OpenRegular for a folder whose names are to be read.
func OpenFolder(root *os.Root, name string) (*os.File, error) {
	return openKind(root, name, fs.FileMode.IsDir, errNotFolder)
}

// openKind looks before it opens, since to open a device may do something, and
// again at what it opened.
func openKind(root *os.Root, name string, is func(fs.FileMode) bool, other error) (*os.File, error) {
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	refused := &fs.PathError{Op: "open", Path: name, Err: other}
	if !is(info.Mode()) {
		return nil, refused
	}
	file, err := root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err != nil || !is(info.Mode()) {
		_ = file.Close()
		return nil, refused
	}
	return file, nil
}

// IsIrregular reports whether OpenRegular refused what is no regular file.
func IsIrregular(err error) bool { return errors.Is(err, errNotRegular) }
