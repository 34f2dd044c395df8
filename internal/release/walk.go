package release

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// place is where something is: by the path that it has in the package, and by that of
// the file system, in which there are no links any more.
type place struct {
	shown, real string
	way         []string // real folders that led here, to notice a circle
}

// start takes a file or a folder from the root on.
func (c *collector) start(file string, as how) {
	file = path.Clean(file)
	if file == "." || !fs.ValidPath(file) {
		return
	}
	if c.Excluded(file) {
		if as == asProduct || file == project.ManifestFile || file == project.ServersFile {
			c.refused("package-excluded", file, "take it out of package.exclude", "is left out by package.exclude, and the plugin does not work without it")
		}
		return
	}
	if at, ok := c.follow(place{shown: file, real: file}); ok {
		c.take(at, as)
	}
}

// follow finds what a place really is. It tells what is wrong with a link, and reports
// false.
func (c *collector) follow(at place) (place, bool) {
	const hint = "put the file or folder itself into the plugin"
	full, err := filepath.EvalSymlinks(filepath.Join(c.Root, filepath.FromSlash(at.real)))
	target, _ := c.root.Readlink(filepath.FromSlash(at.real))
	shown := filepath.ToSlash(target)
	if shown != "" {
		shown = ", to " + shown
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && target == "" && !c.lies(at.real):
		c.refused("package-missing", at.shown, "build it, or correct its name", "is not there")
		return at, false
	case errors.Is(err, fs.ErrNotExist):
		c.refused("package-link", at.shown, "remove the link, or add what it points to", "links to what is not there%s", shown)
		return at, false
	case err != nil && strings.Contains(err.Error(), "too many links"):
		c.refused("package-link", at.shown, hint, "links in a circle%s", shown)
		return at, false
	case err != nil:
		c.unreadable(at.shown, err)
		return at, false
	}
	real, err := filepath.Rel(c.Root, full)
	if err != nil || !filepath.IsLocal(real) {
		c.refused("package-link", at.shown, hint, "links out of the plugin%s", shown)
		return at, false
	}
	at.real = filepath.ToSlash(real)
	return at, true
}

// lies reports whether the name itself is there, be it a link to nothing.
func (c *collector) lies(file string) bool {
	_, err := c.root.Lstat(filepath.FromSlash(file))
	return err == nil
}

func (c *collector) unreadable(file string, err error) {
	var pathError *fs.PathError
	reason := err.Error()
	if errors.As(err, &pathError) {
		reason = pathError.Err.Error()
	}
	c.refused("package-unreadable", file, "make it a plain file that can be read", "cannot be read: %s", reason)
}

// take takes a file, or a folder with what is in it.
func (c *collector) take(at place, as how) {
	if c.ctx.Err() != nil || c.full {
		return
	}
	info, err := c.root.Lstat(filepath.FromSlash(at.real))
	switch {
	case err != nil:
		c.unreadable(at.shown, err)
	case info.IsDir():
		c.folder(at, as)
	case !c.seen[at.shown] && c.allowed(at, as):
		c.seen[at.shown] = true
		c.file(at, info)
	}
}

// allowed decides on a file by its name, and by that of what a link leads to.
func (c *collector) allowed(at place, as how) bool {
	if c.Earlier != nil && c.Earlier(at.shown) && as != asProduct {
		c.leave(at.shown, whyPack)
		return false
	}
	if as == asProduct { // it was built
		return true
	}
	if c.ignored(at.shown, as) {
		return false
	}
	program := as == asProgram || as == asNeighbour
	for _, file := range []string{at.shown, at.real} {
		v, why := judge(file, c.Sourcemaps || as == asMap)
		if program && v == fits {
			v, why = judgeProgram(file, c.Sourcemaps)
		}
		switch {
		case v == isSecret, why == whyNpm && project.HoldsToken(c.head(at.real)):
			c.seen[at.shown] = true
			c.refused("package-secret", at.shown, "take it out of the plugin's folders, or name it under package.exclude; revoke what was published", "%s, and every user would get it", whySecret)
			return false
		case v == leftOut:
			c.leave(at.shown, why)
			return false
		}
	}
	return true
}

// ignored leaves out what git ignores and nothing names.
func (c *collector) ignored(file string, as how) bool {
	if as != asPart && as != asProgram || c.Ignored == nil || !c.Ignored(file) {
		return false
	}
	why := whyIgnored
	if as == asPart {
		why = whyIgnoredPart
	}
	c.leave(file, why)
	return true
}

