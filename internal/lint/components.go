package lint

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// componentPath checks the paths by which the manifest names the plugin's parts.
func componentPath() rule[*plugin] {
	return rule[*plugin]{
		code: "component-path", level: diag.Error,
		meaning: "the manifest names a part of the plugin by a path that is not there, or that an installation does not follow",
		page: Page{
			Group:  Components,
			Why:    "The client wants paths that begin with `./` and stay inside the plugin. For other paths it refuses the plugin, or leaves the part out.",
			Wrong:  "{\"agents\": \"agents/\", \"mcpServers\": \"../shared.json\"}",
			Do:     "Write a path from the plugin's root: `./agents/reviewer.md`. Skills are folders; agents end in .md, hooks and server maps in .json.",
			Client: "PATH_TRAVERSAL",
		},
		find: func(p *plugin, report reporter) {
			for _, field := range []string{"skills", "commands", "agents", "hooks", "mcpServers", "lspServers", "outputStyles", "workflows", "themes", "monitors"} {
				var value any
				if p.manifest.Find(field) == nil || p.manifest.Decode(&value, field) != nil {
					continue
				}
				p.componentPaths(value, []string{field}, report)
			}
			for _, field := range []string{"monitors", "themes"} {
				if value, _ := p.stated()["experimental"].(map[string]any); value[field] != nil {
					p.componentPaths(value[field], []string{"experimental", field}, report)
				}
			}
			p.commandMap(report)
			if icon := p.manifest.String("icon"); slices.Contains(strings.Split(icon, "/"), "..") {
				report.at(p.manifest.Position("icon"), "move the icon into the plugin", "icon: %s has .. in it; what is outside the plugin is not installed", clip(printable(icon)))
			}
		},
	}
}

func (p *plugin) componentPaths(value any, keys []string, report reporter) {
	switch value := value.(type) {
	case string:
		if fault, hint := p.componentFault(keys[0], value); fault != "" {
			report.at(p.manifest.Position(keys...), hint, "%s: %s", strings.Join(keys, "."), fault)
		}
	case []any:
		for i, element := range value {
			if text, ok := element.(string); ok {
				p.componentPaths(text, append(slices.Clone(keys), strconv.Itoa(i)), report)
			}
		}
	}
}

// commandMap looks at commands that the manifest declares by name.
func (p *plugin) commandMap(report reporter) {
	entries, _ := p.stated()["commands"].(map[string]any)
	for _, name := range sortedKeys(entries) {
		fields, _ := entries[name].(map[string]any)
		source, content := textOf(fields["source"]), textOf(fields["content"])
		place := p.manifest.Position("commands", name)
		if (source == "") == (content == "") {
			report.at(place, `write {"source": "./FILE.md"} or {"content": …}`, "commands.%s: needs either source or content", clip(printable(name)))
			continue
		}
		if fault, hint := p.componentFault("commands", source); source != "" && fault != "" {
			report.at(p.manifest.Position("commands", name, "source"), hint, "commands.%s: %s", clip(printable(name)), fault)
		}
	}
}

func (p *plugin) componentFault(field, value string) (fault, hint string) {
	shown := clip(printable(value))
	switch {
	case strings.Contains(value, "://"):
		return "", ""
	case strings.Contains(value, "${"):
		return shown + " holds a placeholder, which is not replaced here", "write the path from the plugin's root, with ./ in front"
	case strings.Contains(value, `\`):
		return shown + " holds a backslash", "write / on every system"
	case slices.Contains(strings.Split(value, "/"), ".."):
		return shown + " has .. in it; what is outside the plugin is not installed", "move the part into the plugin"
	case value != "." && !strings.HasPrefix(value, "./"):
		return shown + " does not begin with ./", "write ./" + strings.TrimLeft(value, "/")
	case !p.exists(value):
		return shown + " is not there", "correct the path, or remove it"
	}
	return p.kindFault(field, value)
}

// skillFile finds skills that the client does not see.
func skillFile() rule[*plugin] {
	return rule[*plugin]{
		code: "skill-file", level: diag.Warning,
		meaning: "a folder of skills/ has no SKILL.md of exactly that name, so it is no skill",
		page: Page{
			Group: Components,
			Why:   "The client looks for a file named SKILL.md, in this spelling. On macOS and Windows the author may not notice.",
			Wrong: "skills/tell/skill.md",
			Do:    "Rename the file to `SKILL.md`.",
		},
		find: func(p *plugin, report reporter) {
			entries, err := readDir(p, "skills")
			if err != nil {
				return
			}
			for _, name := range entries {
				folder := path.Join("skills", name)
				files, err := readDir(p, folder)
				if err != nil || slices.Contains(files, "SKILL.md") || strings.HasPrefix(name, ".") {
					continue
				}
				for _, file := range files {
					if strings.EqualFold(file, "SKILL.md") {
						report.at(diag.Position{File: path.Join(folder, file)}, "rename it to SKILL.md", "is not read; the name is case sensitive")
					}
				}
				if !slices.ContainsFunc(files, func(file string) bool { return strings.EqualFold(file, "SKILL.md") }) {
					report.at(diag.Position{File: folder}, "add SKILL.md, or move the folder elsewhere", "has no SKILL.md and is no skill")
				}
			}
		},
	}
}

// readDir returns the sorted names in a folder of the plugin.
func readDir(p *plugin, folder string) ([]string, error) {
	handle, err := project.OpenFolder(p.root, folder)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	names, err := handle.Readdirnames(maxFiles)
	slices.Sort(names)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}
