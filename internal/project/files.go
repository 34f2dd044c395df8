package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"omcbuild/internal/diag"
)

// MaxFile is the size in bytes above which a file of a plugin is not read:
// manifests and configuration are a few kilobytes, documents with markers a
// few hundred.
const MaxFile = 8 << 20

// tree reads files below the root and nothing else. Symbolic links are
// followed as long as they stay inside.
type tree struct{ root *os.Root }

// read returns the contents of a file, nil when there is none, or a diagnostic
// that says why it cannot be read.
func (t tree) read(path string) ([]byte, *diag.Diagnostic) {
	info, err := t.root.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unreadable(path, err)
	case !info.Mode().IsRegular():
		return nil, unreadable(path, errNotRegular)
	case info.Size() > MaxFile:
		return nil, unreadable(path, fmt.Errorf("it has %d bytes, the limit is %d", info.Size(), MaxFile))
	}
	file, err := OpenRegular(t.root, path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case len(data) > MaxFile:
		return nil, unreadable(path, fmt.Errorf("it grew over the limit of %d bytes while it was read", MaxFile))
	}
	return data, nil
}

// document reads and parses a JSON file; nil when there is none.
func (t tree) document(path string, syntax Syntax) *Document {
	data, problem := t.read(path)
	switch {
	case problem != nil:
		return &Document{Path: path, Problem: problem}
	case data == nil:
		return nil
	}
	return Parse(path, data, syntax)
}

// exists reports whether path is there, link or not.
func (t tree) exists(path string) bool {
	_, err := t.root.Lstat(path)
	return err == nil
}

// isFile reports whether path is a regular file inside the root.
func (t tree) isFile(path string) bool {
	info, err := t.root.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func unreadable(path string, err error) *diag.Diagnostic {
	d := &diag.Diagnostic{
		Code: "unreadable-file", Position: diag.Position{File: path},
		Message: "the file cannot be read: " + reason(err), Hint: "make it a readable file inside the project",
	}
	if leavesRoot(err) {
		d.Code, d.Message = "outside-root", "the path leaves the project through a symbolic link"
		d.Hint = "replace the link with the file itself; links out of a plugin are dropped when it is installed"
	}
	return d
}

// leavesRoot reports whether a method of os.Root refused a path.
func leavesRoot(err error) bool {
	var pathError *fs.PathError
	return errors.As(err, &pathError) && pathError.Err.Error() == "path escapes from parent"
}

// reason is the part of an error that follows the operation and path.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// ReadFile returns the contents of a file below the root, at most MaxFile
// bytes. The slice is nil when there is no such file. The diagnostic, when not
// nil, says why the file cannot be read: it is too big, no regular file, or
// reached through a link that leaves the project.
func (p *Project) ReadFile(path string) ([]byte, *diag.Diagnostic) {
	t, err := openTree(p.Root)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer t.close()
	return t.read(path)
}

func openTree(dir string) (tree, error) {
	root, err := os.OpenRoot(dir)
	return tree{root}, err
}

func (t tree) close() { _ = t.root.Close() }

// IsLink reports whether the last part of a path below the root is a symbolic
// link.
func (p *Project) IsLink(path string) bool {
	t, err := openTree(p.Root)
	if err != nil {
		return false
	}
	defer t.close()
	info, err := t.root.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
