package scaffold

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
	plugintemplate "omcbuild/plugin-template"
)

// Above is the repository that a new plugin was written into. A catalog and a
// workflow work at its root alone, so the plugin has none.
type Above struct {
	Root    string // absolute: the folder of the catalog, which is to list the plugin
	Top     string // absolute: the folder whose workflows run
	Catalog bool   // whether there is a catalog
	Broken  string // why it cannot be read; "" when it can
	Listed  bool   // whether it lists the plugin already
	Write   string // what to write: the entry to add to plugins, or without a catalog the whole of it
	name    string // of the catalog
}

// catalogName is what can be a part of PLUGIN@CATALOG.
var catalogName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// lookAbove returns nil for a plugin that will be a repository by itself.
func lookAbove(dir string, v plugintemplate.Values) *Above {
	around := project.LookUp(dir)
	if around.Repository == "" && around.Catalog == "" {
		return nil
	}
	a := &Above{Root: cmp.Or(around.Catalog, around.Repository), Top: cmp.Or(around.Repository, around.Catalog), Catalog: around.Catalog != ""}
	a.name = kebab(filepath.Base(a.Root))
	if project.CheckPluginName(a.name) != project.NameFine {
		a.name = "plugins"
	}
	source := sourceOf(a.Root, dir)
	if !a.Catalog {
		a.Write = a.wholeCatalog(source, v)
		return a
	}
	a.Write = line(entryFields{v.Name, source})
	catalog := project.Catalog(a.Root)
	switch {
	case catalog == nil:
		a.Broken = "it cannot be read"
	case catalog.Problem != nil:
		a.Broken = catalog.Problem.String()
	default:
		if name := catalog.String("name"); catalogName.MatchString(name) {
			a.name = name
		}
		a.Listed = lists(catalog, source)
	}
	return a
}

// sourceOf is the folder as the catalog at root names it.
func sourceOf(root, dir string) string {
	if parent, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(parent, filepath.Base(dir))
	}
	relative, err := filepath.Rel(root, dir)
	if err != nil {
		relative = filepath.Base(dir)
	}
	return "./" + filepath.ToSlash(relative)
}

func lists(catalog *project.Document, source string) bool {
	var entries []any
	if catalog.Decode(&entries, "plugins") != nil {
		return false
	}
	for i := range entries {
		if listed := project.LocalSource(catalog, i); listed != "" && path.Clean(listed) == path.Clean(source) {
			return true
		}
	}
	return false
}

type entryFields struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

type ownerFields struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
}

// wholeCatalog is a catalog that offers the plugin alone.
func (a *Above) wholeCatalog(source string, v plugintemplate.Values) string {
	rows := []string{
		`"name": ` + strconv.Quote(a.name),
		`"description": ` + strconv.Quote("The plugins of "+a.name+"."),
		`"owner": ` + line(ownerFields{v.Author.Name, v.Author.Email}),
		"\"plugins\": [\n    " + line(entryFields{v.Name, source}) + "\n  ]",
	}
	return "{\n  " + strings.Join(rows, ",\n  ") + "\n}\n"
}

// line writes an object of texts on one line, with room between its parts.
func line(object any) string {
	var text, out bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	_ = e.Encode(object)
	for row := range strings.Lines(text.String()) {
		row = strings.Trim(row, "\t\n")
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(row)
	}
	return out.String()
}
