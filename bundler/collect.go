package bundler

import (
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
	bytes   int64
	list    diag.List
}

// collect finds everything that the bundle reads at run time: what its modules
// name beside themselves, and what the options name. Programs among it go to the
// family.
func (b *build) collect(g *graph) *collection {
	c := &collection{b: b, outputs: map[string]Output{}, sources: map[string]string{}}
	for _, name := range g.names {
		file := b.sources.get(filepath.Join(b.o.Root, filepath.FromSlash(name)))
		if file == nil || g.kept[name] == 0 {
			continue
		}
		for _, a := range file.reads {
			c.take(a)
		}
	}
	for _, pattern := range b.o.Assets {
		c.glob(pattern)
	}
	return c
}

// take adds one asset.
func (c *collection) take(a asset) {
	if a.self || c.sources[a.target] == a.source {
		return
	}
	if a.script {
		c.b.family.add(a)
		return
	}
	if info, err := os.Stat(a.source); err == nil && info.IsDir() {
		if !slices.Contains(c.trees, a.source) {
			c.trees = append(c.trees, a.source)
			c.folder(a)
		}
		return
	}
	c.copy(a)
	c.tell(a, c.b.rel(a.source))
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
	info, err := os.Stat(a.source)
	switch {
	case !c.b.contains(a.source) && !a.installed:
		fail("%s leads out of the project and is not copied", c.b.rel(a.source))
		return
	case err != nil || !info.Mode().IsRegular():
		fail("%s is no file that can be copied", c.b.rel(a.source))
		return
	}
	if c.bytes += info.Size(); c.bytes > maxAssetBytes || len(c.outputs) >= maxAssetFiles {
		fail("more than %d files or %d MB lie beside the bundle; %s is not copied", maxAssetFiles, maxAssetBytes>>20, c.b.rel(a.source))
		return
	}
	contents, err := readRegular(a.source)
	if err != nil {
		fail("%s cannot be read", c.b.rel(a.source))
		return
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	c.sources[a.target] = a.source
	out := Output{Path: a.target, Contents: contents, Mode: mode}
	out.Package, out.Folder = c.b.packageOfInput(c.b.rel(a.source))
	c.outputs[a.target] = out
}

// tell notes what was copied and where to.
func (c *collection) tell(a asset, what string) {
	c.list.Add(diag.Diagnostic{Code: "asset-copied", Level: diag.Note, Position: a.from,
		Message: fmt.Sprintf("%s is read at run time and goes to %s", what, a.target)})
}

// folder adds all files below a folder.
func (c *collection) folder(a asset) {
	files := filesBelow(a.source)
	c.tell(a, fmt.Sprintf("the folder %s (files: %d)", c.b.rel(a.source), len(files)))
	for _, rel := range files {
		if c.list.HasErrors() {
			return
		}
		c.copy(asset{source: filepath.Join(a.source, filepath.FromSlash(rel)), target: path.Join(a.target, rel), installed: a.installed, from: a.from})
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

// glob lays the files that match a pattern beside the bundle.
func (c *collection) glob(pattern string) {
	matches, err := matchAssets(c.b.o.Root, pattern)
	if err != nil {
		c.list.Add(diag.Diagnostic{Code: "bad-glob", Message: "the asset pattern " + quote(pattern) + " cannot be read", Hint: "use *, ** and {a,b}, relative to the root"})
		return
	}
	if len(matches) == 0 {
		c.list.Add(diag.Diagnostic{Code: "asset-missing", Level: diag.Warning, Message: "the asset pattern " + quote(pattern) + " matches no file", Hint: "remove or correct it"})
	}
	for _, rel := range matches {
		a := asset{source: filepath.Join(c.b.o.Root, filepath.FromSlash(rel)), target: path.Join(path.Dir(c.b.o.Outfile), path.Base(rel))}
		c.copy(a)
		c.tell(a, rel)
	}
}

// matchAssets returns the files below root that a pattern names, in order. Unless
// the pattern itself names it, node_modules is left out.
func matchAssets(root, pattern string) ([]string, error) {
	if !doublestar.ValidatePattern(pattern) || !filepath.IsLocal(filepath.FromSlash(pattern)) {
		return nil, doublestar.ErrBadPattern
	}
	var list []string
	err := doublestar.GlobWalk(prunedFS{os.DirFS(root), !strings.Contains(pattern, "node_modules")}, pattern, func(p string, _ fs.DirEntry) error {
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
