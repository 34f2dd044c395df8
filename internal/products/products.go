// Package products writes the files a build leaves in a plugin repository.
//
// It is the only writer of product files. All files of one build are staged
// beside their targets first and renamed at the end, so a step that fails
// changes nothing and no reader ever sees half a file. A file that already
// has its content and mode is not touched, not even its time stamp.
package products

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"omcbuild/internal/diag"
)

// File is one product.
type File struct {
	Path     string      // relative to the root, slash separated
	Contents []byte      // the whole content
	Mode     fs.FileMode // permission bits; 0 keeps those of the old file. The umask is taken off those of a new one
}

// Written says what became of one product.
type Written struct {
	Path    string
	Changed bool // false when the file already was as it should be
}

// Write brings all files into place under root, or none. The error is a
// *diag.Failure that names the file which could not be written. Staged files
// that a killed build left beside the targets are removed on the way.
func Write(root string, files []File) ([]Written, error) {
	stage := &staging{root: root}
	defer stage.discard()
	written := make([]Written, len(files))
	for i, file := range files {
		changed, err := stage.add(file)
		if err != nil {
			return nil, unwritable(file.Path, err)
		}
		written[i] = Written{Path: file.Path, Changed: changed}
	}
	if path, err := stage.commit(); err != nil {
		return nil, unwritable(path, err)
	}
	sweep(root, files)
	return written, nil
}

// Swap puts files in place as Write does, without looking at what is there and without
// waiting until the disk has them: a reader sees the old or the new file, whole, but a
// machine that loses its power may keep neither. It is for products that Write replaces
// before long.
func Swap(root string, files []File) error {
	stage := &staging{root: root, hasty: true}
	defer stage.discard()
	for _, file := range files {
		if _, err := stage.add(file); err != nil {
			return unwritable(file.Path, err)
		}
	}
	if path, err := stage.commit(); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// Check finds out whether Write could bring the files into place, as far as that
// can be known before, and leaves everything as it is. The error is that of Write.
func Check(root string, files []File) error {
	stage := &staging{root: root}
	defer stage.discard()
	for _, file := range files {
		if _, err := stage.add(file); err != nil {
			return unwritable(file.Path, err)
		}
	}
	return nil
}

// Changed reports whether writing the file would change anything.
func Changed(root string, file File) bool {
	target := filepath.Join(root, filepath.FromSlash(file.Path))
	info, err := os.Lstat(target)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(file.Contents)) {
		return true
	}
	if file.Mode != 0 && !sameMode(info.Mode(), file.Mode) {
		return true
	}
	old, err := os.ReadFile(target)
	return err != nil || !bytes.Equal(old, file.Contents)
}

// sameMode compares what git records of a mode: whether the owner may execute.
// The rest comes from the umask of who checked the file out. Windows has no such
// bit.
func sameMode(a, b fs.FileMode) bool {
	return runtime.GOOS == "windows" || (a^b)&0o100 == 0
}

// staging is a set of temporary files waiting to be renamed.
type staging struct {
	root    string
	hasty   bool // see Swap
	pending []pendingFile
	folders []string // created for this build, deepest last
}

type pendingFile struct {
	path   string // as in File
	target string
	temp   *staged
	old    []byte // content to restore when a later rename fails
	mode   fs.FileMode
	existed,
	done bool
}

func (s *staging) add(file File) (bool, error) {
	if !s.hasty && !Changed(s.root, file) {
		return false, nil
	}
	target, err := s.contain(file.Path)
	if err != nil {
		return false, err
	}
	p := pendingFile{path: file.Path, target: target, mode: file.Mode.Perm()}
	info, err := os.Lstat(target)
	switch {
	case err == nil && info.IsDir():
		return false, errors.New("a folder is in its place")
	case err == nil && info.Mode().IsRegular():
		p.existed = true
		if !s.hasty {
			if p.old, err = os.ReadFile(target); err != nil {
				return false, err
			}
		}
		if p.mode == 0 {
			p.mode = info.Mode().Perm()
		}
	}
	mode := p.mode
	if !p.existed {
		// A new file has what the user's umask leaves, as everything the user makes.
		mode = 0o666 | p.mode&0o111
	}
	if p.temp, err = stage(target, mode, !p.existed); err != nil {
		return false, err
	}
	s.pending = append(s.pending, p)
	_, err = p.temp.Write(file.Contents)
	return true, err
}

// Replace writes one file, anywhere, so that a reader sees the old or the new one, whole.
// A file that is there keeps its permission bits; a new one gets those of mode that the
// umask leaves. The folder has to be there.
func Replace(path string, contents []byte, mode fs.FileMode) error {
	info, err := os.Lstat(path)
	isNew := err != nil || !info.Mode().IsRegular()
	if !isNew {
		mode = info.Mode().Perm()
	}
	temp, err := stage(path, mode, isNew)
	if err != nil {
		return err
	}
	defer func() { _ = temp.Cleanup() }()
	if _, err := temp.Write(contents); err != nil {
		return err
	}
	return temp.CloseAtomicallyReplace()
}

// contain returns the target's path with its folder made, and refuses a
// folder that a link leads out of the root.
func (s *staging) contain(path string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", errors.New("it lies outside the project")
	}
	target := filepath.Join(s.root, filepath.FromSlash(path))
	if err := s.makeFolder(filepath.Dir(target)); err != nil {
		return "", err
	}
	realRoot, err := filepath.EvalSymlinks(s.root)
	if err != nil {
		return "", err
	}
	realFolder, err := filepath.EvalSymlinks(filepath.Dir(target))
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(realRoot, realFolder); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", errors.New("a link leads its folder out of the project")
	}
	return target, nil
}

func (s *staging) makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	err := os.Mkdir(dir, 0o777)
	if err == nil {
		s.folders = append(s.folders, dir)
	}
	return err
}

// commit renames everything into place. When one rename fails, those before
// it are undone and the path that failed is returned.
func (s *staging) commit() (string, error) {
	for i := range s.pending {
		p := &s.pending[i]
		if s.hasty {
			err := p.temp.File.Close()
			if err == nil {
				err = rename(p.temp.Name(), p.target)
			}
			if err != nil {
				return p.path, err
			}
			continue
		}
		if err := p.temp.CloseAtomicallyReplace(); err != nil {
			return p.path, errors.Join(err, s.undo())
		}
		p.done = true
	}
	s.folders = nil
	return "", nil
}

func (s *staging) undo() error {
	var failed error
	for _, p := range s.pending {
		switch {
		case !p.done:
		case p.existed:
			failed = errors.Join(failed, Replace(p.target, p.old, p.mode))
		default:
			failed = errors.Join(failed, os.Remove(p.target))
		}
	}
	return failed
}

// discard removes what was staged and not renamed.
func (s *staging) discard() {
	for _, p := range s.pending {
		_ = p.temp.Cleanup()
	}
	for i := len(s.folders) - 1; i >= 0; i-- {
		_ = os.Remove(s.folders[i])
	}
}

func unwritable(path string, err error) *diag.Failure {
	reason := err.Error()
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		reason = pathError.Err.Error()
	}
	return diag.Fail(diag.Diagnostic{
		Code:     "unwritable-output",
		Message:  fmt.Sprintf("cannot be written: %s", reason),
		Position: diag.Position{File: path},
		Hint:     "nothing was changed; make the file and its folder writable, or choose another outfile",
	}).Because(err)
}
