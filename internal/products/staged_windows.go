package products

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/robustio"
)

// staged is a file beside its target, written and then moved over it by
// MoveFileEx. On one volume of NTFS a reader opens the old or the new file, whole;
// Windows itself promises no more than that the target is replaced, and nothing
// about other file systems. The content is on the disk before the move; whether
// the move is, after a loss of power, is up to the journal of the file system.
//
// Unlike elsewhere the move fails while another program keeps the target open, and
// when the target has the attribute for reading only. Virus scanners and indexers
// do the former for moments, so it is tried again for up to two seconds.
type staged struct {
	*os.File
	target string
	done   bool
}

// stage makes an empty file beside the target. Of the mode Windows knows whether the
// owner may write; a new file may be written.
func stage(target string, mode fs.FileMode, isNew bool) (*staged, error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"*")
	if err != nil {
		return nil, err
	}
	s := &staged{File: file, target: target}
	if !isNew && mode&0o200 == 0 {
		if err := file.Chmod(mode); err != nil {
			_ = s.Cleanup()
			return nil, err
		}
	}
	return s, nil
}

// CloseAtomicallyReplace closes the file when the disk has it, and moves it over its target.
func (s *staged) CloseAtomicallyReplace() error {
	if err := s.Sync(); err != nil {
		return err
	}
	if err := s.File.Close(); err != nil {
		return err
	}
	err := rename(s.Name(), s.target)
	s.done = err == nil
	return err
}

// Cleanup removes the file unless it is in place.
func (s *staged) Cleanup() error {
	if s.done {
		return nil
	}
	_ = s.File.Close() // fails when it is closed already
	s.done = true
	return os.Remove(s.Name())
}

// rename moves a file or folder over a file, or to where nothing is, and tries
// again while somebody has one of them open.
func rename(from, to string) error { return robustio.Rename(from, to) }
