package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

// eachPart makes a rule's function from one that looks at a single Markdown
// file.
func eachPart(find func(p *plugin, c part, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for _, c := range p.parts {
			find(p, c, report)
		}
	}
}

func partText() rule[*plugin] {
	return rule[*plugin]{
		code: "part-encoding", level: diag.Warning,
		meaning: "a skill, agent or command is not saved as plain UTF-8",
		page: Page{
			Group: Components,
			Why:   "The client says nothing. Letters arrive as replacement characters, and programs that look for --- at the first byte find no frontmatter.",
			Wrong: `skills/tell/SKILL.md: ISO-8859 text`,
			Do:    "Save the file as UTF-8 without a byte order mark.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			switch {
			case c.head.latin:
				report.at(diag.Position{File: c.file}, "save it as UTF-8", "is not UTF-8")
			case c.head.mark:
				report.at(diag.Position{File: c.file, Line: 1}, "save it as UTF-8 without a mark", "begins with a byte order mark")
			}
		}),
	}
}

func partReturns() rule[*plugin] {
	return rule[*plugin]{
		code: "part-crlf", level: diag.Note,
		meaning: "a skill, agent or command has CR LF line ends",
		page: Page{
			Group: Components,
			Why:   "The client reads them. A script that a model copies out of such a file fails in a shell.",
			Wrong: `skills/tell/SKILL.md: with CRLF line terminators`,
			Do:    "Save it with LF; in .gitattributes, `*.md text eol=lf` keeps it so.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if c.head.returns {
				report.at(diag.Position{File: c.file}, "save it with LF", "has CR LF line ends")
			}
		}),
	}
}

func frontmatterMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "frontmatter-missing", level: diag.Warning,
		meaning: "a skill or agent does not begin with frontmatter",
		page: Page{
			Group: Components,
			Why:   "Without a description the model does not know when to use it. The client loads it and its strict check fails.",
			Wrong: "# Tell the time\n\nRun the tool now.",
			Do:    "Begin the file with a line of ---, the name, the description, and another line of ---.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if !c.head.found && c.kind != aStyle {
				report.at(diag.Position{File: c.file, Line: 1}, "begin it with ---, description: …, ---", "the %s has no frontmatter", c.kind)
			}
		}),
	}
}

func frontmatterInvalid() rule[*plugin] {
	return rule[*plugin]{
		code: "frontmatter-invalid", level: diag.Warning,
		meaning: "the frontmatter of a skill, agent or command is no YAML that all readers take",
		page: Page{
			Group: Components,
			Why:   "The client repairs what it can and drops the rest; its check then only says that a description is missing. A colon with a space after it is the usual cause.",
			Wrong: "---\ndescription: Tells the time: in any zone\n---",
			Do:    "Put the value in quotes.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if c.head.fault != "" {
				report.at(diag.Position{File: c.file, Line: max(1, c.head.line)}, "put values with a colon, # or brackets in quotes", "the frontmatter %s", c.head.fault)
			}
		}),
	}
}

func frontmatterType() rule[*plugin] {
	return rule[*plugin]{
		code: "frontmatter-type", level: diag.Error,
		meaning: "a value in the frontmatter of a skill, agent or command has a type that the client refuses",
		page: Page{
			Group: Components,
			Why:   "The client's check fails, and the value is dropped when the plugin is loaded. Of other fields, and of output styles, it takes any value.",
			Wrong: "---\nname: 2024\ndescription: [Tells, time]\n---",
			Do:    "Write name and description as text, a name in quotes if it looks like a number, allowed-tools as text or a list of texts, and bash or powershell as shell.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if c.kind == aStyle {
				return
			}
			at := func(name string) diag.Position { return c.head.at(c.file, name) }
			for _, name := range []string{"name", "description"} {
				node := c.head.get(name)
				if node != nil && (node.Kind != yaml.ScalarNode || name == "name" && isNumber(node)) {
					report.at(at(name), "write text, in quotes", "%s is %s and must be text", name, yamlKind(node))
				}
			}
			switch node := c.head.get("allowed-tools"); {
			case node == nil:
			case node.Kind == yaml.MappingNode || isNumber(node):
				report.at(at("allowed-tools"), "write a list", "allowed-tools is %s and must be text or a list", yamlKind(node))
			case slices.ContainsFunc(node.Content, func(each *yaml.Node) bool { return each.Kind != yaml.ScalarNode || isNumber(each) }):
				report.at(at("allowed-tools"), "write a list of names", "allowed-tools holds what is no text")
			}
			if node := c.head.get("shell"); node != nil && c.kind != anAgent && yamlKind(node) != "empty" && !slices.Contains([]string{"bash", "powershell"}, strings.ToLower(node.Value)) {
				report.at(at("shell"), "write bash or powershell", "the shell %s is not known", clip(printable(node.Value)))
			}
		}),
	}
}