func (c *collector) leave(file, why string) {
	if !slices.Contains(c.without[why], file) {
		c.without[why] = append(c.without[why], file)
	}
}

// folder takes what is in a folder, in the order of names.
func (c *collector) folder(at place, as how) {
	if c.ignored(at.shown, as) {
		return
	}
	for _, file := range []string{at.shown, at.real} {
		if v, why := judge(file, true); v == leftOut {
			c.leave(at.shown, why)
			return
		}
	}
	switch {
	case at.real == ".", slices.ContainsFunc(at.way, func(above string) bool { return above == at.real || strings.HasPrefix(above, at.real+"/") }):
		c.refused("package-link", at.shown, "remove the link", "leads back to a folder that it lies in")
		return
	case len(at.way) >= maxDepth:
		c.refused("package-large", at.shown, "put the files into fewer folders", "has folders more than %d deep", maxDepth)
		return
	}
	handle, err := project.OpenFolder(c.root, at.real)
	if err != nil {
		c.unreadable(at.shown, err)
		return
	}
	defer func() { _ = handle.Close() }()
	entries, err := handle.ReadDir(maxFiles + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		c.unreadable(at.shown, err)
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	way := append(slices.Clone(at.way), at.real)
	for _, entry := range entries {
		next, ok := place{path.Join(at.shown, entry.Name()), path.Join(at.real, entry.Name()), way}, true
		if c.Excluded(next.shown) {
			continue
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			next, ok = c.follow(next)
		}
		if ok {
			c.take(next, as)
		}
	}
}

// file reads one file into the payload.
func (c *collector) file(at place, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		c.refused("package-unreadable", at.shown, "make it a plain file, or leave it out", "is no regular file")
		return
	}
	contents, err := c.read(at.real)
	if err != nil {
		c.unreadable(at.shown, err)
		return
	}
	if c.bytes += int64(len(contents)); c.bytes > maxRead || c.payload.Len() >= maxFiles {
		c.full = true
		c.refused("package-large", at.shown, "leave out what is not needed, with package.exclude", "makes the package larger than %d MiB or %d files, which no catalog takes", maxRead>>20, maxFiles)
		return
	}
	if mended, crlf := mendFirstLine(contents); crlf {
		c.found.Add(diag.Diagnostic{Code: "package-crlf", Level: diag.Note, Position: diag.Position{File: at.shown, Line: 1}, Message: "has CR LF line ends, with which no system finds its interpreter; it is packed with LF", Hint: "save it with LF; in .gitattributes, eol=lf keeps it so"})
		contents = mended
	}
	mode := PlainMode
	executable := info.Mode().Perm()&0o111 != 0
	if c.Executable != nil {
		executable = c.Executable[at.real]
	}
	if bytes.HasPrefix(contents, []byte("#!")) || executable && c.startable(at.shown) {
		mode = RunningMode
	}
	if err := c.payload.Add(File{Path: at.shown, Mode: mode, Contents: contents}); err != nil {
		var failure *diag.Failure
		if errors.As(err, &failure) {
			c.found.Add(failure.Diagnostics...)
		}
	}
}

// startable reports whether a file that has no first line of #! may yet be one that is
// started, so that its executable bit counts. On other files that bit is an accident
// of the file system.
func (c *collector) startable(file string) bool {
	return strings.HasPrefix(file, "bin/") || strings.HasPrefix(file, "hooks/") || slices.Contains(c.Starts, file)
}

func (c *collector) read(file string) ([]byte, error) {
	handle, err := project.OpenRegular(c.root, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = handle.Close() }()
	contents, err := io.ReadAll(io.LimitReader(handle, maxRead+1))
	if err == nil && len(contents) > maxRead {
		err = fmt.Errorf("it is larger than %d MiB", maxRead>>20)
	}
	return contents, err
}

func (c *collector) head(file string) string {
	contents, err := c.read(file)
	if err != nil {
		return ""
	}
	return string(contents)
}

// mendFirstLine gives a script that begins with #! line ends of LF, when its first line
// ends in CR LF.
func mendFirstLine(contents []byte) ([]byte, bool) {
	first, _, _ := bytes.Cut(contents, []byte("\n"))
	if !bytes.HasPrefix(first, []byte("#!")) || !bytes.HasSuffix(first, []byte("\r")) {
		return contents, false
	}
	return bytes.ReplaceAll(contents, []byte("\r\n"), []byte("\n")), true
}
