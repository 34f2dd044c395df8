package project

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
)

// Catalog reads the catalog of a folder; nil when there is none.
func Catalog(folder string) *Document {
	if !marked(folder, CatalogFile) {
		return nil
	}
	files, err := openTree(folder)
	if err != nil {
		return nil
	}
	defer files.close()
	return files.document(CatalogFile, Strict)
}

// becauseOf replaces the word that no plugin is here by what is wrong with the
// catalog, where that is the reason: at a root of several plugins their catalog
// is all there is to go by.
func becauseOf(err error, start string, folders []string) error {
	var failure *diag.Failure
	if !errors.As(err, &failure) || len(failure.Diagnostics) != 1 || !slices.Contains([]string{"no-project", "no-bundles"}, failure.Diagnostics[0].Code) {
		return err
	}
	for _, folder := range folders {
		catalog := Catalog(folder)
		if catalog == nil {
			continue
		}
		if catalog.Problem != nil {
			return diag.Fail(diag.List{*catalog.Problem}.Below(way(start, folder))...).Because(err)
		}
		if d := listsNothing(catalog); d != nil {
			return diag.Misuse(diag.List{*d}.Below(way(start, folder))...).Because(err)
		}
	}
	return err
}

// listsNothing says so of a catalog without an entry whose source is a folder.
func listsNothing(catalog *Document) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: "no-project", Position: catalog.Position("plugins"), Message: "the catalog lists no plugin in a folder, and its own folder is none",
		Hint: `add an entry to plugins, for example { "name": "clock", "source": "./plugins/clock" }`}
	v := catalog.Find("plugins")
	if v == nil {
		return d
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		d.Message = "plugins is not a list, so no plugin is found"
		d.Hint = `write it as [{ "name": "clock", "source": "./plugins/clock" }]`
		return d
	}
	for i := range list.Elements {
		if LocalSource(catalog, i) != "" {
			return nil
		}
	}
	return d
}

// way is how to get from one folder to another, slash separated.
func way(from, to string) string {
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return to
	}
	return filepath.ToSlash(relative)
}

// brokenAbove warns of catalogs above the plugin's root that cannot be read.
// One of them may list it.
func (p *Project) brokenAbove(folders []string) {
	for _, folder := range folders {
		catalog := Catalog(folder)
		if catalog == nil || !below(p.Root, folder) {
			continue
		}
		if problem := cmp.Or(catalog.Problem, noEntries(catalog)); problem != nil {
			p.broken(*problem, way(p.Root, folder))
		}
	}
}

// noEntries says so of a catalog whose plugins are no list of objects.
func noEntries(catalog *Document) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: "invalid-catalog", Position: catalog.Position("plugins"), Message: "the catalog has no list of plugins",
		Hint: `write "plugins": [{ "name": "clock", "source": "./plugins/clock" }]`}
	v := catalog.Find("plugins")
	if v == nil {
		return d
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return d
	}
	for i := range list.Elements {
		if list.Elements[i].Value.Kind() != '{' {
			d.Position, d.Message = catalog.Position("plugins", strconv.Itoa(i)), where([]string{"plugins", strconv.Itoa(i)})+" is not an object"
			return d
		}
	}
	return nil
}

func (p *Project) broken(d diag.Diagnostic, up string) {
	d.Level, d.Hint = diag.Warning, d.Hint+"; until then the catalog does not follow the plugin"
	p.Diagnostics.Add(diag.List{d}.Below(up)...)
}

// looked adds to one plugin what is wrong with its place in the repository:
// the catalog cannot be read, or neither catalog nor configuration name it.
func (s *survey) looked(p *Project, named bool) {
	up, folder := way(p.Root, s.root), way(s.root, p.Root)
	if s.catalog != nil && s.catalog.Problem != nil {
		p.broken(*s.catalog.Problem, up)
		return
	}
	if named || s.isExcluded(folder) {
		return
	}
	d := diag.Diagnostic{Code: "plugin-unlisted", Level: diag.Warning, Message: "neither the catalog nor " + ConfigFile + " of the repository names the plugin in " + folder + ", so the root leaves it out",
		Position: s.config.Position("plugins"), Hint: `name it under plugins, or leave it out there with "!` + folder + `"`}
	if s.catalog != nil {
		d.Position = s.catalog.Position("plugins")
		d.Hint = fmt.Sprintf(`to offer it, add { "name": %q, "source": "./%s" } to plugins; else leave it out in %s: { "plugins": ["!%s"] }`,
			cmp.Or(p.Config.Plugin.Name, path.Base(folder)), folder, path.Join(up, ConfigFile), folder)
	}
	p.Diagnostics.Add(diag.List{d}.Below(up)...)
}

// Around is what a folder lies in: the repository, and the catalog that offers
// what is below it. Both are absolute folders, "" where there is none.
type Around struct {
	Repository string // the top of the git repository
	Catalog    string // the nearest folder with a catalog, no further up than that
}

// LookUp finds what a folder lies in, which need not exist. One that is the top
// of a git repository itself lies in nothing.
func LookUp(dir string) Around {
	var out Around
	parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil || marked(dir, ".git") {
		return out
	}
	for _, folder := range upwards(parent) {
		if out.Catalog == "" && marked(folder, CatalogFile) {
			out.Catalog = folder
		}
		if marked(folder, ".git") {
			out.Repository = folder
		}
	}
	return out
}
