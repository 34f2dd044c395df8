package lint

import (
	"path"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/surface"
)

func partOwnTool() rule[*plugin] {
	return rule[*plugin]{
		code: "part-own-tool", level: diag.Warning,
		meaning: "a skill, agent or command names a tool of the plugin without the plugin's part of its name",
		page: Page{
			Group: Components,
			Why:   "The tools of a plugin's servers carry its name. Under the bare name the tool is neither allowed nor given to the agent.",
			Wrong: "---\nallowed-tools: mcp__t__now\n---",
			Do:    "Write `mcp__plugin_PLUGIN_SERVER__TOOL`.",
		},
		find: eachPart(func(p *plugin, c part, report reporter) {
			for _, field := range []string{"tools", "disallowedTools", "allowed-tools", "disallowed-tools"} {
				for _, word := range c.head.words(field) {
					bare, ofServer := strings.CutPrefix(word, "mcp__")
					for i := 0; ofServer && i < len(p.servers); i++ {
						s := p.servers[i]
						if after, own := strings.CutPrefix(bare, s.key); own && (after == "" || strings.HasPrefix(after, "__")) {
							report.at(c.head.at(c.file, field), "write "+surface.ToolPrefix(p.name(), s.key)+"…", "%s is not how tools of server %s are named", clip(printable(word)), s.key)
						}
					}
				}
			}
		}),
	}
}

var partFile = lazyregexp.New(`\$\{(CLAUDE_PLUGIN_ROOT|CLAUDE_SKILL_DIR)\}/([A-Za-z0-9_@%+=./-]*[A-Za-z0-9_])`)

func partMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "part-file-missing", level: diag.Warning,
		meaning: "a skill, agent or command names a file that is not in the plugin",
		page: Page{
			Group: Components,
			Why:   "The model is told to run or read a file that users do not have. It then searches, or makes something up.",
			Wrong: "Run `node ${CLAUDE_PLUGIN_ROOT}/scripts/tell.mjs`.",
			Do:    "Add the file, or correct its name.",
		},
		find: eachPart(func(p *plugin, c part, report reporter) {
			seen := map[string]bool{}
			for _, match := range partFile.FindAllSubmatch(c.head.body, 100) {
				file := path.Clean(string(match[2]))
				if string(match[1]) == "CLAUDE_SKILL_DIR" {
					file = path.Join(path.Dir(c.file), file)
				}
				if seen[file] || p.exists(file) {
					continue
				}
				seen[file] = true
				report.at(diag.Position{File: c.file}, "add the file, or correct the name", "names %s, which is not there", clip(file))
			}
		}),
	}
}
