package lint

import (
	"path"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// eachLocal calls find for every entry of the catalog whose source is a folder.
func eachLocal(find func(p *plugin, name, source, folder string, place diag.Position, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for i := range p.entries() {
			index := strconv.Itoa(i)
			if source := p.catalog.String("plugins", index, "source"); source != "" {
				find(p, p.catalog.String("plugins", index, "name"), source, project.LocalSource(p.catalog, i), p.catalog.Position("plugins", index, "source"), report)
			}
		}
	}
}

func catalogSource() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-source", level: diag.Error,
		meaning: "an entry of the catalog points to a folder that is not there, or outside the catalog",
		page: Page{
			Group: Catalog,
			Why:   "The check of the client does not look whether the folder is there; users who install the entry get an error.",
			Wrong: "{\"name\": \"clock\", \"source\": \"./plugins/clok\"}",
			Do:    "Correct the path; it counts from the folder that holds .claude-plugin.",
		},
		find: eachLocal(func(p *plugin, name, source, folder string, place diag.Position, report reporter) {
			switch clean := path.Clean(folder); {
			case clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean):
				report.at(place, "name a folder below the one that holds .claude-plugin", "%s: %s is outside the catalog", clip(name), clip(source))
			case !p.exists(clean):
				report.at(place, "correct the path", "%s: %s is not there", clip(name), clip(source))
			}
		}),
	}
}

func catalogName() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-name", level: diag.Warning,
		meaning: "the catalog lists the plugin under another name than its manifest; tools are named after the manifest",
		page: Page{
			Group: Catalog,
			Why:   "Users install the plugin by the name in the catalog, and its tools carry the name of the manifest. Permissions written for one do not match the other.",
			Wrong: "marketplace.json  {\"name\": \"clock-tools\", \"source\": \"./\"}\nplugin.json       {\"name\": \"clock\"}",
			Do:    "Use one name; `omcbuild sync` writes that of the manifest.",
		},
		find: func(p *plugin, report reporter) {
			for _, index := range p.ownEntries() {
				if name := p.catalog.String("plugins", index, "name"); p.name() != "" && name != p.name() {
					report.at(p.catalog.Position("plugins", index, "name"), "run omcbuild sync", "the entry is named %q, the plugin %q", clip(name), clip(p.name()))
				}
			}
			for _, o := range p.others() {
				if name := o.manifest.String("name"); name != "" && o.entry.name != "" && name != o.entry.name {
					report.at(p.catalog.Position("plugins", o.entry.index, "name"), "run omcbuild sync", "the entry is named %q, the plugin in %s %q", clip(o.entry.name), clip(printable(o.folder)), clip(name))
				}
			}
		},
	}
}
