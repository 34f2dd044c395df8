package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

func serversEmpty() rule[*plugin] {
	return rule[*plugin]{
		code: "servers-empty", level: diag.Warning,
		meaning: "the server map names no server",
		page: Page{
			Group: Servers,
			Why:   "The client loads it and says nothing.",
			Wrong: `{"mcpServers": {}}`,
			Do:    "Add a server, or remove the file.",
		},
		find: func(p *plugin, report reporter) {
			if p.mcp == nil || p.mcp.Problem != nil {
				return
			}
			servers, wrapped := members(p.mcp)["mcpServers"]
			inner, _ := servers.(map[string]any)
			if wrapped && valueType(servers) == anObject && len(inner) == 0 || len(members(p.mcp)) == 0 {
				report.at(diag.Position{File: mcpFile}, "add a server, or remove the file", "names no server")
			}
		},
	}
}

func serversFlat() rule[*plugin] {
	return rule[*plugin]{
		code: "servers-flat", level: diag.Note,
		meaning: "the server map lacks its mcpServers object",
		page: Page{
			Group: Servers,
			Why:   "This client reads such a map, others do not.",
			Wrong: `{"t": {"command": "node"}}`,
			Do:    "Put the servers into an object named mcpServers.",
		},
		find: func(p *plugin, report reporter) {
			if p.mcp != nil && p.mcp.Problem == nil && p.mcp.Find("mcpServers") == nil && len(members(p.mcp)) > 0 {
				report.at(diag.Position{File: mcpFile, Line: 1}, `write {"mcpServers": {…}}`, "has no mcpServers object")
			}
		},
	}
}

func serversForm() rule[*plugin] {
	return rule[*plugin]{
		code: "servers-form", level: diag.Error,
		meaning: "mcpServers is no object, so none of its servers is loaded",
		page: Page{
			Group:  Servers,
			Why:    "The client reads the file and finds no server in it. Its check passes.",
			Wrong:  `{"mcpServers": [{"name": "t", "command": "node"}]}`,
			Do:     "Write an object from names to servers.",
			Client: "MCPJSON_UNPARSEABLE",
		},
		find: func(p *plugin, report reporter) {
			for _, doc := range append(slices.Clone(p.more), p.mcp) {
				value, wrapped := members(doc)["mcpServers"]
				if wrapped && valueType(value) != anObject {
					report.at(doc.Position("mcpServers"), `write {"mcpServers": {"NAME": {…}}}`, "mcpServers is %s and must be an object", valueType(value))
				}
			}
		},
	}
}

func serverName() rule[*plugin] {
	const longest = 32 // characters; the rest of 64 is for the plugin and the tool
	const least = 8    // characters that a tool's name needs
	return rule[*plugin]{
		code: "server-name", level: diag.Warning,
		meaning: "the name of a server has characters that the client replaces, or is so long that tools have no room",
		page: Page{
			Group: Servers,
			Why:   "The name is part of every tool's name. Characters outside letters, digits, underscore and hyphen become underscores, so permissions written with the name do not match; all of a tool's name has 64 characters.",
			Wrong: `{"mcpServers": {"my clock!": {"command": "node"}}}`,
			Do:    "Use a short name of letters, digits and hyphens; one letter is enough.",
		},
		find: func(p *plugin, report reporter) {
			first := map[string]string{}
			for _, s := range p.servers {
				prefix := surface.ToolPrefix(p.name(), s.key)
				before, seen := first[prefix]
				first[prefix] = s.key
				place := func() diag.Position { return s.doc.KeyPosition(s.keys...) }
				switch {
				case seen && before != s.key:
					report.at(place(), "rename one of them", "servers %s and %s have tools of the same names", clip(printable(before)), clip(printable(s.key)))
				case !plainKey.MatchString(s.key):
					report.at(place(), "use letters, digits and hyphens", "server %s: its tools are named %s…", clip(printable(s.key)), clip(prefix))
				case len(s.key) > longest || len(prefix) > 64-least:
					report.at(place(), "use a short name", "server %s: with the plugin's name of %d characters its own of %d leaves %d for a tool", clip(s.key), len(p.name()), len(s.key), max(0, 64-len(prefix)))
				}
			}
		},
	}
}

func serverTimeout() rule[*plugin] {
	return rule[*plugin]{
		code: "server-timeout", level: diag.Warning,
		meaning: "the timeout of a server is below a second; it is in milliseconds, not in seconds",
		page: Page{
			Group: Servers,
			Why:   "Every call of a tool that takes longer fails.",
			Wrong: `{"command": "node", "timeout": 30}`,
			Do:    "Write milliseconds: `30000`.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.servers {
				if value, ok := s.fields["timeout"].(float64); ok && value >= 1 && value < 1000 {
					report.at(s.at("timeout"), "write milliseconds", "server %s: calls have %v ms", s.key, value)
				}
			}
		},
	}
}

