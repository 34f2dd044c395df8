package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
	"omcbuild/internal/surface"
	plugintemplate "omcbuild/plugin-template"
)

// InitOptions say what the new plugin is. Only Dir is needed.
type InitOptions struct {
	Dir         string // absolute; made by Init, or an empty folder
	Name        string // of the plugin; empty means the last part of Dir
	Description string // one line; empty means a general one
	Author      string // "Name <mail> (address)", as npm writes it; empty means "NAME contributors"
	License     string // one of plugintemplate.Licenses(); empty means MIT
	Key         string // of the server in .mcp.json; empty means t
}

// Created is a plugin that Init wrote.
type Created struct {
	Name   string
	Author string   // as it stands in package.json
	Files  []string // slash separated, relative to the plugin's root, sorted
	Prefix string   // what the client puts in front of the name of each tool
	Room   int      // characters that are left for the name of a tool
	Above  *Above   // the repository that it lies in; nil when it is one by itself
}

// Init writes a new plugin into a folder that does not exist or has nothing in
// it but .git, all files or none. What belongs to the root of a repository is
// left out below one, and Created.Above says what is to be written there. Errors are of type *diag.Failure: of class
// Usage for values that cannot be, of class Failed for a folder that cannot be
// written to.
func Init(ctx context.Context, o InitOptions) (*Created, error) {
	values, err := o.values()
	if err != nil {
		return nil, err
	}
	fresh, err := isFree(o.Dir)
	if err != nil {
		return nil, err
	}
	above := lookAbove(o.Dir, values)
	if above != nil {
		values.Catalog = above.name
	}
	rendered, err := plugintemplate.Render(values)
	if err != nil {
		return nil, err
	}
	prefix := surface.ToolPrefix(values.Name, values.Key)
	made := &Created{Name: values.Name, Author: values.Author.String(), Prefix: prefix, Room: surface.NameLimit - len(prefix), Above: above}
	files := make([]products.File, len(rendered))
	for i, f := range rendered {
		files[i] = products.File{Path: f.Path, Contents: f.Contents}
		made.Files = append(made.Files, f.Path)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if fresh {
		err = writeFolder(ctx, o.Dir, files)
	} else {
		_, err = products.Write(o.Dir, files)
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

// writeFolder makes a folder with its files beside the place where it will be,
// and renames it at the end.
func writeFolder(ctx context.Context, dir string, files []products.File) error {
	stage, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*")
	if err != nil {
		return unwritable(dir, err)
	}
	defer func() { _ = os.RemoveAll(stage) }()
	// What is inside has the modes that the user's umask gives; the stage is closed to others.
	inside := filepath.Join(stage, "plugin")
	if err := os.Mkdir(inside, 0o777); err != nil {
		return unwritable(dir, err)
	}
	if _, err := products.Write(inside, files); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(inside, dir); err != nil {
		if _, taken := isFree(dir); taken != nil { // by another program, since it was looked at
			return taken
		}
		return unwritable(dir, err)
	}
	return nil
}

// mostNamed is how many names of what is in the way are listed.
const mostNamed = 5

// isFree reports whether a folder can be made at dir (true) or is there with
// nothing in it but a repository (false). The error names what is in the way.
func isFree(dir string) (fresh bool, err error) {
	name := filepath.Base(dir)
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isDevice(name):
		return false, inTheWay(name+" is the name of a device on Windows, where no folder can have it", "choose another name for the folder")
	case errors.Is(err, fs.ErrNotExist):
		return true, parentIsFolder(dir)
	case err != nil:
		return false, unwritable(dir, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return false, inTheWay(name+" is a symbolic link", "name the folder itself, or one that does not exist yet")
	case !info.IsDir():
		return false, inTheWay(name+" is a file", "name a folder that does not exist yet")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, unwritable(dir, err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	list := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return false, inTheWay(fmt.Sprintf("the folder %s is not empty: it has %s", name, list),
		"name a folder that is empty or does not exist yet; nothing was changed")
}

func parentIsFolder(dir string) error {
	parent := filepath.Dir(dir)
	info, err := os.Stat(parent)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return inTheWay("there is no folder "+parent+" to make "+filepath.Base(dir)+" in", "make it first")
	case err != nil:
		return unwritable(dir, err)
	case !info.IsDir():
		return inTheWay(parent+" is not a folder", "name a place inside a folder")
	}
	return nil
}

func inTheWay(message, hint string) *diag.Failure {
	return diag.Misuse(diag.Diagnostic{Code: "init-folder", Message: message, Hint: hint})
}

func unwritable(dir string, err error) *diag.Failure {
	reason := err
	var pathError *fs.PathError
	var linkError *os.LinkError
	if errors.As(err, &pathError) {
		reason = pathError.Err
	} else if errors.As(err, &linkError) {
		reason = linkError.Err
	}
	return diag.Fail(diag.Diagnostic{
		Code: "init-unwritable", Message: fmt.Sprintf("the folder %s cannot be made: %v", dir, reason),
		Hint: "nothing was changed; look at who may write there, and at the space on the disk",
	}).Because(err)
}