// isNumber reports whether the client reads a value as a number or a boolean.
func isNumber(node *yaml.Node) bool {
	kind := yamlKind(node)
	return kind == aNumber || kind == aBoolean
}

func partDescription() rule[*plugin] {
	const budget = 1536
	return rule[*plugin]{
		code: "part-description", level: diag.Warning,
		meaning: "a skill or agent has no description, or one that the client cuts",
		page: Page{
			Group: Components,
			Why:   "The model chooses by the description. That of a skill and its when_to_use share 1,536 characters; the rest is not seen.",
			Wrong: "---\nname: tell\n---",
			Do:    "Write one or two sentences: what it does, and when to use it.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if !c.head.found || c.head.fault != "" || c.head.latin || c.kind == aStyle {
				return
			}
			text := c.head.text("description")
			length := utf8.RuneCountInString(text) + utf8.RuneCountInString(c.head.text("when_to_use"))
			switch {
			case strings.TrimSpace(text) == "" && !slices.Contains([]string{anArray, anObject}, kindOf(c.head.get("description"))):
				report.at(c.head.at(c.file, "description"), "say what it does and when to use it", "the %s has no description", c.kind)
			case c.kind == aSkill && length > budget:
				report.at(c.head.at(c.file, "description"), "keep the two under 1,536 characters and put the rest into the text", "description and when_to_use have %d characters", length)
			}
		}),
	}
}

func skillName() rule[*plugin] {
	return rule[*plugin]{
		code: "skill-name", level: diag.Warning,
		meaning: "a skill has another name than its folder",
		page: Page{
			Group: Components,
			Why:   "One client calls the skill by its folder, another by the name; users who type one of them get nothing.",
			Wrong: "skills/tell/SKILL.md\n  name: tell-time",
			Do:    "Give both the same name.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if name := c.head.text("name"); c.kind == aSkill && name != "" && name != c.name && c.name != "." {
				report.at(c.head.at(c.file, "name"), "give folder and skill the same name", "the skill is named %s, its folder %s", clip(printable(name)), clip(printable(c.name)))
			}
		}),
	}
}

func partTwice() rule[*plugin] {
	return rule[*plugin]{
		code: "part-twice", level: diag.Warning,
		meaning: "two skills or commands, or two agents, have the same name",
		page: Page{
			Group: Components,
			Why:   "One of them hides the other. Commands are an old form of skills, so they share names.",
			Wrong: "skills/tell/SKILL.md\ncommands/tell.md",
			Do:    "Rename one of them, or remove it.",
		},
		find: func(p *plugin, report reporter) {
			first := map[string]part{}
			for _, c := range p.parts {
				kind := c.kind
				if kind == aCommand {
					kind = aSkill
				}
				id := kind + "\x00" + c.called()
				if before, seen := first[id]; seen {
					report.at(diag.Position{File: c.file}, "rename one of them", "has the name %s, as %s has", clip(printable(c.called())), before.file)
					continue
				}
				first[id] = c
			}
		},
	}
}

// partKeys are the names that the client knows in frontmatter.
func partKeys(kind string) []string {
	switch kind {
	case anAgent:
		return []string{"name", "description", "model", "effort", "maxTurns", "tools", "disallowedTools", "skills", "memory", "background", "isolation", "color"}
	case aStyle:
		return []string{"name", "description", "keep-coding-instructions"}
	}
	return []string{
		"name", "description", "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "allowed-tools",
		"disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths", "shell", "metadata", "license", "compatibility", "version",
	}
}

