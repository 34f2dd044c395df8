package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/surface"
)

// mention is a tool's whole name as a text of the plugin has it.
type mention struct {
	place diag.Position
	name  string
	open  bool // what follows stands for more names, as in mcp__plugin_clock_t__zone_*
}

var (
	toolMention = lazyregexp.New(`mcp__plugin_[A-Za-z0-9_-]+`)
	// readmeName matches the files beside the parts that explain them to people.
	readmeName = lazyregexp.New(`(?i)^readme\.md$`)
)

// maxMentions is how many names of tools are looked at in one file.
const maxMentions = 500

// mentions lists the names of tools in a text.
func mentions(file string, text []byte) (found []mention) {
	line := 0
	for row := range strings.Lines(string(text)) {
		line++
		for _, at := range toolMention.FindAllStringIndex(row, -1) {
			if len(found) == maxMentions {
				return found
			}
			after := row[at[1]:]
			found = append(found, mention{diag.Position{File: file, Line: line, Column: at[0] + 1}, row[at[0]:at[1]],
				after != "" && strings.ContainsAny(after[:1], "*<{[($…") || strings.HasPrefix(after, "…") || strings.HasPrefix(after, "...")})
		}
	}
	return found
}

// strayIn looks at a matcher of hooks, which is a regular expression.
func (p *plugin) strayIn(matcher string) (wrong, hint string) {
	for _, at := range toolMention.FindAllStringIndex(matcher, -1) {
		after := matcher[at[1]:]
		closed := after == "" || strings.ContainsAny(after[:1], "|)$")
		if wrong, hint = p.stray(mention{name: matcher[at[0]:at[1]], open: !closed}); wrong != "" {
			return wrong, hint
		}
	}
	return "", ""
}

// stray says what is wrong with a name that begins as those of the plugin's tools do:
// no server of the plugin has such a tool, or there is no such server. Nothing is said
// about servers whose tools are not known.
func (p *plugin) stray(m mention) (wrong, hint string) {
	for _, s := range p.servers {
		prefix := surface.ToolPrefix(p.name(), s.key)
		rest, own := strings.CutPrefix(m.name, prefix)
		if !own && m.name+"__" != prefix && m.name+"_" != prefix {
			continue
		}
		tools, known := p.Tools[s.key]
		if rest = strings.TrimRight(rest, "-"); !own || !known || rest == "" || rest == strings.ToUpper(rest) && strings.ContainsAny(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			return "", "" // the server itself, or a word that stands for a name
		}
		isTool := func(tool string) bool {
			full := surface.FullName("", tool)
			return full == rest || full == strings.TrimRight(rest, "_") || (m.open || strings.HasSuffix(rest, "_")) && strings.HasPrefix(full, rest)
		}
		if slices.ContainsFunc(tools, isTool) {
			return "", ""
		}
		return fmt.Sprintf("names %s, and server %s has no tool %s", clip(m.name), s.key, clip(rest)), instead(prefix, rest, tools)
	}
	if own := strings.TrimSuffix(surface.ToolPrefix(p.name(), ""), "__"); len(p.servers) > 0 && p.name() != "" && strings.HasPrefix(m.name, own) && strings.Contains(strings.TrimPrefix(m.name, own), "__") {
		return fmt.Sprintf("names %s, and the plugin has no such server", clip(m.name)), "name a server of .mcp.json, as in " + surface.ToolPrefix(p.name(), p.servers[0].key) + "TOOL"
	}
	return "", ""
}

// instead proposes the tool that is most likely meant, or names those there are.
func instead(prefix, written string, tools []string) string {
	const most = 8
	switch near := nearest(written, tools); {
	case near != "":
		return "write " + surface.FullName(prefix, near)
	case len(tools) == 0:
		return "remove it; the server has no tools"
	case len(tools) > most:
		return fmt.Sprintf("write the new name of the tool, or remove it; omcbuild tools lists all %d", len(tools))
	}
	return "write the new name of the tool, or remove it; the tools are " + strings.Join(tools, ", ")
}

// reportStrays reports the stray names in a file, each once.
func (p *plugin) reportStrays(file string, report reporter) {
	text, _ := p.text(file)
	seen := map[string]bool{}
	for _, m := range mentions(file, text) {
		if wrong, hint := p.stray(m); wrong != "" && !seen[m.name] {
			seen[m.name] = true
			report.at(m.place, hint, "%s", wrong)
		}
	}
}

// partToolMissing finds parts that send the model to a tool that is gone.
func partToolMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "part-tool-missing", level: diag.Error,
		meaning: "a skill, agent or command names a tool that the plugin's servers do not have",
		page: Page{
			Group: Components,
			Why:   "After a tool got another name, its old one stays in texts. The model is sent to a tool that is not there, and in `allowed-tools` nothing is allowed; nobody reports either.",
			Wrong: "---\nallowed-tools: mcp__plugin_clock_t__nwo\n---",
			Do:    "Write the name that `omcbuild tools` lists, with the prefix of the plugin.",
		},
		find: func(p *plugin, report reporter) {
			for _, c := range p.parts {
				p.reportStrays(c.file, report)
			}
		},
	}
}

// readmeToolMissing is partToolMissing for the texts that people read.
func readmeToolMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "readme-tool-missing", level: diag.Warning,
		meaning: "a README names a tool that the plugin's servers do not have",
		page: Page{
			Group: Components,
			Why:   "Users copy such names into their permissions, where they allow nothing.",
			Wrong: "Allow `mcp__plugin_clock_t__nwo` once.",
			Do:    "Write the name that `omcbuild tools` lists.",
		},
		find: func(p *plugin, report reporter) {
			for _, file := range p.files.files {
				if readmeName.MatchString(path.Base(file)) && !slices.ContainsFunc(p.parts, func(c part) bool { return c.file == file }) {
					p.reportStrays(file, report)
				}
			}
		},
	}
}
