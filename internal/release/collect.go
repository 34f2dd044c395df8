package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Selection says what of a plugin's folder goes into its package: what is named here,
// the manifests, and what tells users about the plugin. Nothing else does.
type Selection struct {
	Root string // absolute folder of the plugin, free of symbolic links
	// Products are the bundles and what was built beside them. They have to be there.
	Products []string
	// Parts are files and folders that the client and the model read as they are, such
	// as a folder of skills. They come whole, sources and tests included.
	Parts []string
	// Programs are files and folders that servers and hooks start or are given. A script
	// brings along the folder that it lies in, without sources that are compiled and
	// without tests.
	Programs []string
	// Starts are those of them that are started by their name alone.
	Starts []string
	// Include and Exclude are the globs of the configuration. What is excluded is not in
	// the package whatever else names it.
	Include, Exclude []Pattern
	// Sourcemaps says whether source maps come along.
	Sourcemaps bool
	// Earlier reports whether a file is a package that was made before, or belongs to
	// one. It may be nil.
	Earlier func(file string) bool
	// Ignored reports whether git ignores a file or folder. What it ignores is not taken
	// along with a folder, though it is when it is named itself. It may be nil.
	Ignored func(file string) bool
	// Executable says which files have an executable bit, by path, where the file system
	// does not; nil is to ask the file system.
	Executable map[string]bool
}

// Pattern is a glob with its place in the configuration.
type Pattern struct {
	Glob  string
	Place diag.Position
}

// Limits of a package, those of the client's own catalogs.
const (
	maxDepth = 64
	maxRead  = maxBytes
)

// how says in what way something came to be in a package.
type how int

const (
	asPart how = iota
	asProgram
	asNeighbour // of a script that is named, and that git ignores
	asProduct
	asIncluded
	asMap // by a glob that asks for source maps
)

// Collect reads the files of a package. What it leaves out is a note or a warning, and
// what may not be there an error: secrets, links that lead out of the plugin, nowhere
// or in a circle, names that not every system can hold, more than a catalog takes. The
// error is for a folder that cannot be read at all, and for the end of ctx.
func Collect(ctx context.Context, s Selection) (*Payload, diag.List, error) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	c := &collector{Selection: s, ctx: ctx, root: root, payload: &Payload{}, seen: map[string]bool{}, without: map[string][]string{}}
	for _, file := range s.Products {
		c.start(file, asProduct)
	}
	c.usual()
	for _, file := range s.Parts {
		c.start(file, asPart)
	}
	for _, file := range s.Programs {
		c.program(file)
	}
	c.included()
	c.sayWithout()
	return c.payload, c.found, ctx.Err()
}

// collector is a package on its way.
type collector struct {
	Selection
	ctx     context.Context
	root    *os.Root
	payload *Payload
	found   diag.List
	seen    map[string]bool     // paths that were decided on
	without map[string][]string // why → files that are left out
	bytes   int64
	full    bool // a limit was reached, and was told
}

