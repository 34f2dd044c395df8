package lint

import (
	"regexp"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/surface"
)

// hookMatcher finds matchers that match nothing.
func hookMatcher() rule[*plugin] {
	// What the client's regular expressions have and those of this tool do not.
	beyond := lazyregexp.New(`\(\?(?:=|!|<)|\\[1-9]|\\k<`)
	return rule[*plugin]{
		code: "hook-matcher", level: diag.Error,
		meaning: "the matcher of a hook is no string or no regular expression",
		page: Page{
			Group: Hooks,
			Why:   "A matcher is a regular expression over the names of tools. One that does not compile matches nothing, and for hooks that guard something the client refuses the file.",
			Wrong: "{\"matcher\": \"Bash(\"}",
			Do:    "Correct the expression. An empty matcher or `*` means every tool.",
		},
		find: eachGroup(func(_ *plugin, h handler, report reporter) {
			if h.matcher == nil {
				return
			}
			matcher, ok := h.matcher.(string)
			place := h.doc.Position(append(append([]string{}, h.group...), "matcher")...)
			if !ok {
				report.at(place, "write a string", "hook %s: the matcher is %s and must be a string", h.event, valueType(h.matcher))
				return
			}
			if _, err := regexp.Compile(matcher); err != nil && matcher != "*" && !beyond.MatchString(matcher) {
				report.at(place, "correct the expression; a single * or an empty matcher means everything", "hook %s: the matcher %q is no regular expression", h.event, clip(matcher))
			}
		}),
	}
}

// eachGroup makes a rule's function from one that looks at each group of
// handlers.
func eachGroup(find func(p *plugin, h handler, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for _, h := range p.groups {
			find(p, h, report)
		}
	}
}

// hookOwnTool finds hooks for tools of the plugin under names that the tools do
// not have.
func hookOwnTool() rule[*plugin] {
	return rule[*plugin]{
		code: "hook-own-tool", level: diag.Error,
		meaning: "a hook means a tool or server of the plugin under a name that it does not have, so it never runs",
		page: Page{
			Group: Hooks,
			Why:   "The tools of a plugin's servers carry the plugin's name. A matcher with the bare name of the server never matches, and the hook is silent.",
			Wrong: "{\"matcher\": \"mcp__t__now\"}",
			Do:    "Write `mcp__plugin_PLUGIN_SERVER__TOOL`; a handler of type mcp_tool names the server `plugin:PLUGIN:SERVER`.",
		},
		find: func(p *plugin, report reporter) {
			eachGroup(func(_ *plugin, h handler, report reporter) {
				matcher, _ := h.matcher.(string)
				place := h.doc.Position(append(append([]string{}, h.group...), "matcher")...)
				if key, found := p.foreignTool(matcher); found {
					report.at(place, "name a server of .mcp.json", "hook %s: the plugin has no server %s", h.event, clip(key))
				} else if wrong, hint := p.strayIn(matcher); wrong != "" {
					report.at(place, hint, "hook %s: %s", h.event, wrong)
				}
			})(p, report)
			for _, s := range p.servers {
				bare, full := "mcp__"+s.key+"__", surface.ToolPrefix(p.name(), s.key)
				eachGroup(func(_ *plugin, h handler, report reporter) {
					if matcher, _ := h.matcher.(string); strings.Contains(matcher, bare) {
						place := h.doc.Position(append(append([]string{}, h.group...), "matcher")...)
						report.at(place, "write "+full, "hook %s: %s is not how tools of server %s are named", h.event, bare, s.key)
					}
				})(p, report)
				for _, h := range p.handlers {
					if h.text("type") == "mcp_tool" && h.text("server") == s.key {
						report.at(h.at("server"), "write plugin:"+p.name()+":"+s.key, "hook %s: the server is not named %s", h.event, s.key)
					}
				}
			}
		},
	}
}

// hookUnquoted finds lines of a shell in which a folder with a space becomes two
// words.
func hookUnquoted() rule[*plugin] {
	use := lazyregexp.New(`(.?)\$(\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)`)
	return rule[*plugin]{
		code: "hook-unquoted", level: diag.Warning,
		meaning: "a hook's shell line uses the plugin's folder unquoted or without braces, so it breaks where the folder has a space, or on Windows",
		page: Page{
			Group: Hooks,
			Why:   "A home folder with a space turns the path into two words, and cmd on Windows knows no `$NAME`.",
			Wrong: "\"command\": \"node ${CLAUDE_PLUGIN_ROOT}/hooks/x.mjs\"",
			Do:    "Use args: `\"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/hooks/x.mjs\"]`.",
		},
		find: eachLaunch(func(_ *plugin, l launch, report reporter) {
			if !l.shell {
				return
			}
			for _, match := range use.FindAllStringSubmatchIndex(l.command.value, 20) {
				before, name := l.command.value[:match[3]], l.command.value[match[4]:match[5]]
				const hint = "use args: the file as an argument of node needs no quotes and no shell"
				switch {
				case !strings.HasPrefix(name, "{"):
					report.at(l.command.place, hint, "%s: $%s has no braces", l.owner, name)
				case strings.Count(before, `"`)%2 == 0:
					report.at(l.command.place, hint, "%s: ${CLAUDE_PLUGIN_ROOT} is not quoted", l.owner)
				default:
					continue
				}
				return
			}
		}),
	}
}

func hookUserConfig() rule[*plugin] {
	return rule[*plugin]{
		code: "hook-user-config", level: diag.Error,
		meaning: "a hook's shell line uses an option of the user, which the client refuses to run",
		page: Page{
			Group: Hooks,
			Why:   "The client refuses to put what a user typed into a line of a shell. Its check lets the hook pass, and every run fails.",
			Wrong: "\"command\": \"notify ${user_config.channel}\"",
			Do:    "Use args, where no shell reads the value.",
		},
		find: eachLaunch(func(_ *plugin, l launch, report reporter) {
			if l.shell && strings.Contains(l.command.value, "${user_config.") {
				report.at(l.command.place, "use args and pass the option as an argument", "%s: an option of the user stands in a shell line", l.owner)
			}
		}),
	}
}
