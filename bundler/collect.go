package bundler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"omcbuild/internal/diag"
)

// Limits of what is copied beside a bundle.
const (
	maxAssetFiles = 2000
	maxAssetBytes = 64 << 20
)

// collection gathers the files that lie beside a bundle.
type collection struct {
	b       *build
	outputs map[string]Output
	sources map[string]string // target → source, absolute
	trees   []string          // folders taken along as a whole, absolute
	nested  []*Result         // bundles of programs started from this one
	bytes   int64
	list    diag.List
}

// collect finds everything that the bundle reads at run time: what its modules
// name beside themselves, and what the options name.
func (b *build) collect(ctx context.Context, g *graph) (*collection, error) {
	c := &collection{b: b, outputs: map[string]Output{}, sources: map[string]string{}}
	for _, name := range g.names {
		file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name)))
		if file == nil || g.kept[name] == 0 {
			continue
		}
		for _, a := range file.reads {
			if err := c.take(ctx, a); err != nil {
				return nil, err
			}
		}
	}
	for _, pattern := range b.o.Assets {
		c.glob(pattern)
	}
	return c, nil
}

// take adds one asset.
func (c *collection) take(ctx context.Context, a asset) error {
	if a.self || c.sources[a.target] == a.source {
		return nil
	}
	if a.script {
		return c.program(ctx, a)
	}
	if info, err := os.Stat(a.source); err == nil && info.IsDir() {
		if !slices.Contains(c.trees, a.source) {
			c.trees = append(c.trees, a.source)
			c.folder(a)
		}
		return nil
	}
	c.copy(a)
	return nil
}

// copy adds one file as it is.
func (c *collection) copy(a asset) {
	fail := func(format string, args ...any) {
		c.list.Add(diag.Diagnostic{Code: "asset-unusable", Message: fmt.Sprintf(format, args...), Position: a.from,
			Hint: "name other files under assets, or read fewer from beside the module"})
	}
	if other, taken := c.sources[a.target]; taken {
		if other == a.source {
			return
		}
		fail("%s and %s would both be copied to %s", c.b.rel(other), c.b.rel(a.source), a.target)
		return
	}
	if !c.b.contains(a.source) {
		fail("%s leads out of the project and is not copied", c.b.rel(a.source))
		return
	}
	contents, err := os.ReadFile(a.source)
	if err != nil {
		fail("%s cannot be read", c.b.rel(a.source))
		return
	}
	if c.bytes += int64(len(contents)); c.bytes > maxAssetBytes || len(c.outputs) >= maxAssetFiles {
		fail("more than %d files or %d MB lie beside the bundle; %s is not copied", maxAssetFiles, maxAssetBytes>>20, c.b.rel(a.source))
		return
	}
	c.sources[a.target] = a.source
	c.outputs[a.target] = Output{Path: a.target, Contents: contents, Mode: 0o644}
	c.list.Add(diag.Diagnostic{Code: "asset-copied", Level: diag.Note, Position: a.from,
		Message: fmt.Sprintf("%s is read at run time and goes to %s", c.b.rel(a.source), a.target)})
}

// folder adds all files below a folder.
func (c *collection) folder(a asset) {
	for _, rel := range filesBelow(a.source) {
		if c.list.HasErrors() {
			return
		}
		c.copy(asset{source: filepath.Join(a.source, filepath.FromSlash(rel)), target: path.Join(a.target, rel), from: a.from})
	}
}

// filesBelow returns the paths of all files below a folder, slash separated and in
// order, without hidden ones, installed packages and links.
func filesBelow(dir string) (list []string) {
	_ = filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipAll
		case p != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular():
			rel, _ := filepath.Rel(dir, p)
			list = append(list, filepath.ToSlash(rel))
		}
		return nil
	})
	return list
}

// program bundles a script that is started from this bundle: a worker, a child.
func (c *collection) program(ctx context.Context, a asset) error {
	b := c.b
	if _, done := c.sources[a.target]; done {
		return nil
	}
	c.sources[a.target] = a.source
	o := b.o
	o.Entry, o.Source, o.Outfile, o.Assets, o.Metafile = b.rel(a.source), "", a.target, nil, false
	o.Kind = KindScript
	if a.module {
		o.Kind = KindModule
	}
	if slices.Contains(b.within, a.source) || len(b.within) > 8 {
		c.list.Add(diag.Diagnostic{Code: "asset-unfollowed", Level: diag.Warning, Position: a.from,
			Message: b.rel(a.source) + " starts a program that it is started from; it is not bundled again"})
		return nil
	}
	result, err := buildChecked(ctx, o, append(slices.Clone(b.within), a.source))
	var failure *diag.Failure
	if errors.As(err, &failure) && inPackage(a.source) {
		c.list.Add(diag.Diagnostic{Code: "asset-unusable", Level: diag.Note, Position: a.from,
			Message: b.rel(a.source) + " is started at run time and cannot be bundled: " + failure.Diagnostics[0].Message})
		return nil
	}
	if err != nil {
		return err
	}
	c.nested = append(c.nested, result)
	for _, out := range result.Outputs {
		c.outputs[out.Path] = out
	}
	c.list.Add(diag.Diagnostic{Code: "program-bundled", Level: diag.Note, Position: a.from,
		Message: fmt.Sprintf("%s is started at run time and is bundled to %s", b.rel(a.source), a.target)})
	c.list.Add(result.Diagnostics...)
	return nil
}

// glob lays the files that match a pattern beside the bundle.
func (c *collection) glob(pattern string) {
	at := diag.Position{}
	matches, err := matchAssets(c.b.o.Root, pattern)
	if err != nil {
		c.list.Add(diag.Diagnostic{Code: "bad-glob", Message: "the asset pattern " + quote(pattern) + " cannot be read", Hint: "use *, ** and {a,b}, relative to the root"})
		return
	}
	if len(matches) == 0 {
		c.list.Add(diag.Diagnostic{Code: "asset-missing", Level: diag.Warning, Message: "the asset pattern " + quote(pattern) + " matches no file", Hint: "remove or correct it"})
	}
	for _, rel := range matches {
		c.copy(asset{source: filepath.Join(c.b.o.Root, filepath.FromSlash(rel)), target: path.Join(path.Dir(c.b.o.Outfile), path.Base(rel)), from: at})
	}
}

// matchAssets returns the files below root that a pattern names, in order. Unless
// the pattern itself names it, node_modules is left out.
func matchAssets(root, pattern string) ([]string, error) {
	if !doublestar.ValidatePattern(pattern) || !filepath.IsLocal(filepath.FromSlash(pattern)) {
		return nil, doublestar.ErrBadPattern
	}
	var list []string
	err := doublestar.GlobWalk(prunedFS{os.DirFS(root), !strings.Contains(pattern, "node_modules")}, pattern, func(p string, d fs.DirEntry) error {
		list = append(list, p)
		return nil
	}, doublestar.WithFilesOnly())
	slices.Sort(list)
	return list, err
}

// prunedFS hides .git, and node_modules when asked to, so that a pattern with **
// does not walk through them.
type prunedFS struct {
	fs.FS
	packages bool
}

func (p prunedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(p.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || p.packages && e.Name() == "node_modules"
	}), err
}

func (p prunedFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(p.FS, name) }
