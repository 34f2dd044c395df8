package project

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
)

// NeedsBundles returns why a command about bundles has nothing to work on: the
// plugin starts a program of its own that no configuration names. It is nil for a
// plugin with bundles, and for one that has nothing to bundle.
func (p *Project) NeedsBundles() error {
	if p.unbundled == nil {
		return nil
	}
	return diag.Misuse(*p.unbundled)
}

// noBundles is what is said of a folder without bundles. It stops everything in one
// that is no plugin, and what is about bundles in a plugin that has something to
// bundle; skills, hooks and servers elsewhere need none.
func (r *resolver) noBundles(sought []string) {
	missing, hint := "there is no "+ConfigFile, noConfigHint
	if r.doc != nil {
		missing, hint = ConfigFile+" names no bundles", noBundlesHint
	}
	d := diag.Diagnostic{
		Code: "no-bundles", Position: diag.Position{File: r.docPath()}, Hint: hint,
		Message: "nothing to build: " + missing + " and neither " + strings.Join(sought, " nor ") + " exists in " + r.project.Root,
	}
	switch {
	case !r.isPlugin():
		r.bad.Add(d)
	case r.startsOwnProgram():
		r.project.unbundled = &d
	}
}

// isPlugin reports whether the folder is a plugin without its bundles: it has a
// manifest, or something says that it is one and it has a part.
func (r *resolver) isPlugin() bool {
	if r.files.exists(ManifestFile) {
		return true
	}
	in := r.project.Config.Plugin
	said := r.doc != nil || r.project.listsItself()
	return said && (r.files.isFile(in.Hooks) || r.files.isFile(ServersFile) || r.files.isFile(".lsp.json") || r.files.isFile("SKILL.md") ||
		r.files.count(escapeGlob(in.Skills)+"/*/SKILL.md")+r.files.count(escapeGlob(in.Commands)+"/*.md")+r.files.count(escapeGlob(in.Agents)+"/*.md")+r.files.count("output-styles/*.md") > 0)
}

// listsItself reports whether the catalog offers the folder that it is in.
func (p *Project) listsItself() bool {
	list := p.Catalog.Find("plugins")
	if list == nil {
		return false
	}
	entries, _ := list.Value.(*hujson.Array)
	for i := 0; entries != nil && i < min(len(entries.Elements), maxPlugins); i++ {
		if source := LocalSource(p.Catalog, i); source != "" && path.Clean(source) == "." {
			return true
		}
	}
	return false
}

// sourceExtensions are those of files that could be, or come of, an entry.
var sourceExtensions = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"}

// startsOwnProgram reports whether a server of the plugin is started from a file in
// it that could be a bundle. Manifests that cannot be read start nothing.
func (r *resolver) startsOwnProgram() bool {
	documents := []*Document{r.project.MCP}
	var declared any
	if r.project.Manifest.Find("mcpServers") != nil {
		_ = r.project.Manifest.Decode(&declared, "mcpServers")
	}
	list, several := declared.([]any)
	if !several {
		list = []any{declared}
	}
	for i, element := range list {
		if file, ok := element.(string); ok && i < 100 && path.Ext(file) == ".json" {
			documents = append(documents, r.files.document(path.Clean(file), Strict))
		} else if namesOwnProgram(element) {
			return true
		}
	}
	return slices.ContainsFunc(documents, func(d *Document) bool {
		var servers any
		return d != nil && d.Decode(&servers) == nil && namesOwnProgram(servers)
	})
}

// namesOwnProgram reports whether a text in value is the path of such a file.
func namesOwnProgram(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(value, "CLAUDE_PLUGIN_ROOT}") && slices.Contains(sourceExtensions, path.Ext(value))
	case []any:
		return slices.ContainsFunc(value, namesOwnProgram)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), namesOwnProgram)
	}
	return false
}
