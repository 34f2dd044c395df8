package metadata

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// syncCatalog brings marketplace.json into step, if there is one. What the
// catalog says about itself is only completed; of its entries, the plugin's
// own is brought into step and all others stay as they are.
func syncCatalog(d *desk, id identity) {
	e := d.document(project.CatalogFile)
	if e == nil {
		return
	}
	root := e.object()
	entries, ok := catalogEntries(d, root)
	if !ok {
		return
	}
	order := []string{"$schema", "name", "version", "description", "owner", "metadata", "plugins"}
	if root.text("name") == "" {
		root.setText("name", id.name, order)
	}
	meta, hasMeta := root.child("metadata")
	if root.text("description") == "" && (!hasMeta || meta.text("description") == "") {
		root.setText("description", id.description, order)
	}
	if root.find("owner") == nil && id.author.Name != "" {
		owner := root.setObject("owner", order)
		owner.label = "owner."
		owner.setText("name", id.author.Name, nil)
		owner.setText("email", id.author.Email, nil)
	}
	if own := ownEntry(d, entries, id); own >= 0 {
		entry := entries[own]
		entry.label = "entry " + id.name + ": "
		writeIdentity(entry, id)
		if len(entries) == 1 {
			setVersionOf(root, id.version)
			if hasMeta {
				meta.label = "metadata."
				setVersionOf(meta, id.version)
			}
		}
	} else {
		d.add("not-in-catalog", diag.Warning, e.at("plugins"), fmt.Sprintf("the catalog lists no plugin %s", id.name),
			fmt.Sprintf(`to offer it here, add { "name": %q, "source": "./" } to plugins`, id.name))
	}
	e.save()
}

// setVersionOf brings a version into step where there is one.
func setVersionOf(n node, version string) {
	if n.find("version") != nil {
		n.setText("version", version, nil)
	}
}

// catalogEntries returns the entries of a catalog. Those that are no objects
// are errors, because what is left would be counted wrong.
func catalogEntries(d *desk, root node) ([]node, bool) {
	v := root.find("plugins")
	if v == nil {
		return nil, true
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		d.add("invalid-catalog", diag.Error, root.at("plugins"), "plugins is not an array", "list the catalog's plugins between [ and ]")
		return nil, false
	}
	var out []node
	for i := range array.Elements {
		object, ok := array.Elements[i].Value.(*hujson.Object)
		keys := []string{"plugins", strconv.Itoa(i)}
		if !ok {
			d.add("invalid-catalog", diag.Error, root.at(keys...), fmt.Sprintf("plugins[%d] is not an object", i), "write it as { \"name\": …, \"source\": … }")
			return nil, false
		}
		out = append(out, node{editor: root.editor, object: object, keys: keys})
	}
	return out, true
}

// ownEntry returns the index of this plugin's entry: the one of its name, else
// the one whose source is the catalog's own folder, else -1.
func ownEntry(d *desk, entries []node, id identity) int {
	byName := slices.IndexFunc(entries, func(n node) bool { return n.text("name") == id.name })
	if byName < 0 {
		return slices.IndexFunc(entries, func(n node) bool {
			source := n.text("source")
			return source != "" && path.Clean(source) == "."
		})
	}
	for i := byName + 1; i < len(entries); i++ {
		if entries[i].text("name") == id.name {
			d.add("invalid-catalog", diag.Error, entries[i].at("name"), fmt.Sprintf("plugins[%d] and plugins[%d] are both named %s", byName, i, id.name), "remove one of the two; the client refuses the catalog")
		}
	}
	return byName
}
