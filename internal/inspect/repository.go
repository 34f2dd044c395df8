package inspect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
	"omcbuild/internal/project"
)

// Bounds on what is read of a repository. Scripts and configuration files are
// a few kilobytes.
const (
	maxFile    = 1 << 20 // bytes of a file
	maxFolders = 100     // packages of a workspace that are looked into
	maxMatches = 500     // files that a glob may name
	maxGlobs   = 200     // globs that are looked for
	maxLeft    = 1000    // things that are said to be left
)

// repository reads files below its root and nothing else; links that leave it
// are not followed.
type repository struct {
	root      *os.Root
	scripts   map[string]*script
	documents map[string]*project.Document // by path and syntax
	globs     int                          // how many patterns were looked for
	left      []Left
	work      *budget
}

// read returns a file's contents. The error completes the sentence "the file ...".
func (r *repository) read(name string) ([]byte, error) {
	info, err := r.root.Stat(name)
	switch {
	case err != nil:
		return nil, errors.New(reason(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("has %d bytes, the limit is %d", info.Size(), maxFile)
	}
	file, err := project.OpenRegular(r.root, name)
	if err != nil {
		return nil, errors.New(reason(err))
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("grew over the limit of %d bytes while it was read", maxFile)
	}
	return data, err
}

func reason(err error) string {
	var pathError *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.As(err, &pathError) && pathError.Err.Error() == "path escapes from parent":
		return "leaves the repository through a symbolic link"
	case errors.As(err, &pathError):
		return "cannot be read: " + pathError.Err.Error()
	}
	return "cannot be read: " + err.Error()
}

func (r *repository) isFile(name string) bool {
	info, err := r.root.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (r *repository) isFolder(name string) bool {
	info, err := r.root.Stat(name)
	return err == nil && info.IsDir()
}

func (r *repository) exists(name string) bool {
	_, err := r.root.Lstat(name)
	return err == nil
}

// document reads a JSON file; nil when there is none or it cannot be used. The
// second case is noted.
func (r *repository) document(name string, syntax project.Syntax) *project.Document {
	key := fmt.Sprint(syntax, name)
	if doc, known := r.documents[key]; known {
		return doc
	}
	r.documents[key] = nil
	if !r.exists(name) {
		return nil
	}
	data, err := r.read(name)
	if err != nil {
		r.leave(name, diag.Position{File: name}, "the file "+err.Error())
		return nil
	}
	doc := project.Parse(name, data, syntax)
	if doc.Problem != nil {
		r.leave(name, doc.Problem.Position, doc.Problem.Message)
		return nil
	}
	r.documents[key] = doc
	return doc
}

// script reads a JavaScript or TypeScript file, once; nil when it cannot be
// read, which is noted.
func (r *repository) script(name string) *script {
	if s, known := r.scripts[name]; known {
		return s
	}
	r.scripts[name] = nil
	data, err := r.read(name)
	if err != nil {
		r.leave(name, diag.Position{File: name}, "the file "+err.Error())
		return nil
	}
	file, ok := jsscan.Scan(strings.TrimPrefix(string(data), "\ufeff"))
	if !ok {
		r.leave(name, diag.Position{File: name}, "its syntax cannot be followed")
		return nil
	}
	s := newScript(r, name, file)
	r.scripts[name] = s
	return s
}

// leave notes something that could not be taken over, once.
func (r *repository) leave(what string, from diag.Position, why string) {
	from.Column = 0
	l := Left{What: clip(what), From: from.String(), Why: why}
	if len(r.left) < maxLeft && !slices.Contains(r.left, l) {
		r.left = append(r.left, l)
	}
}

// glob lists the files that match a pattern below a folder.
func (r *repository) glob(folder, pattern string) []string {
	if r.globs++; r.globs > maxGlobs || strings.HasPrefix(pattern, "/") {
		return nil
	}
	base, rest := doublestar.SplitPattern(path.Join(folder, pattern))
	if base == ".." || strings.HasPrefix(base, "../") || !r.isFolder(base) {
		return nil
	}
	visit := func() error { return r.work.spend(costOfFolder) }
	found, err := project.Glob(r.root.FS(), base, rest, visit, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil || len(found) > maxMatches {
		return nil
	}
	return found
}

// clip shortens a text that is shown.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, rooted, ".")), " ")
	if len(s) <= 100 {
		return s
	}
	return strings.ToValidUTF8(s[:100], "") + "…"
}
