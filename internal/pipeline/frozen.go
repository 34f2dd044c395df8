package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/products"
)

// frozenStep compares everything that a build would write with what is on
// disk, and names what is stale and why. Nothing is written.
func frozenStep(_ context.Context, r *run) error {
	r.diagnostics.Add(drift(r.files)...)
	r.products = nil
	if err := r.gather(); err != nil {
		return err
	}
	for _, file := range r.products {
		if !products.Changed(r.project.Root, file) {
			continue
		}
		if it := r.lockOf(file.Path); it != nil {
			r.diagnostics.Add(it.staleLock())
		} else {
			r.diagnostics.Add(stale(r.project.Root, file))
		}
	}
	return nil
}

// lockOf returns the bundle whose lock file has that path, or nil.
func (r *run) lockOf(path string) *item {
	for _, it := range r.items {
		if it.mcp() && it.bundle.LockFile == path {
			return it
		}
	}
	return nil
}

func (it *item) staleLock() diag.Diagnostic {
	d := diag.Diagnostic{Code: "stale-lock", Position: diag.Position{File: it.bundle.LockFile}, Hint: "run omcbuild build and commit the result"}
	switch {
	case it.lock == nil:
		d.Message = "is not there"
	case len(it.changes) == 0:
		d.Message = "is not written as omcbuild writes it"
	default:
		d.Message = "does not record what the bundle offers: " + it.changes[0].Message
		if more := len(it.changes) - 1; more > 0 {
			d.Message += fmt.Sprintf(", and %d more", more)
		}
	}
	return d
}

func stale(root string, file products.File) diag.Diagnostic {
	d := diag.Diagnostic{Code: "stale-bundle", Position: diag.Position{File: file.Path}, Hint: "run omcbuild build and commit the result"}
	path := filepath.Join(root, filepath.FromSlash(file.Path))
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		d.Message = "is no regular file, and the sources build one"
		return d
	}
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Message = "is not there, and the sources build it"
	case err != nil:
		d.Message = "cannot be read: " + plain(err)
	case bytes.Equal(old, file.Contents):
		d.Message = fmt.Sprintf("has another mode than %04o", file.Mode.Perm())
		d.Hint = fmt.Sprintf("chmod %04o %s", file.Mode.Perm(), file.Path)
	default:
		d.Line, d.Message = staleLine(old, file.Contents)
	}
	return d
}

// staleLine says where a file is not what the sources build. Of what is behind a front
// the source can be named, so a difference there counts first.
func staleLine(old, built []byte) (line int, message string) {
	oldServer, _, had := bundler.Unfront(old)
	server, _, has := bundler.Unfront(built)
	message = "is not what the sources build: "
	switch {
	case !bytes.Equal(oldServer, server):
		inServer := firstDifference(oldServer, server)
		line = bundler.FrontLine(old, inServer)
		return line, message + "it differs first in line " + fmt.Sprint(line) + origin(server, inServer)
	case had != has && has:
		return 0, message + "it has no front"
	case had != has:
		return 0, message + "it has a front, and none was made now"
	}
	line = firstDifference(old, built)
	return line, message + "it differs first in line " + fmt.Sprint(line) + ", in its front"
}

// moduleComment is how esbuild marks the start of a source file in a bundle
// that is not minified.
var moduleComment = lazyregexp.New(`^(?:\s*)// (\S+\.\w+)$`)

// origin says from which source file a line of a bundle comes, if that can be
// told.
func origin(bundle []byte, line int) string {
	name := ""
	for i, text := range bytes.Split(bundle, []byte("\n")) {
		if i >= line {
			break
		}
		if m := moduleComment.FindSubmatch(text); m != nil {
			name = string(m[1])
		}
	}
	if name == "" {
		return ""
	}
	return ", which comes from " + name
}
