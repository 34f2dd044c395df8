package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"omcbuild/bundler"
)

// Duplicate is a package of which several copies are in the bundle.
type Duplicate struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`  // of all copies
	Extra  int64  `json:"extra"`  // without the largest copy
	Majors bool   `json:"majors"` // the copies differ in their major version
	Copies []Copy `json:"copies"`
}

// Copy is one of them.
type Copy struct {
	Folder    string  `json:"folder"`
	Version   string  `json:"version"`
	Bytes     int64   `json:"bytes"`
	Importers []Place `json:"importers"` // imports of it from outside of it
}

func (b *Bundle) addDuplicates() {
	b.Duplicates = []Duplicate{}
	copies := map[string][]Package{}
	for _, p := range b.Packages {
		if p.Name != "" {
			copies[p.Name] = append(copies[p.Name], p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		if len(copies[name]) > 1 {
			b.Duplicates = append(b.Duplicates, b.duplicate(name, copies[name]))
		}
	}
	slices.SortStableFunc(b.Duplicates, func(x, y Duplicate) int { return cmp.Compare(y.Extra, x.Extra) })
}

func (b *Bundle) duplicate(name string, packages []Package) Duplicate {
	d := Duplicate{Name: name}
	majors := map[string]bool{}
	for _, p := range packages { // the largest first
		major, _, _ := strings.Cut(p.Version, ".")
		majors[major] = true
		d.Bytes += p.Bytes
		of := func(file string) bool { m := b.modules[file]; return m != nil && folderOf(*m) == p.Folder }
		d.Copies = append(d.Copies, Copy{Folder: p.Folder, Version: p.Version, Bytes: p.Bytes,
			Importers: b.importers(func(i bundler.Import) bool { return of(i.Module) }, of)})
	}
	d.Extra, d.Majors = d.Bytes-packages[0].Bytes, len(majors) > 1
	return d
}
