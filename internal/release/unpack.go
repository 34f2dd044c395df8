// Package release handles plugins as users get them: packed.
//
// Unpack brings an archive to a folder that it trusts with nothing: every path
// is contained, links are refused, and sizes are bounded, because an archive
// to be checked is somebody else's.
package release

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
)

// Unpack extracts a .zip, .mcpb, .tar.gz or .tgz file, or copies a folder, into the
// existing folder dir, and returns the folder of the plugin in it: dir, or its one
// subfolder when everything lies in one. What it holds is bounded, in files, bytes,
// depth and how far it is compressed, and so are the memory and the time that this
// takes. The error is a *diag.Failure that names the archive and what is wrong with it.
func Unpack(archive, dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	const forms = "name a .zip, .mcpb, .tar.gz or .tgz file, or a folder"
	info, err := os.Stat(archive)
	u := &unpacker{root: root, names: map[string]string{}}
	switch name := strings.ToLower(archive); {
	case err == nil && info.IsDir():
		err = u.folder(archive)
	case err == nil && !info.Mode().IsRegular():
		return "", bad(archive, "is no regular file", forms).Because(fs.ErrInvalid)
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".mcpb"):
		err = u.open(archive, u.zip)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		err = u.open(archive, u.tar)
	default:
		return "", bad(archive, "is no archive that a plugin comes in", forms).Because(fs.ErrInvalid)
	}
	if err != nil {
		return "", bad(archive, "cannot be unpacked: "+err.Error(), "pack the plugin again, with plain files and paths below its root").Because(err)
	}
	return pluginFolder(dir)
}

func bad(archive, message, hint string) *diag.Failure {
	return diag.Fail(diag.Diagnostic{Code: "bad-archive", Message: message, Position: diag.Position{File: filepath.ToSlash(archive)}, Hint: hint})
}

// pluginFolder looks through one folder that holds everything else.
func pluginFolder(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) == 1 && entries[0].IsDir() && entries[0].Name() != ".claude-plugin" {
		return filepath.Join(dir, entries[0].Name()), nil
	}
	return dir, nil
}

// open hands an archive over that is no larger than what it may hold.
func (u *unpacker) open(archive string, unpack func(file *os.File, size int64) error) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxBytes {
		return errTooLarge
	}
	u.packed = info.Size()
	return unpack(file, info.Size())
}

// folder copies a folder. Links that stay in it become what they point to, and what
// belongs to git is left out.
func (u *unpacker) folder(folder string) error {
	from, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	u.packed = -1
	return fs.WalkDir(from.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case e.Name() == ".git" && e.IsDir():
			return fs.SkipDir
		case e.IsDir():
			return u.entry(entry{name: name, mode: fs.ModeDir})
		}
		info, err := from.Stat(name)
		if err != nil {
			return errors.Join(irregular(name, e.Type()), err)
		}
		file, err := from.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		return u.entry(entry{name: name, mode: info.Mode(), size: info.Size(), contents: file})
	})
}
