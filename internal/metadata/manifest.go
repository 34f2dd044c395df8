package metadata

import (
	"fmt"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// manifestOrder is where new keys of a manifest go.
func manifestOrder() []string {
	return []string{"$schema", "name", "displayName", "source", "version", "description", "author", "homepage", "repository", "license", "keywords"}
}

// syncManifest brings plugin.json into step, or creates it.
func syncManifest(d *desk, id identity) {
	e := d.document(project.ManifestFile)
	if e == nil {
		if s := d.sheet(project.ManifestFile); s.now == nil && !s.unusual {
			e = create(s)
		} else {
			return
		}
	}
	if old := e.object().text("name"); old != "" && old != id.name {
		d.add("plugin-renamed", diag.Warning, e.at("name"),
			fmt.Sprintf("the plugin is renamed from %s to %s; its tools become mcp__plugin_%s_…", old, id.name, id.name),
			fmt.Sprintf("to keep the old name, set plugin.name to %q in %s", old, project.ConfigFile))
	}
	writeIdentity(e.object(), id)
	e.save()
}

// create starts a JSON file that does not exist.
func create(s *sheet) *editor {
	return newEditor(s, project.Parse(s.path, []byte("{}\n"), project.Strict))
}

// writeIdentity brings the fields that a manifest and a catalog entry share
// into step.
func writeIdentity(n node, id identity) {
	order := manifestOrder()
	n.setText("name", id.name, order)
	n.setText("version", id.version, order)
	n.setText("description", id.description, order)
	if id.author.Name != "" {
		writePerson(n.setObject("author", order), id.author)
	}
	n.setText("homepage", id.homepage, order)
	n.setText("repository", id.repository, order)
	n.setText("license", id.license, order)
	n.setTexts("keywords", id.keywords, order)
}

func writePerson(n node, person project.Person) {
	order := []string{"name", "email", "url"}
	n.label += "author."
	n.setText("name", person.Name, order)
	n.setText("email", person.Email, order)
	n.setText("url", person.URL, order)
}