func placeholderUnset() rule[*plugin] {
	return rule[*plugin]{
		code: "placeholder-unset", level: diag.Note,
		meaning: "a variable has no default; where a user has not set it, the server gets the text with its braces",
		page: Page{
			Group: Paths,
			Why:   "The client starts the server all the same, with the name in braces as the value.",
			Wrong: `"env": {"ZONE": "${ZONE}"}`,
			Do:    "Give a default, `${ZONE:-}`, declare an option in userConfig, or let the server check the value.",
		},
		find: eachPlaceholder(func(_ *plugin, owner, inside string, at text, report reporter) {
			if strings.HasPrefix(owner, "server ") && identifier.MatchString(inside) && meantName(inside) == "" {
				report.at(at.place, "write ${"+inside+":-}, or declare an option in userConfig", "%s: ${%s} may not be set", owner, inside)
			}
		}),
	}
}

// archiveFault looks at a packed server that the manifest names.
func (p *plugin) archiveFault(file string) string {
	text, ok := p.text(file)
	if ok && !bytes.HasPrefix(text, []byte("PK\x03\x04")) {
		return fmt.Sprintf("%s is no archive", clip(printable(file)))
	}
	return ""
}

// pathKind returns what a path of a field has to end in, or "".
func pathKind(field string) (endings []string) {
	switch field {
	case "agents":
		return []string{".md"}
	case "mcpServers":
		return []string{".json", ".mcpb", ".dxt"}
	case "hooks", "lspServers":
		return []string{".json"}
	}
	return nil
}

// kindFault looks at what a path of the manifest leads to.
func (p *plugin) kindFault(field, value string) (fault, hint string) {
	shown := clip(printable(value))
	endings := pathKind(field)
	info, _ := p.stat(path.Clean(value))
	switch ending := path.Ext(value); {
	case endings != nil && !slices.Contains(endings, ending):
		return fmt.Sprintf("%s does not end in %s", shown, strings.Join(endings, " or ")), "name a file of that kind"
	case field == "skills" && info != nil && !info.IsDir():
		return shown + " is a file; skills are folders", "name the folder that holds SKILL.md, or the folder above"
	case field == "mcpServers" && ending != ".json":
		return p.archiveFault(path.Clean(value)), "pack the server again"
	}
	return "", ""
}

// partsElsewhere finds folders of parts, and the manifest, where nobody looks.
func partsElsewhere() rule[*plugin] {
	return rule[*plugin]{
		code: "part-misplaced", level: diag.Error,
		meaning: "a part of the plugin, or its manifest, lies where the client never looks",
		page: Page{
			Group: Components,
			Why:   "`.claude-plugin` holds manifests only; parts lie beside it. The manifest lies in it, not at the root. The client says nothing of either.",
			Wrong: ".claude-plugin/skills/tell/SKILL.md",
			Do:    "Move the folder to the plugin's root, and plugin.json into .claude-plugin.",
		},
		find: func(p *plugin, report reporter) {
			for _, name := range []string{"agents", "commands", "hooks", "output-styles", "skills", "workflows"} {
				if file := path.Join(".claude-plugin", name); p.exists(file) && p.manifestNames(file) == "" {
					report.at(diag.Position{File: file}, "move it to the plugin's root", "is never read there")
				}
			}
			if p.manifest == nil && p.exists("plugin.json") && !p.exists(manifestFile) {
				report.at(diag.Position{File: "plugin.json"}, "move it to "+manifestFile, "is never read there")
			}
		},
	}
}

// manifestNames returns the field of the manifest that names a path below a
// folder.
func (p *plugin) manifestNames(folder string) string {
	for _, field := range []string{"skills", "commands", "agents", "hooks", "outputStyles", "workflows"} {
		for _, file := range p.named(field) {
			if file == folder || strings.HasPrefix(file, folder+"/") {
				return field
			}
		}
	}
	return ""
}

// settingsKey finds defaults that the client does not take from a plugin.
func settingsKey() rule[*plugin] {
	return rule[*plugin]{
		code: "settings-key-ignored", level: diag.Warning,
		meaning: "settings.json has a key that the client does not take from plugins",
		page: Page{
			Group: Components,
			Why:   "From a plugin the client takes agent and subagentStatusLine, and ignores the rest. A settings.json that is no JSON is not reported either.",
			Wrong: `{"permissions": {"allow": ["Bash"]}}`,
			Do:    "Remove the key; users set such things themselves.",
		},
		find: func(p *plugin, report reporter) {
			for _, where := range []struct {
				doc  *project.Document
				keys []string
			}{{p.settings, nil}, {p.manifest, []string{"settings"}}} {
				if where.doc == nil || where.doc.Problem != nil || where.keys != nil && where.doc.Find(where.keys...) == nil {
					continue
				}
				for _, name := range sortedKeys(members(where.doc, where.keys...)) {
					if name != "agent" && name != "subagentStatusLine" && name != "$schema" {
						report.at(where.doc.KeyPosition(append(slices.Clone(where.keys), name)...), "remove it", "%s has no effect in a plugin", clip(printable(name)))
					}
				}
			}
		},
	}
}
