// Package release handles plugins as users get them: packed.
//
// Unpack brings an archive to a folder that it trusts with nothing: every path
// is contained, links are refused, and sizes are bounded, because an archive
// to be checked is somebody else's.
package release

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
)

// Limits of an archive, those of the client's own catalogs.
const (
	maxBytes = 256 << 20
	maxFiles = 20_000
)

// Unpack extracts a .zip, .mcpb, .tar.gz or .tgz file into the existing folder
// dir and returns the folder of the plugin in it: dir, or its one subfolder
// when everything lies in one. The error is a *diag.Failure that names the
// archive.
func Unpack(archive, dir string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	if info, err := os.Stat(archive); err == nil && !info.Mode().IsRegular() {
		return "", bad(archive, "is no regular file", "name a .zip, .mcpb, .tar.gz or .tgz file").Because(fs.ErrInvalid)
	}
	u := &unpacker{root: root}
	switch name := strings.ToLower(archive); {
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".mcpb"):
		err = u.zip(archive)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		err = u.tar(archive)
	default:
		return "", bad(archive, "is no archive that a plugin comes in", "name a .zip, .mcpb, .tar.gz or .tgz file").Because(fs.ErrInvalid)
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

type unpacker struct {
	root  *os.Root
	files int
	bytes int64
}

func (u *unpacker) zip(archive string) error {
	reader, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	for _, f := range reader.File {
		if err := u.entry(f.Name, f.Mode(), f.Open); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) tar(archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	reader := tar.NewReader(plain)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		mode := header.FileInfo().Mode()
		if header.Typeflag == tar.TypeLink {
			mode |= fs.ModeIrregular // a second name of another entry
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if err := u.entry(header.Name, mode, func() (io.ReadCloser, error) { return io.NopCloser(reader), nil }); err != nil {
			return err
		}
	}
}

// entry writes one file or folder.
func (u *unpacker) entry(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if u.files++; u.files > maxFiles {
		return fmt.Errorf("it has more than %d entries", maxFiles)
	}
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	switch {
	case strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(clean)):
		return fmt.Errorf("%q does not lie inside it", name)
	case mode.IsDir():
		return u.root.MkdirAll(filepath.FromSlash(clean), 0o755)
	case !mode.IsRegular():
		return fmt.Errorf("%q is no plain file", name)
	}
	if err := u.root.MkdirAll(filepath.FromSlash(path.Dir(clean)), 0o755); err != nil {
		return err
	}
	source, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := u.root.OpenFile(filepath.FromSlash(clean), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode.Perm()|0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%q is in it twice", name)
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(target, io.LimitReader(source, maxBytes-u.bytes+1))
	if u.bytes += n; u.bytes > maxBytes {
		err = errors.Join(err, fmt.Errorf("it holds more than %d MiB", maxBytes>>20))
	}
	return errors.Join(err, target.Close())
}
