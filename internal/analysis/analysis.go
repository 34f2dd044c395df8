// Package analysis says what is in a bundle: which packages and files its bytes
// come from, which of them are there twice, by which imports they came in, and
// under which licences they stand. Of all bundles together it makes the inventory
// from which notices and a bill of materials are written.
//
// It works on what package bundler returns for a build with Options.Graph, and
// reads the package.json of the packages besides; it changes nothing. Bytes are
// counted by the bundler: the bytes of a file are those that it contributes to
// the bundle after unused code was left out, and what comes from no file is
// named in Rest. So the bytes of Files and Rest add up to the bytes of the
// bundle, and so do those of Packages and Rest.
//
//	analysis.go    the description of one bundle
//	packages.go    by package and by file
//	duplicates.go  packages that are in the bundle more than once
//	why.go         the imports by which a module came in
//	materials.go   what is in all bundles together: an inventory
//	carried.go     what packages carried in their files before they were installed
//	lockfiles.go   digests of what was installed
//	notices.go     the licence texts that go with the bundles
//	license.go     what a package.json says about licences
//	page.go        all of it as one page for a browser; page/ holds its sources
package analysis

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

// Method says how the bytes are measured.
const Method = "bytes of the bundle, counted by the bundler for each file after unused code was left out; what comes from no file is listed under rest"

// Source is a finished build to look at.
type Source struct {
	Name   string          // of the bundle
	Root   string          // of the project, absolute
	Result *bundler.Result // made with Options.Graph

	AsWritten *bundler.Result // made with Options.AsWritten, for comparison; may be nil
}

// Bundle describes one bundle. Lists are in order of falling bytes where they
// have bytes, and never null.
type Bundle struct {
	Name       string       `json:"name"`
	Entry      string       `json:"entry"`
	Outfile    string       `json:"outfile"`
	Bytes      int64        `json:"bytes"`
	GzipBytes  int64        `json:"gzipBytes"` // filled by the caller
	Inputs     int          `json:"inputs"`    // files that were read
	Unused     int          `json:"unused"`    // of these, files of which nothing is in the bundle
	Packages   []Package    `json:"packages"`
	Files      []File       `json:"files"`
	Rest       []Part       `json:"rest"`
	Duplicates []Duplicate  `json:"duplicates"`
	Licenses   []LicenseUse `json:"licenses"`
	Externals  []External   `json:"externals"`
	Assets     []Asset      `json:"assets"`
	Lean       Lean         `json:"lean"`

	graph   *bundler.Graph
	modules map[string]*bundler.Module
}

// Lean is what came of imports of zod that take it as a whole, and that were changed so
// that what is unused can be left out.
type Lean struct {
	Files []string `json:"files"` // relative to the root
	Saved int64    `json:"saved"` // bytes that the bundle would have more; 0 without such files
}

// Part is a share of the bundle that comes from no file.
type Part struct {
	Name  string  `json:"name"`
	Bytes int64   `json:"bytes"`
	Share float64 `json:"share"` // percent of the bundle
}

// Place is where an import stands.
type Place struct {
	File string `json:"file"`           // relative to the root
	Line int    `json:"line,omitempty"` // 1-based; 0 when unknown
	Kind string `json:"kind"`           // import, require, dynamic import or require.resolve
}

// External is a package that the bundle expects to find where it runs.
type External struct {
	Name      string  `json:"name"`
	Importers []Place `json:"importers"`
}

// Asset is a file that lies beside the bundle and belongs to it.
type Asset struct {
	Path  string `json:"path"` // relative to the root
	Bytes int64  `json:"bytes"`
}

// Describe looks at a build. The diagnostics are about licences.
func Describe(s Source) (*Bundle, diag.List) {
	g := s.Result.Graph
	text := s.Result.Outputs[0]
	b := &Bundle{Name: s.Name, Entry: g.Entry, Outfile: text.Path, Bytes: int64(len(text.Contents)), Inputs: len(g.Modules),
		Lean: Lean{Files: []string{}}, graph: g, modules: map[string]*bundler.Module{}}
	for i := range g.Modules {
		b.modules[g.Modules[i].Path] = &g.Modules[i]
	}
	for _, file := range s.Result.Saved.Zod {
		if _, real := b.modules[file]; real {
			b.Lean.Files = append(b.Lean.Files, file)
		}
	}
	if s.AsWritten != nil {
		b.Lean.Saved = int64(len(s.AsWritten.Outputs[0].Contents)) - b.Bytes
	}
	b.addFiles()
	b.addPackages(s.Root)
	b.addRest()
	b.addDuplicates()
	b.addExternals(s.Result.Externals)
	for _, out := range s.Result.Outputs[1:] {
		b.Assets = append(b.Assets, Asset{out.Path, int64(len(out.Contents))})
	}
	if b.Assets == nil {
		b.Assets = []Asset{}
	}
	b.addLicenses()
	list := b.checkLicenses()
	return b, list
}

func (b *Bundle) addRest() {
	b.Rest = make([]Part, 0, len(b.graph.Rest))
	for _, p := range b.graph.Rest {
		b.Rest = append(b.Rest, Part{p.Name, p.Bytes, b.share(p.Bytes)})
	}
	slices.SortStableFunc(b.Rest, func(x, y Part) int { return cmp.Compare(y.Bytes, x.Bytes) })
}

// RestBytes is what comes from no file.
func (b *Bundle) RestBytes() (sum int64) {
	for _, p := range b.Rest {
		sum += p.Bytes
	}
	return sum
}

func (b *Bundle) addExternals(names []string) {
	b.Externals = make([]External, 0, len(names))
	for _, name := range names {
		places := b.importers(func(i bundler.Import) bool { return i.External == name }, func(string) bool { return false })
		b.Externals = append(b.Externals, External{name, places})
	}
}

// importers lists where an import that is wanted stands, in files that are not left
// out.
func (b *Bundle) importers(wanted func(bundler.Import) bool, leftOut func(file string) bool) []Place {
	places := []Place{}
	for i := range b.graph.Modules {
		m := &b.graph.Modules[i]
		if leftOut(m.Path) {
			continue
		}
		for _, imported := range m.Imports {
			if !wanted(imported) {
				continue
			}
			p := b.place(m.Path, imported)
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	return places
}

func (b *Bundle) place(file string, i bundler.Import) Place {
	return Place{File: file, Line: b.graph.Place(file, i).Line, Kind: i.Kind}
}

// share is the percentage of the bundle, with two decimals.
func (b *Bundle) share(bytes int64) float64 {
	return math.Round(float64(bytes)/float64(max(b.Bytes, 1))*1e4) / 100
}

// inside is a path below the innermost node_modules, or the path itself.
func inside(file string) string {
	const modules = "node_modules/"
	if i := strings.LastIndex("/"+file, "/"+modules); i >= 0 {
		return file[i+len(modules):]
	}
	return file
}

// native is a path of the project in the form of this system.
func native(root, file string) string { return filepath.Join(root, filepath.FromSlash(file)) }
