package release

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"

	"omcbuild/internal/project"
)

// Identity is what a plugin says about itself. Fields that are not known are empty.
type Identity struct {
	Name        string
	DisplayName string
	Version     string
	Description string
	Author      project.Person
	License     string
	Homepage    string
	Repository  string // a web address
	Support     string
	Privacy     string
	Keywords    []string
	Icon        string // path of a file of the package
	NodeEngine  string // a range of versions
}

// members are the members of a JSON object, in the order in which they are written:
// those that are listed first, then the others by name.
type members map[string]json.RawMessage

func (m members) encode(order ...string) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	written := map[string]bool{}
	for _, name := range slices.Concat(order, slices.Sorted(maps.Keys(m))) {
		value, given := m[name]
		if !given || written[name] {
			continue
		}
		if len(written) > 0 {
			out.WriteByte(',')
		}
		written[name] = true
		out.Write(encoded(name))
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// encoded is a value as JSON on one line, with the characters of HTML as they are.
func encoded(value any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(out.Bytes())
}

// indented is a JSON document with two spaces and a line end at its end.
func indented(document json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Indent(&out, document, "", "  ") != nil {
		return nil
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// ownCatalogEntry returns the entry of a plugin in a catalog, and how many entries the
// catalog has.
func ownCatalogEntry(catalog members, name string) (entry members, entries int) {
	var list []members
	if json.Unmarshal(catalog["plugins"], &list) != nil {
		return nil, 0
	}
	for _, e := range list {
		var called string
		if json.Unmarshal(e["name"], &called) == nil && called == name {
			return e, len(list)
		}
	}
	return nil, len(list)
}

// CatalogFor returns the catalog for a folder that holds the plugin alone: the given
// one with the plugin's entry only, whose source is the folder itself. A catalog that
// says just that is returned as it is. Without one, or where it does not list the
// plugin, a catalog of the plugin's name is made when that is wanted; else the result
// is nil.
func CatalogFor(original []byte, id Identity, wanted bool) []byte {
	var catalog members
	_ = json.Unmarshal(original, &catalog)
	entry, entries := ownCatalogEntry(catalog, id.Name)
	var source string
	switch {
	case entry == nil && !wanted:
		return nil
	case entry != nil && entries == 1 && json.Unmarshal(entry["source"], &source) == nil && path.Clean(source) == ".":
		return original
	case entry == nil:
		entry = members{"name": encoded(id.Name), "version": encoded(id.Version)}
		if id.Description != "" {
			entry["description"] = encoded(id.Description)
		}
	}
	if catalog == nil {
		catalog = members{"name": encoded(id.Name), "description": encoded("The catalog of " + id.Name + ".")}
	}
	if _, given := catalog["owner"]; !given {
		owner := id.Author.Name
		if owner == "" {
			owner = id.Name
		}
		catalog["owner"] = encoded(map[string]string{"name": owner})
	}
	var about members
	if json.Unmarshal(catalog["metadata"], &about) == nil && about != nil {
		delete(about, "pluginRoot")
		catalog["metadata"] = about.encode()
		if len(about) == 0 {
			delete(catalog, "metadata")
		}
	}
	entry["source"] = encoded("./")
	one := entry.encode("name", "source", "version", "description", "author")
	catalog["plugins"] = slices.Concat(json.RawMessage("["), one, json.RawMessage("]"))
	return indented(catalog.encode("$schema", "name", "version", "description", "owner", "metadata", "plugins"))
}
