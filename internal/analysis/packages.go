package analysis

import (
	"cmp"
	"slices"

	"omcbuild/bundler"
)

// Package is one installed copy of a package, or all of the project's own files.
type Package struct {
	Name    string  `json:"name"`    // "" for the project's own files
	Version string  `json:"version"` // "" when it has none
	Folder  string  `json:"folder"`  // relative to the root; "." for the project's own
	Bytes   int64   `json:"bytes"`   // in the bundle
	Share   float64 `json:"share"`   // percent of the bundle
	Files   int     `json:"files"`   // of which something is in the bundle
	License License `json:"license"`
}

// Label is the package in a few words, for people.
func (p Package) Label() string {
	if p.Name == "" {
		return "(own files)"
	}
	return p.Name
}

// File is one file of which something is in the bundle.
type File struct {
	Path       string  `json:"path"`       // relative to the root
	Package    string  `json:"package"`    // "" for the project's own files
	Folder     string  `json:"folder"`     // of the package, as there
	Bytes      int64   `json:"bytes"`      // in the bundle
	Share      float64 `json:"share"`      // percent of the bundle
	InputBytes int64   `json:"inputBytes"` // size of the file itself
}

func (b *Bundle) addFiles() {
	b.Files = []File{}
	for _, m := range b.graph.Modules {
		if m.Kept == 0 {
			b.Unused++
			continue
		}
		b.Files = append(b.Files, File{Path: m.Path, Package: m.Package, Folder: folderOf(m), Bytes: m.Kept, Share: b.share(m.Kept), InputBytes: m.Bytes})
	}
	slices.SortFunc(b.Files, func(x, y File) int { return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Path, y.Path)) })
}

func folderOf(m bundler.Module) string {
	if m.Package == "" {
		return "."
	}
	return m.Folder
}

func (b *Bundle) addPackages(root string) {
	b.Packages = []Package{}
	byFolder := map[string]int{}
	for _, f := range b.Files {
		i, known := byFolder[f.Folder]
		if !known {
			i = len(b.Packages)
			byFolder[f.Folder] = i
			p := Package{Name: f.Package, Folder: f.Folder}
			p.Version, p.License = readPackage(native(root, f.Folder))
			b.Packages = append(b.Packages, p)
		}
		b.Packages[i].Bytes += f.Bytes
		b.Packages[i].Files++
	}
	for i := range b.Packages {
		b.Packages[i].Share = b.share(b.Packages[i].Bytes)
	}
	slices.SortFunc(b.Packages, func(x, y Package) int { return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Folder, y.Folder)) })
}
