package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/report"
)

// Inventory is what is in the bundles of a plugin, in the programs that they start and
// in the files that are copied for them: one list for all, in which each version of a
// package is once. It is what notices and a bill of materials are written from.
type Inventory struct {
	Bundles   []string    // paths of the bundles, in their order
	Materials []*Material // in the order of their keys
	Direct    []string    // keys of the materials that the project's own files import
	Externals []string    // packages that stay imports, sorted

}

// Material is one version of a package that is in the plugin.
type Material struct {
	Name, Version string // as its package.json has them
	Folders       []string
	Linked        bool // a folder of the owner's that is linked in, and was not installed
	About         About
	License       License
	Texts         []Text    // of its licence and its notices
	In            []string  // bundles, programs and copied files that have something of it
	Needs         []string  // keys of the materials that it imports
	Carries       []Carried // packages whose code was in its files before
	Integrity     string    // of its archive, as a lockfile has it: "sha512-" and Base64; "" when unknown

	files []string // of which something is in a bundle
}

// Key is the name and the version.
func (m *Material) Key() string { return keyOf(m.Name, m.Version) }

// Label is the same for people.
func (m *Material) Label() string { return strings.TrimSpace(m.Name + " " + m.Version) }

func keyOf(name, version string) string {
	if version == "" {
		return name
	}
	return name + "@" + version
}

// Find returns the material of a key, or nil.
func (inv *Inventory) Find(key string) *Material {
	i, found := slices.BinarySearchFunc(inv.Materials, key, func(m *Material, key string) int { return cmp.Compare(m.Key(), key) })
	if !found {
		return nil
	}
	return inv.Materials[i]
}

// Installed are the materials of others.
func (inv *Inventory) Installed() (list []*Material) {
	for _, m := range inv.Materials {
		if !m.Linked {
			list = append(list, m)
		}
	}
	return list
}

// Take makes the inventory of bundles that were built with Options.Graph. Lockfiles are
// looked for from each package up to a folder, which is the root or lies above it.
func Take(root, above string, results []*bundler.Result) *Inventory {
	t := taking{root: root, folders: map[string]*Material{}, imports: map[string]map[string]bool{}}
	inv := &Inventory{}
	for _, r := range results {
		inv.Bundles = append(inv.Bundles, r.Graph.Outfile)
		inv.Externals = append(inv.Externals, r.Externals...)
		for _, g := range append([]*bundler.Graph{r.Graph}, r.Programs...) {
			t.graph(g)
		}
		for _, out := range r.Outputs[1:] {
			if out.Package != "" {
				t.material(out.Package, out.Folder).lies(out.Path)
			}
		}
	}
	slices.Sort(inv.Externals)
	inv.Externals = slices.Compact(inv.Externals)
	inv.Direct = t.needs(".")
	for folder, m := range t.folders {
		m.Needs = t.needs(folder)
	}
	inv.Materials = merged(t.folders)
	inv.reachAll()
	locks := lockfiles{root: root, above: above, read: map[string]map[string]locked{}}
	for _, m := range inv.Materials {
		if m.Linked {
			continue
		}
		m.Integrity = locks.integrity(m)
		m.Carries = carried(root, above, m)
	}
	return inv
}

// reachAll makes the project need what nothing imports: files that are copied, programs
// that are started.
func (inv *Inventory) reachAll() {
	reached := map[string]bool{}
	for _, key := range inv.Direct {
		reached[key] = true
	}
	for _, m := range inv.Materials {
		for _, key := range m.Needs {
			reached[key] = true
		}
	}
	for _, m := range inv.Materials {
		if !reached[m.Key()] {
			inv.Direct = append(inv.Direct, m.Key())
		}
	}
	slices.Sort(inv.Direct)
}

// taking is an inventory on its way, by the folders of packages.
type taking struct {
	root    string
	folders map[string]*Material
	imports map[string]map[string]bool // folder → folders; "." is the project's own
}

func (t *taking) graph(g *bundler.Graph) {
	folder := map[string]string{}
	for _, m := range g.Modules {
		folder[m.Path] = folderOf(m)
	}
	for _, m := range g.Modules {
		from := folderOf(m)
		for _, i := range m.Imports {
			if to := folder[i.Module]; to != "" && to != from {
				if t.imports[from] == nil {
					t.imports[from] = map[string]bool{}
				}
				t.imports[from][to] = true
			}
		}
		if m.Kept > 0 && m.Package != "" {
			material := t.material(m.Package, m.Folder)
			material.lies(g.Outfile)
			material.files = append(material.files, m.Path)
		}
	}
}

// material returns the one of a folder, read from there the first time.
func (t *taking) material(name, folder string) *Material {
	if m := t.folders[folder]; m != nil {
		return m
	}
	m := &Material{Name: name, Folders: []string{folder}, Linked: !installed(Package{Folder: folder})}
	dir := native(t.root, folder)
	m.Version, m.License = readPackage(dir)
	m.About = readAbout(dir)
	m.Name = report.Printable(cmp.Or(m.About.Name, name))
	m.Version = report.Printable(m.Version)
	m.Texts = readTexts(dir, folder)
	t.folders[folder] = m
	return m
}

// lies notes one more file that has something of the material.
func (m *Material) lies(in string) {
	if !slices.Contains(m.In, in) {
		m.In = append(m.In, in)
	}
}

// needs lists the keys of what a folder's files import. A package of which nothing is
// in the bundle stands for what it imports itself.
func (t *taking) needs(from string) []string {
	keys, seen := map[string]bool{}, map[string]bool{from: true}
	queue := slices.Collect(maps.Keys(t.imports[from]))
	for len(queue) > 0 {
		folder := queue[0]
		queue = queue[1:]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		if m := t.folders[folder]; m != nil {
			keys[m.Key()] = true
		} else if folder != "." {
			queue = slices.AppendSeq(queue, maps.Keys(t.imports[folder]))
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// merged makes one material of all copies of one version.
func merged(folders map[string]*Material) (list []*Material) {
	known := map[string]*Material{}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		m := folders[folder]
		first := known[m.Key()]
		if first == nil {
			known[m.Key()] = m
			list = append(list, m)
			continue
		}
		first.Folders = append(first.Folders, m.Folders...)
		first.files = append(first.files, m.files...)
		first.Linked = first.Linked && m.Linked
		for _, text := range m.Texts {
			first.addText(text)
		}
		for _, in := range m.In {
			first.lies(in)
		}
		first.Needs = append(first.Needs, m.Needs...)
	}
	for _, m := range list {
		slices.Sort(m.In)
		slices.Sort(m.Needs)
		m.Needs = slices.DeleteFunc(slices.Compact(m.Needs), func(key string) bool { return key == m.Key() })
		slices.Sort(m.files)
		m.files = slices.Compact(m.files)
	}
	slices.SortFunc(list, func(a, b *Material) int { return cmp.Compare(a.Key(), b.Key()) })
	return list
}
