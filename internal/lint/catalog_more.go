package lint

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

func catalogTwice() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-entry-twice", level: diag.Error,
		meaning: "two entries of the catalog have the same name",
		page: Page{
			Group: Catalog,
			Why:   "Users install by name. The client refuses the catalog.",
			Wrong: `{"plugins": [{"name": "clock", "source": "./a"}, {"name": "clock", "source": "./b"}]}`,
			Do:    "Rename one of them, or remove it.",
		},
		find: func(p *plugin, report reporter) {
			seen := map[string]string{}
			for _, e := range p.catalogEntries() {
				if before, twice := seen[e.name]; twice && e.name != "" {
					report.at(p.catalog.Position("plugins", e.index, "name"), "rename one of them", "%s is also entry %s", e.label(), before)
					continue
				}
				seen[e.name] = e.index
			}
		},
	}
}

func catalogIncomplete() rule[*plugin] {
	known := []string{"$schema", "name", "owner", "plugins", "description", "version", "metadata", "allowCrossMarketplaceDependenciesOn", "renames"}
	return rule[*plugin]{
		code: "catalog-incomplete", level: diag.Warning,
		meaning: "the catalog has no description, no plugin, a name for other purposes, or a key that the client ignores",
		page: Page{
			Group: Catalog,
			Why:   "The client takes it and its strict check fails.",
			Wrong: `{"name": "tools", "owner": {"name": "Ada"}, "plugins": []}`,
			Do:    "Add a description and a plugin, and correct keys that are misspelled.",
		},
		find: func(p *plugin, report reporter) {
			if p.catalog == nil || p.catalog.Problem != nil {
				return
			}
			values := members(p.catalog)
			if textOf(values["description"]) == "" && p.catalog.String("metadata", "description") == "" {
				report.at(diag.Position{File: catalogFile}, `add "description": "…" beside name, one sentence on what the catalog offers`, `has no "description"`)
			}
			if name := textOf(values["name"]); slices.Contains([]string{"org", "org-provisioned", "unknown"}, name) {
				report.at(p.catalog.Position("name"), "use another name", "the name %s means something else in other clients", name)
			}
			if list, ok := values["plugins"].([]any); ok && len(list) == 0 {
				report.at(p.catalog.Position("plugins"), `add an entry, for example { "name": "clock", "source": "./plugins/clock" }`, "lists no plugin")
			}
			for _, name := range sortedKeys(values) {
				if !slices.Contains(known, name) {
					report.at(p.catalog.KeyPosition(name), "remove it", "%s has no effect%s", clip(printable(name)), suggestion(name, known))
				}
			}
			fields := manifestFields()
			for _, e := range p.catalogEntries() {
				if value, ok := e.fields["relevance"]; ok && valueType(value) != anObject {
					report.at(p.catalog.Position("plugins", e.index, "relevance"), "write an object with topic and signals", "%s: relevance is %s and is ignored", e.label(), valueType(value))
				}
				for _, name := range sortedKeys(e.fields) {
					if _, ok := fields[name]; !ok && !slices.Contains([]string{"source", "category", "tags", "strict", "relevance"}, name) {
						report.at(p.catalog.KeyPosition("plugins", e.index, name), "remove it", "%s: %s has no effect", e.label(), clip(printable(name)))
					}
				}
			}
		},
	}
}

func catalogReserved() rule[*plugin] {
	reserved := []string{
		"claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "anthropic-marketplace", "anthropic-plugins",
		"agent-skills", "knowledge-work-plugins", "life-sciences",
	}
	return rule[*plugin]{
		code: "catalog-name-reserved", level: diag.Error,
		meaning: "the catalog has a name that belongs to the client's vendor",
		page: Page{
			Group: Catalog,
			Why:   "The client's check lets it pass, and the client refuses to add such a catalog.",
			Wrong: `{"name": "claude-plugins-official"}`,
			Do:    "Name the catalog after yourself or your organisation.",
		},
		find: func(p *plugin, report reporter) {
			name := p.catalog.String("name")
			words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
			passes := slices.Contains(words, "official") && (slices.Contains(words, "claude") || slices.Contains(words, "anthropic"))
			if slices.Contains(reserved, name) || passes {
				report.at(p.catalog.Position("name"), "use another name", "the name %s is reserved", clip(printable(name)))
			}
		},
	}
}

// catalogIgnored finds parts that an entry adds to a plugin in a folder.
func catalogIgnored() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-entry-ignored", level: diag.Warning,
		meaning: "an entry of the catalog adds parts to a plugin in a folder, which the client does not load",
		page: Page{
			Group: Catalog,
			Why:   "For a plugin in a folder the manifest counts alone. Servers that only the entry names were not started, and paths in it are not looked at.",
			Wrong: `{"name": "clock", "source": "./", "mcpServers": {"t": {"command": "node"}}}`,
			Do:    "Move the parts to the plugin's own files.",
		},
		find: func(p *plugin, report reporter) {
			for _, e := range p.catalogEntries() {
				if textOf(e.fields["source"]) == "" || e.fields["strict"] == false {
					continue
				}
				for _, field := range []string{"agents", "commands", "hooks", "lspServers", "mcpServers", "outputStyles", "skills"} {
					if e.fields[field] != nil {
						report.at(p.catalog.KeyPosition("plugins", e.index, field), "move it to the plugin's manifest", "%s: %s may not be loaded", e.label(), field)
					}
				}
			}
		},
	}
}

// other is a plugin in a folder below this one that the catalog lists.
type other struct {
	entry    entry
	folder   string
	manifest *project.Document
}

// others reads the manifests of the other plugins that the catalog lists.
func (p *plugin) others() (found []other) {
	for i, e := range p.catalogEntries() {
		folder := path.Clean(project.LocalSource(p.catalog, i))
		if folder == "." || len(found) >= 100 {
			continue
		}
		if path.IsAbs(folder) || folder == ".." || strings.HasPrefix(folder, "../") {
			continue
		}
		if doc := p.read(path.Join(folder, manifestFile)); doc != nil {
			found = append(found, other{e, folder, doc})
		}
	}
	return found
}

func catalogPlugin() rule[*plugin] {
	return rule[*plugin]{
		code: "catalog-plugin", level: diag.Error,
		meaning: "the manifest of a plugin that the catalog lists cannot be used, or says another version than the entry",
		page: Page{
			Group: Catalog,
			Why:   "The client refuses a catalog with a broken manifest, and goes by the manifest where versions differ.",
			Wrong: "marketplace.json            {\"name\": \"clock\", \"source\": \"./clock\", \"version\": \"1.1.0\"}\nclock/.claude-plugin/plugin.json  {\"name\": \"clock\", \"version\": \"1.0.0\"}",
			Do:    "Run `omcbuild verify --plugin` in that folder, and let the entry say what the manifest says.",
		},
		find: func(p *plugin, report reporter) {
			for _, o := range p.others() {
				name, version := o.manifest.String("name"), o.manifest.String("version")
				stated := textOf(o.entry.fields["version"])
				switch {
				case o.manifest.Problem != nil:
					report.at(o.manifest.Problem.Position, o.manifest.Problem.Hint, "%s", o.manifest.Problem.Message)
				case name == "":
					report.at(o.manifest.Position("name"), `add "name": "…"`, "the plugin has no name")
				case stated != "" && version != "" && stated != version:
					report.at(p.catalog.Position("plugins", o.entry.index, "version"), "write "+version, "%s: version %q differs from %q in %s", o.entry.label(), clip(stated), clip(version), o.manifest.Path)
				}
			}
		},
	}
}
