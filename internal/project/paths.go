package project

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// cleanPath checks the form of a configured path and returns it without "./"
// and doubled slashes. The error completes the sentence "outfile ...".
func cleanPath(written string) (string, error) {
	switch {
	case strings.ContainsAny(written, "\x00\n\r"):
		return "", errors.New("holds a control character")
	case strings.Contains(written, `\`):
		return "", errors.New("holds a backslash; paths are written with forward slashes on every system")
	case path.IsAbs(written), hasDrive(written), strings.HasPrefix(written, "~"):
		return "", errors.New("is not relative to the project")
	}
	for _, part := range strings.Split(written, "/") {
		if part == ".." {
			return "", errors.New("holds .., it must stay inside the project")
		}
	}
	return path.Clean(written), nil
}

func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z')
}

// cleanGlob checks the form of a configured glob.
func cleanGlob(written string) (string, error) {
	clean, err := cleanPath(written)
	if err == nil {
		err = checkGlob(clean)
	}
	return clean, err
}

// contained reports why a path that has the right form cannot be used: one of
// its parts is a link that leaves the project, or a file where a folder is
// needed. What does not exist yet is fine.
func (t tree) contained(p string) error {
	for at := p; ; at = path.Dir(at) {
		info, err := t.root.Stat(at)
		switch {
		case err == nil && at != p && !info.IsDir():
			return errors.New("lies below " + at + ", which is not a folder")
		case err == nil:
			return nil
		case leavesRoot(err):
			return errors.New("leaves the project through a symbolic link")
		case !errors.Is(err, fs.ErrNotExist):
			if at == "." {
				return errors.New("cannot be reached: " + reason(err))
			}
			continue
		}
		if link, lerr := t.root.Lstat(at); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return errors.New("goes through " + at + ", a symbolic link to nothing")
		}
	}
}

// real follows the links of a contained path as far as it exists, so that two
// names of one file compare equal. The result is relative to the root.
func (t tree) real(p string) string {
	for hop := 0; hop < 40; hop++ {
		next, changed := t.followOne(p)
		if !changed {
			return p
		}
		p = next
	}
	return p
}

// followOne replaces the first part of p that is a link by its target.
func (t tree) followOne(p string) (string, bool) {
	parts := strings.Split(p, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		target, err := t.root.Readlink(at)
		if err != nil {
			continue
		}
		rest := parts[i+1:]
		return path.Join(append([]string{path.Dir(at), target}, rest...)...), true
	}
	return p, false
}

// glob lists the regular files that match, in order of path. Folders named
// node_modules and .git hold nothing of the project's own and are left out.
func (t tree) glob(pattern string, options ...doublestar.GlobOption) ([]string, error) {
	return Glob(t.root.FS(), ".", pattern, nil, append(options, doublestar.WithFilesOnly())...)
}
