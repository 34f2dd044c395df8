package bundler

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Options says what to build. Root, Outfile and one of Entry and Source are
// needed; every other zero value is a useful default.
type Options struct {
	Root    string // absolute folder of the project; everything else is relative to it
	Entry   string // file to start from, slash separated
	Source  string // TypeScript of a virtual entry, its imports resolved from Root; used when Entry is empty
	Outfile string // where the bundle will lie, slash separated

	External     []string // packages allowed to stay imports, their subpaths included, and paths of import(); built-in modules always may
	Header       Header   // what the bundle starts with
	HeaderSource string   // JavaScript for HeaderText

	Define map[string]string // identifier or dotted name → JavaScript expression
	Loader map[string]string // file extension with its dot → name of an esbuild loader
	Assets []string          // globs of files to lay beside the bundle, relative to Root
	Beside []string          // other files of the build, relative to Root, that the program finds beside itself

	Target string // "node20" when empty; also "node20.19", "es2022" and lists with commas
	Kind   Kind   // what the bundle is for

	Reveal   []string // modules, relative to Root, whose top level may hold values that go nowhere: they are exported
	RevealAs string   // what stands before the names of those; needed with Reveal
	MarkAs   string   // global function that the functions of the project's own scripts call when they run, with file and number

	Minify    bool // shorten whitespace, names and syntax
	Sourcemap bool // add OUTFILE.map and the comment that points to it
	Metafile  bool // fill Result.Metafile
	Graph     bool // fill Result.Graph
	AsWritten bool // make no import lean; for comparison

	HostPaths   []string // folders of this machine that must not show in the output, beside Root (the home folder)
	ToolVersion string   // version of the calling tool; part of the stamp, not of the output
}

// Kind says what a bundle is for.
type Kind int

const (
	// KindServer is a program that speaks a protocol; its exports are dropped.
	KindServer Kind = iota
	// KindScript is a program that runs and ends; its exports are dropped.
	KindScript
	// KindModule is required by others and keeps its exports.
	KindModule
)

// Header says what stands between the first line of a bundle and its code.
type Header int

const (
	// HeaderNodePath lets external packages be found among the globally
	// installed ones. It costs nothing until one is asked for and is missing.
	HeaderNodePath Header = iota
	// HeaderNone adds nothing.
	HeaderNone
	// HeaderText adds Options.HeaderSource.
	HeaderText
)

// Output is one file to write.
type Output struct {
	Path     string // relative to Root, slash separated
	Contents []byte
	Mode     fs.FileMode // permission bits: 0755 for the bundle, 0644 for others

	Package string // npm package from which the file was copied as it is, "" otherwise
	Folder  string // of that package, relative to Root; "" without
}

// Input is one file that went into the bundle.
type Input struct {
	Path    string // relative to Root, slash separated
	Bytes   int64  // size as read
	Kept    int64  // bytes of the bundle that come from it
	Package string // npm package it belongs to, "" for the project's own
}

// Saved lists what made the bundle smaller than plain esbuild makes it.
type Saved struct {
	Zod []string // files whose zod import was made lean, relative to Root
}

// Result is a finished bundle.
type Result struct {
	Outputs     []Output  // the bundle first, then its source map, then assets in order of path
	Inputs      []Input   // in order of path
	Externals   []string  // packages that stayed imports, sorted, built-in modules not counted
	Saved       Saved     // what was made lean
	Marked      []string  // the scripts with functions that call MarkAs, sorted
	Metafile    []byte    // esbuild's metafile, when asked for
	Graph       *Graph    // what it is made of, when asked for
	Programs    []*Graph  // what the programs among Outputs are made of that were bundled beside it, when asked for
	Diagnostics diag.List // warnings and notes
	Stamp       *Stamp    // recognises an unchanged project later
}

// loaders are the names that Options.Loader may use.
var loaders = map[string]api.Loader{
	"base64": api.LoaderBase64, "binary": api.LoaderBinary, "copy": api.LoaderCopy,
	"css": api.LoaderCSS, "dataurl": api.LoaderDataURL, "empty": api.LoaderEmpty,
	"file": api.LoaderFile, "js": api.LoaderJS, "json": api.LoaderJSON, "jsx": api.LoaderJSX,
	"text": api.LoaderText, "ts": api.LoaderTS, "tsx": api.LoaderTSX,
}

// defaultLoaders are for files that a server imports as text or bytes and that
// esbuild refuses without being told.
var defaultLoaders = map[string]api.Loader{
	".sql": api.LoaderText, ".html": api.LoaderText, ".htm": api.LoaderText, ".md": api.LoaderText,
	".txt": api.LoaderText, ".graphql": api.LoaderText, ".gql": api.LoaderText, ".csv": api.LoaderText,
	".hbs": api.LoaderText, ".svg": api.LoaderText,
	".wasm": api.LoaderBinary, ".node": api.LoaderCopy,
}

var targetPattern = lazyregexp.New(`^(node|es)([0-9]+(?:\.[0-9]+){0,2}|next)$`)

// check refuses options that cannot be built, and returns them with defaults
// filled in and Root free of symbolic links.
func (o Options) check() (Options, error) {
	var bad diag.List
	misuse := func(message, hint string) {
		bad.Add(diag.Diagnostic{Code: "bundle-options", Message: message, Hint: hint})
	}
	if !filepath.IsAbs(o.Root) {
		misuse("the root of a build must be an absolute path, not "+quote(o.Root), "")
	} else if root, err := filepath.EvalSymlinks(o.Root); err != nil {
		misuse("the root "+quote(o.Root)+" cannot be read", "name an existing folder")
	} else {
		o.Root = root
	}
	if (o.Entry == "") == (o.Source == "") {
		misuse("a bundle has either an entry or a source", "set entry to the file that starts the program")
	}
	if o.Outfile == "" || !filepath.IsLocal(filepath.FromSlash(o.Outfile)) {
		misuse("outfile "+quote(o.Outfile)+" does not lie inside the project", "name a file below the root, for example bridge/server.cjs")
	}
	if o.Entry != "" && !filepath.IsLocal(filepath.FromSlash(o.Entry)) {
		misuse("entry "+quote(o.Entry)+" does not lie inside the project", "name a file below the root")
	}
	for _, ext := range sortedKeys(o.Loader) {
		if _, known := loaders[o.Loader[ext]]; !known || !strings.HasPrefix(ext, ".") {
			misuse("loader "+quote(o.Loader[ext])+" for "+quote(ext)+" is not known", "use one of "+strings.Join(sortedKeys(loaders), ", "))
		}
	}
	if o.Target == "" {
		o.Target = "node20"
	}
	for _, part := range strings.Split(o.Target, ",") {
		if !targetPattern.MatchString(part) {
			misuse("target "+quote(part)+" is not known", "use node with a version, for example node20")
		}
	}
	if bad.HasErrors() {
		return o, diag.Misuse(bad...)
	}
	return o, nil
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func quote(s string) string { return `"` + s + `"` }