func partKey() rule[*plugin] {
	return rule[*plugin]{
		code: "part-key-ignored", level: diag.Warning,
		meaning: "the frontmatter has a name that is misspelled, or that the client does not honour in plugins",
		page: Page{
			Group: Components,
			Why:   "The value has no effect. Agents of plugins get no hooks, servers or permission mode of their own, so that a plugin cannot widen what it may do.",
			Wrong: "---\ndescription: Reviews.\nallowed_tools: Read\npermissionMode: plan\n---",
			Do:    "Correct the name, or remove it.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if c.head.values == nil {
				return
			}
			if value := c.head.get("metadata"); value != nil && (c.kind == aSkill || c.kind == aCommand) && yamlKind(value) != anObject && yamlKind(value) != "empty" {
				report.at(c.head.at(c.file, "metadata"), "write names and values", "metadata is %s and is dropped", yamlKind(value))
			}
			known := partKeys(c.kind)
			for i := 0; i < len(c.head.values.Content); i += 2 {
				name := c.head.values.Content[i]
				place := diag.Position{File: c.file, Line: name.Line + 1, Column: name.Column}
				switch near := nearest(name.Value, known); {
				case slices.Contains(known, name.Value):
				case c.kind == anAgent && slices.Contains([]string{"hooks", "mcpServers", "permissionMode"}, name.Value):
					report.at(place, "remove it", "%s has no effect in an agent of a plugin", name.Value)
				case near != "":
					report.at(place, "write "+near, "%s has no effect", clip(printable(name.Value)))
				}
			}
		}),
	}
}

func agentValue() rule[*plugin] {
	models := lazyregexp.New(`^(?:inherit|default|sonnet|opus|haiku|fable|opusplan|best)(?:\[1m\])?$|[.:/@]|^claude-`)
	return rule[*plugin]{
		code: "agent-value", level: diag.Warning,
		meaning: "an agent or skill names a model, a tool or an isolation that is not known",
		page: Page{
			Group: Components,
			Why:   "The client says nothing. With an unknown model the agent fails when it is used; an unknown tool is simply not given to it.",
			Wrong: "---\ndescription: Reviews.\nmodel: sonet\ntools: read, Grep\n---",
			Do:    "Write a model as the client names it, or inherit; tools by their exact names; isolation only as worktree.",
		},
		find: eachPart(func(_ *plugin, c part, report reporter) {
			if model := c.head.text("model"); model != "" && !models.MatchString(model) {
				report.at(c.head.at(c.file, "model"), "use inherit, sonnet, opus, haiku, or the whole name of a model", "the model %s is not known", clip(printable(model)))
			}
			if value := c.head.text("isolation"); value != "" && value != "worktree" {
				report.at(c.head.at(c.file, "isolation"), "write worktree, or remove it", "the isolation %s is not known", clip(printable(value)))
			}
			for _, field := range []string{"tools", "disallowedTools", "allowed-tools", "disallowed-tools"} {
				for _, word := range c.head.words(field) {
					name, _, _ := strings.Cut(word, "(")
					if near := misspelledTool(name); near != "" {
						report.at(c.head.at(c.file, field), "write "+near, "the tool %s is not known", clip(printable(name)))
					}
				}
			}
		}),
	}
}

// misspelledTool returns the client's tool that a name most likely stands for,
// when it is none itself.
func misspelledTool(name string) string {
	known := []string{
		"Agent", "AskUserQuestion", "Bash", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell", "LSP", "MultiEdit",
		"NotebookEdit", "NotebookRead", "PowerShell", "Read", "SendMessage", "Skill", "Task", "TaskOutput", "TodoRead", "TodoWrite", "ToolSearch",
		"WebFetch", "WebSearch", "Write",
	}
	if slices.Contains(known, name) || strings.HasPrefix(name, "mcp__") {
		return ""
	}
	for _, candidate := range known {
		if strings.EqualFold(candidate, name) || len(name) > 4 && project.Distance(name, candidate) == 1 {
			return candidate
		}
	}
	return ""
}