func (c *collector) refused(code, file, hint, format string, args ...any) {
	c.found.Add(diag.Diagnostic{Code: code, Position: diag.Position{File: file}, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// usual takes what lies in its usual place: manifests, and texts about the plugin.
func (c *collector) usual() {
	for _, file := range []string{".claude-plugin", ".mcp.json", ".lsp.json", "settings.json", "SKILL.md", "package.json", "assets/icon.png", "assets/icon.jpg", "assets/icon.jpeg"} {
		c.ifThere(file, asPart)
	}
	for _, folder := range []string{"hooks", "bin"} {
		c.ifThere(folder, asProgram)
	}
	names, _ := fs.ReadDir(c.root.FS(), ".")
	for _, entry := range names {
		if describes(entry.Name()) && !entry.IsDir() {
			c.start(entry.Name(), asPart)
		}
		if !entry.IsDir() {
			c.beside(entry.Name())
		}
	}
}

// beside refuses what lies at the root, is not in the package, and hurts whoever
// installs the plugin from its repository: the same folder is offered both ways. Those
// who publish packages alone say so by excluding it.
func (c *collector) beside(name string) {
	if c.Excluded(name) || c.Ignored != nil && c.Ignored(name) {
		return
	}
	switch {
	case project.HoldsSecrets(name), name == ".npmrc" && project.HoldsToken(c.head(name)):
		c.refused("package-secret", name, "let git ignore it, or move it elsewhere; revoke what was published", "%s in the plugin's folder; it is not in the package, but an installation from the repository copies it", whySecret)
	case (name == "package-lock.json" || name == "npm-shrinkwrap.json") && c.lies("package.json"):
		c.refused("package-lockfile", name, "move the npm workspace with its package.json and lockfile into a folder such as src/; or, when you publish packages alone, name it under package.exclude",
			"lies beside package.json; it is not in the package, but an installation from the repository runs npm for it")
	}
}

func (c *collector) ifThere(file string, as how) {
	if _, err := c.root.Lstat(file); err == nil {
		c.start(file, as)
	}
}

// program takes what a server or hook names. What is not there, other rules speak of.
func (c *collector) program(file string) {
	info, err := c.root.Stat(file)
	if err != nil {
		c.ifThere(file, asProgram) // a link that leads out
		return
	}
	c.start(file, asIncluded) // as it is named: a source, too, may be what is started
	folder := path.Dir(file)
	if !info.Mode().IsRegular() || folder == "." || slices.Contains(c.Products, file) || !isScript(file) || c.isWorkspace(folder) {
		return
	}
	switch {
	case c.Ignored != nil && c.Ignored(file): // it was built, as what lies beside it
		c.start(folder, asNeighbour)
	case typeScript.MatchString(file): // what runs it reads such sources
		c.start(folder, asPart)
	default:
		c.start(folder, asProgram)
	}
}

// isScript reports whether a file, by its name, is a program that may need the files
// beside it.
func isScript(file string) bool {
	return slices.Contains([]string{"", ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh", ".bash", ".rb", ".pl", ".php", ".ps1", ".cmd", ".bat"}, path.Ext(file))
}

// isWorkspace reports whether a folder is one that things are built from.
func (c *collector) isWorkspace(folder string) bool {
	return slices.ContainsFunc([]string{"package.json", "tsconfig.json"}, func(name string) bool {
		_, err := c.root.Lstat(path.Join(folder, name))
		return err == nil
	})
}

// included takes what the configuration adds.
func (c *collector) included() {
	for _, pattern := range c.Include {
		found := []string{pattern.Glob}
		literal := !strings.ContainsAny(pattern.Glob, "*?[{")
		if !literal {
			var err error
			found, err = project.Glob(c.root.FS(), ".", pattern.Glob, c.ctx.Err, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
			if err != nil {
				c.found.Add(diag.Diagnostic{Code: "package-include", Position: pattern.Place, Message: "package.include: " + pattern.Glob + " " + err.Error(), Hint: "name fewer folders"})
			}
		}
		if _, err := c.root.Lstat(pattern.Glob); len(found) == 0 || literal && errors.Is(err, fs.ErrNotExist) {
			c.found.Add(diag.Diagnostic{Code: "package-include", Level: diag.Warning, Position: pattern.Place, Message: "package.include: " + pattern.Glob + " matches no file", Hint: "correct the glob, or remove it"})
			continue
		}
		as := asIncluded
		if strings.HasSuffix(pattern.Glob, ".map") {
			as = asMap
		}
		for _, file := range found {
			if v, why := judge(file, c.Sourcemaps || as == asMap); literal && v != fits && !c.Excluded(file) {
				c.found.Add(diag.Diagnostic{Code: "package-forbidden", Position: pattern.Place, Message: fmt.Sprintf("package.include: %s %s, and no package holds such a file", file, why), Hint: "take it out of package.include"})
				continue
			}
			c.start(file, as)
		}
	}
}

// Excluded reports whether the configuration leaves a file or folder out.
func (s Selection) Excluded(file string) bool {
	for _, pattern := range s.Exclude {
		for at := file; at != "."; at = path.Dir(at) {
			if match, _ := doublestar.Match(pattern.Glob, at); match {
				return true
			}
		}
	}
	return false
}

// sayWithout tells what is left out, all that has one reason together.
func (c *collector) sayWithout() {
	for _, why := range []string{whyIgnoredPart, whyIgnored, whyModules, whyLockfile, whyNpm, whySource, whyTest, whyMap, whyVersions, whyLeft, whyPack} {
		files := slices.DeleteFunc(c.without[why], func(file string) bool { _, there := c.payload.File(file); return there })
		if len(files) == 0 {
			continue
		}
		slices.Sort(files)
		d := diag.Diagnostic{Code: "package-without", Level: diag.Note, Position: diag.Position{File: files[0]}, Message: "is not in the package: it " + why}
		if more := len(files) - 1; more > 0 {
			d.Message = fmt.Sprintf("and %d more like it are not in the package: it %s", more, why)
		}
		switch why {
		case whyModules:
			d.Level, d.Hint = diag.Warning, "bundle what is needed of it, or take the folder out of the plugin"
		case whyIgnoredPart:
			d.Level = diag.Warning
			fallthrough
		case whyTest, whySource, whyIgnored:
			d.Hint = "name it under package.include when users need it"
		case whyMap:
			d.Hint = "--sourcemap packs source maps too"
		}
		c.found.Add(d)
	}
}
