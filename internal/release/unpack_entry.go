package release

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits of an archive. The first two are those of the client's own catalogs.
const (
	maxBytes = 256 << 20
	maxFiles = 20_000

	maxPathBytes = 1024 // of a path in an archive of somebody else

	// An archive whose contents are more than maxRatio times as large as itself is meant
	// to fill disks, unless they are small all the same.
	maxRatio   = 100
	fewAnyway  = 16 << 20
	headerRoom = 64 << 20 // of a tar stream, for what is no contents
)

var (
	errTooLarge = fmt.Errorf("it holds more than %d MiB", maxBytes>>20)
	errTooMany  = fmt.Errorf("it has more than %d entries", maxFiles)
	errBomb     = fmt.Errorf("its contents are more than %d times as large as the archive, as of one that is meant to fill a disk", maxRatio)
)

// unpacker writes entries below root, whoever names them.
type unpacker struct {
	root   *os.Root
	packed int64 // size of the archive; -1 for a folder
	files  int
	bytes  int64
	names  map[string]string // folded path of each file and folder → as it is written
	plain  map[string]bool   // paths of files
}

// entry is one file or folder of an archive.
type entry struct {
	name     string
	mode     fs.FileMode
	size     int64 // as the archive claims
	contents io.Reader
}

// entry writes one file or folder.
func (u *unpacker) entry(e entry) error {
	if u.files++; u.files > maxFiles {
		return errTooMany
	}
	clean := path.Clean(strings.TrimSuffix(strings.TrimPrefix(e.name, "./"), "/"))
	if clean == "." && e.mode.IsDir() {
		return nil
	}
	if err := pathFault(e.name, clean); err != nil {
		return err
	}
	if !e.mode.IsDir() && !e.mode.IsRegular() {
		return irregular(e.name, e.mode)
	}
	if err := u.claim(clean, e.mode.IsDir()); err != nil {
		return err
	}
	local := filepath.FromSlash(clean)
	if e.mode.IsDir() {
		return u.root.MkdirAll(local, 0o755)
	}
	if e.size < 0 || e.size > maxBytes-u.bytes {
		return errTooLarge
	}
	if err := u.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return err
	}
	return u.write(local, e)
}

// write copies the contents of a file, of which there must be as many as is claimed.
func (u *unpacker) write(local string, e entry) error {
	target, err := u.root.OpenFile(local, os.O_CREATE|os.O_EXCL|os.O_WRONLY, e.mode.Perm()|0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(target, io.LimitReader(e.contents, e.size+1))
	u.bytes += n
	switch {
	case err != nil:
		err = fmt.Errorf("%q cannot be read to its end: %w", e.name, err)
	case n != e.size:
		err = fmt.Errorf("%q is not as large as the archive says: %d bytes", e.name, e.size)
	case u.packed >= 0 && u.bytes > fewAnyway && u.bytes/maxRatio > u.packed:
		err = errBomb
	}
	return errors.Join(err, target.Close())
}

// pathFault says why a path cannot be that of an entry, or nil.
func pathFault(name, clean string) error {
	parts := strings.Split(name, "/")
	switch {
	case strings.ContainsRune(name, 0), name == "":
		return fmt.Errorf("%q is no name of a file", name)
	case strings.Contains(name, `\`):
		return fmt.Errorf("%q has a backslash, which leads into folders on Windows", short(name))
	case path.IsAbs(name):
		return fmt.Errorf("%q is an absolute path and does not lie inside it", short(name))
	case len(parts[0]) == 2 && parts[0][1] == ':', len(name) > 1 && name[1] == ':':
		return fmt.Errorf("%q begins with a drive of Windows and does not lie inside it", short(name))
	case clean == "..", strings.HasPrefix(clean, "../"), !filepath.IsLocal(filepath.FromSlash(clean)):
		return fmt.Errorf("%q does not lie inside it", short(name))
	case !utf8.ValidString(name):
		return fmt.Errorf("%q has a name that is not UTF-8", short(name))
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%q has a control character in its name", short(name))
	case len(name) > maxPathBytes:
		return fmt.Errorf("%q has a path of %d bytes, the limit is %d", short(name), len(name), maxPathBytes)
	case strings.Count(clean, "/") > maxDepth:
		return fmt.Errorf("%q lies more than %d folders deep", short(name), maxDepth)
	}
	for _, part := range parts {
		switch {
		case len(part) > maxPartBytes:
			return fmt.Errorf("%q has a name of %d bytes, the limit is %d", short(name), len(part), maxPartBytes)
		case part == "..":
			return fmt.Errorf("%q has .. in it, which other programs may follow", short(name))
		}
	}
	return nil
}

// short cuts a name for a message.
func short(name string) string {
	if len(name) <= 80 {
		return name
	}
	return strings.ToValidUTF8(name[:80], "") + "…"
}

// irregular says what stands where a file should, which the mode tells.
func irregular(name string, mode fs.FileMode) error {
	what := "no plain file"
	switch {
	case mode&fs.ModeSymlink != 0:
		what = "a symbolic link, which may lead anywhere"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("%q is %s", short(name), what)
}

// claim takes the names of a path, unless somebody has them: an entry of the same name,
// or one that is the same where letter case does not count or letters are composed
// otherwise. A folder may be named more than once.
func (u *unpacker) claim(clean string, folder bool) error {
	if u.plain == nil {
		u.plain = map[string]bool{}
	}
	for above := range folders(clean) {
		if err := u.claimOne(above, true); err != nil {
			return err
		}
	}
	return u.claimOne(clean, folder)
}

func (u *unpacker) claimOne(clean string, folder bool) error {
	folded := fold(clean)
	known, taken := u.names[folded]
	switch {
	case !taken:
		u.names[folded], u.plain[clean] = clean, !folder
		return nil
	case known != clean:
		return fmt.Errorf("%q and %q are one name on systems that ignore letter case or compose letters otherwise", short(known), short(clean))
	case folder && !u.plain[clean]:
		return nil
	case folder || !u.plain[clean]:
		return fmt.Errorf("%q is a file and a folder in it", short(clean))
	}
	return fmt.Errorf("%q is in it twice", short(clean))
}
