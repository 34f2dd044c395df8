package lint

import (
	"cmp"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Named is a file or folder of the plugin that something in it names: a manifest, a
// server, a hook, or the text of a skill.
type Named struct {
	Path   string        // from the plugin's root, cleaned; it need not be there
	By     string        // "server t", "hook Stop", ".claude-plugin/plugin.json"
	Place  diag.Position // of the name
	Part   bool          // it is a part that the client reads, such as a folder of skills; else a program or what a program is given
	Starts bool          // it is started by its name alone
}

// NamedFiles lists what manifests, servers, hooks and the texts of skills, commands
// and agents name of the plugin, as PluginInput describes it, in the order of the
// paths, each once. What lies outside is not in the list.
func NamedFiles(in PluginInput) ([]Named, error) {
	root, err := os.OpenRoot(in.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	p := &plugin{PluginInput: in, root: root}
	p.manifest, p.mcp, p.hooks = p.read(manifestFile), p.read(mcpFile), p.read(hooksFile)
	p.lsp, p.settings = p.read(lspFile), p.read("settings.json")
	p.readParts()
	p.readServers()
	p.readHooks()
	found := p.namedParts()
	for _, r := range p.references() {
		if file, ok := r.inside(); ok {
			found = append(found, Named{Path: file, By: r.owner, Place: r.place, Starts: r.command})
		}
	}
	for _, doc := range p.documents() {
		var value any
		if doc.Problem == nil && doc.Decode(&value) == nil {
			found = append(found, namedWithin(value, doc.Path, 0)...)
		}
	}
	for _, c := range p.parts {
		if text, ok := p.text(c.file); ok {
			found = append(found, namedBy(string(text), c.file)...)
		}
	}
	found = slices.DeleteFunc(found, func(n Named) bool {
		return n.Path == "." || n.Path == ".." || strings.HasPrefix(n.Path, "../") || path.IsAbs(n.Path)
	})
	slices.SortStableFunc(found, func(a, b Named) int { return cmp.Compare(a.Path, b.Path) })
	return joined(found), nil
}

// joined makes one of those that have the same path.
func joined(found []Named) []Named {
	var out []Named
	for _, n := range found {
		if last := len(out) - 1; last >= 0 && out[last].Path == n.Path {
			out[last].Part = out[last].Part || n.Part
			out[last].Starts = out[last].Starts || n.Starts
			continue
		}
		out = append(out, n)
	}
	return out
}

// partFields are the fields of the manifest that name parts, and the folders that the
// client looks into without being told.
func partFields() map[string]string {
	return map[string]string{
		"skills": "skills", "commands": "commands", "agents": "agents", "outputStyles": "output-styles", "workflows": "workflows",
		"themes": "themes", "monitors": "monitors", "hooks": "", "mcpServers": "", "lspServers": "", "icon": "",
	}
}

// namedParts lists the parts of the plugin: usual folders, and what the manifest names.
func (p *plugin) namedParts() (found []Named) {
	fields := partFields()
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if folder := fields[field]; folder != "" && p.exists(folder) {
			found = append(found, Named{Path: folder, By: manifestFile, Part: true})
		}
		for _, file := range p.named(field) {
			found = append(found, Named{Path: file, By: manifestFile, Place: p.manifest.Position(field), Part: true})
		}
	}
	if experimental, ok := p.stated()["experimental"].(map[string]any); ok {
		for _, field := range []string{"monitors", "themes"} {
			for _, file := range append(stringsOf(experimental[field]), textOf(experimental[field])) {
				if file != "" {
					found = append(found, Named{Path: path.Clean(file), By: manifestFile, Place: p.manifest.Position("experimental", field), Part: true})
				}
			}
		}
	}
	commands, _ := p.stated()["commands"].(map[string]any)
	for _, name := range sortedKeys(commands) {
		fields, _ := commands[name].(map[string]any)
		if source := textOf(fields["source"]); source != "" {
			found = append(found, Named{Path: path.Clean(source), By: manifestFile, Place: p.manifest.Position("commands", name, "source"), Part: true})
		}
	}
	return slices.DeleteFunc(found, func(n Named) bool { return strings.Contains(n.Path, ":/") })
}

// maxNamedDepth is how deep values are looked into for names of files.
const maxNamedDepth = 20

// namedWithin lists what the texts in a value name.
func namedWithin(value any, by string, depth int) (found []Named) {
	switch value := value.(type) {
	case string:
		return namedBy(value, by)
	case []any:
		for i := 0; i < len(value) && depth < maxNamedDepth; i++ {
			found = append(found, namedWithin(value[i], by, depth+1)...)
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			if depth < maxNamedDepth {
				found = append(found, namedWithin(value[key], by, depth+1)...)
			}
		}
	}
	return found
}

// rootInText is a file named after the plugin's folder, in a text: what is quoted or
// put in marks of code ends there.
var rootInText = lazyregexp.New("\\$(?:\\{CLAUDE_PLUGIN_ROOT\\}|CLAUDE_PLUGIN_ROOT\\b)[\"']?[/\\\\]([^\\s\"'`;&|)<>,*$?]+)")

// maxNamedInText is how many names are taken from one text.
const maxNamedInText = 200

func namedBy(text, by string) (found []Named) {
	for _, match := range rootInText.FindAllStringSubmatch(text, maxNamedInText) {
		name := strings.TrimRight(strings.ReplaceAll(match[1], `\`, "/"), ".:")
		found = append(found, Named{Path: path.Clean(name), By: by, Place: diag.Position{File: by}})
	}
	return found
}
