package metadata

import (
	"fmt"
	"path"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// Entry is what the catalog of a repository has to say about one plugin.
type Entry struct {
	within   *project.Place
	identity identity
}

// PlanCatalog compares the catalog of a repository of several plugins with what
// they are now. Entries of plugins that are not given stay as they are, and so
// does what the catalog says about itself. root is the absolute folder of the
// repository. A plugin that the catalog does not list is a warning.
func PlanCatalog(root string, entries []Entry) (*Result, error) {
	d := newDesk(&project.Project{Root: root})
	e := d.document(project.CatalogFile)
	if e == nil {
		return d.result()
	}
	nodes, ok := catalogEntries(d, e.object())
	if !ok {
		return d.result()
	}
	for _, entry := range entries {
		id := entry.identity
		own := entryOf(e.doc, nodes, entry)
		if own < 0 {
			source, folder := "./"+entry.within.Path, entry.within.Path
			if folder == "." {
				source, folder = "./", "the root"
			}
			d.add("not-in-catalog", diag.Warning, e.at("plugins"), fmt.Sprintf("the catalog does not list %s, the plugin in %s", id.name, folder),
				fmt.Sprintf(`to offer it here, add { "name": %q, "source": %q } to plugins`, id.name, source))
			continue
		}
		node := nodes[own]
		node.label = "entry " + id.name + ": "
		writeIdentity(node, id)
	}
	e.save()
	return d.result()
}

// entryOf returns the index of the entry whose source is the plugin's folder,
// else that of its name, if that is offered from elsewhere; else -1.
func entryOf(catalog *project.Document, nodes []node, entry Entry) int {
	byName := -1
	for i := range nodes {
		source := project.LocalSource(catalog, i)
		switch {
		case source != "" && path.Clean(source) == entry.within.Path:
			return i
		case source == "" && byName < 0 && nodes[i].text("name") == entry.identity.name:
			byName = i
		}
	}
	return byName
}

// manifestLeads reports whether a plugin is described by its manifest alone: one
// without bundles whose package.json says no version.
func manifestLeads(p *project.Project) bool {
	return (p.Within != nil || p.Manifest != nil) && len(p.Bundles) == 0 && p.Package.Version == ""
}

// manifestIdentity takes the plugin's identity from its manifest, as it stands.
func manifestIdentity(d *desk) identity {
	id := identity{name: d.project.Config.Plugin.Name}
	s := d.sheet(project.ManifestFile)
	if s.now == nil {
		return id
	}
	doc := project.Parse(project.ManifestFile, s.now, project.Strict)
	if doc.Problem != nil {
		s.unusual = true
		d.found.Add(*doc.Problem)
		return id
	}
	read, bad := project.ParsePackage(doc)
	d.found.Add(bad...)
	id.version, id.description, id.license, id.homepage, id.repository = read.Version, read.Description, read.License, read.Homepage, read.Repository
	id.author, id.keywords = read.Author, read.Keywords
	return id
}
