package lint

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// serversMissing finds a plugin that ships a server and tells nobody.
func serversMissing() rule[*plugin] {
	return rule[*plugin]{
		code: "servers-missing", level: diag.Error,
		meaning: "the plugin has a server bundle and no entry that starts a server",
		page: Page{
			Group: Servers,
			Why:   "A bundle that no entry names is copied to users and never started.",
			Wrong: "bridge/mcp-server.cjs\n.mcp.json  {}",
			Do:    "Run `omcbuild sync`, which adds the entry.",
		},
		find: func(p *plugin, report reporter) {
			if len(p.servers) > 0 || p.mcp != nil && p.mcp.Problem != nil {
				return
			}
			bundles := p.Bundles
			if len(bundles) == 0 {
				for _, file := range p.files.files {
					if path.Dir(file) == "bridge" && path.Ext(file) == ".cjs" {
						bundles = append(bundles, file)
					}
				}
			}
			if len(bundles) > 0 {
				report.at(diag.Position{File: mcpFile}, "run omcbuild sync", "no server is declared, so %s is never started", strings.Join(bundles, ", "))
			}
		},
	}
}

// serverShape finds entries that the client drops.
func serverShape() rule[*plugin] {
	return rule[*plugin]{
		code: "server-shape", level: diag.Error,
		meaning: "an entry of the server map has the wrong form; the client drops the server in silence",
		page: Page{
			Group: Servers,
			Why:   "The client drops an entry of the wrong form while it loads the plugin. `mcp list` does not show it, not even as failed.",
			Wrong: "{\"mcpServers\": {\"t\": {\"command\": \"node\", \"args\": \"server.cjs\"}}}",
			Do:    "Give the fields the types that the client reads: args a list of strings, env and headers objects of strings, timeout a whole number of milliseconds above 0.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.servers {
				for _, fault := range s.faults() {
					report.at(s.at(fault.field), "write {\"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/bridge/server.cjs\"]}, or {\"type\": \"http\", \"url\": …}",
						"server %s: %s", s.key, fault.text)
				}
			}
		},
	}
}

type fieldFault struct{ field, text string }

func (s server) faults() (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	if s.fields == nil {
		add("", "the entry must be an object")
		return found
	}
	kind, typed := s.fields["type"]
	switch kind {
	case nil, "stdio":
		if s.text("command") == "" && s.fields["url"] == nil {
			add("command", "command is missing")
		}
		if s.fields["url"] != nil && !typed {
			add("url", "a url needs a type, http, sse or ws; without one the entry is read as stdio")
		}
	case "http", "streamable-http", "sse", "ws":
		if s.text("url") == "" {
			add("url", "url is missing")
		}
	default:
		add("type", "type %s is not stdio, http, sse or ws", compact(kind))
	}
	if args, ok := s.fields["args"]; ok {
		if list, array := args.([]any); !array || len(stringsOf(args)) != len(list) {
			add("args", "args must be an array of strings")
		}
	}
	for _, field := range []string{"env", "headers"} {
		noun := map[string]string{"env": "variable", "headers": "header"}[field]
		value, given := s.fields[field]
		values, object := value.(map[string]any)
		for _, name := range sortedKeys(values) {
			if _, ok := values[name].(string); !ok {
				add(field, "the %s %s must be a string", noun, clip(printable(name)))
			}
		}
		if given && !object {
			add(field, "%s must be an object", field)
		}
	}
	return append(found, s.optionalFaults()...)
}

// optionalFaults looks at the fields that few servers have.
func (s server) optionalFaults() (found []fieldFault) {
	add := func(field, format string, args ...any) {
		found = append(found, fieldFault{field, fmt.Sprintf(format, args...)})
	}
	for _, field := range []struct{ name, kind string }{{"alwaysLoad", aBoolean}, {"headersHelper", aString}, {"oauth", anObject}, {"timeout", aNumber}} {
		if value, ok := s.fields[field.name]; ok && valueType(value) != field.kind {
			add(field.name, "%s must be %s", field.name, field.kind)
		}
	}
	if number, ok := s.fields["timeout"].(float64); ok && (number <= 0 || number != math.Trunc(number)) {
		add("timeout", "timeout must be a whole number of milliseconds above 0")
	}
	oauth, _ := s.fields["oauth"].(map[string]any)
	for _, field := range []struct{ name, kind string }{{"authServerMetadataUrl", aString}, {"callbackPort", aNumber}, {"clientId", aString}} {
		if value, ok := oauth[field.name]; ok && valueType(value) != field.kind {
			add("oauth", "oauth.%s must be %s", field.name, field.kind)
		}
	}
	kind := s.text("type")
	if url := s.text("url"); url != "" && kind != "" && kind != "stdio" && !wholeURL(url) {
		add("url", "url is no whole URL")
	}
	return found
}

// serverKey finds settings that look as if they did something.
func serverKey() rule[*plugin] {
	known := []string{"type", "command", "args", "env", "url", "headers", "headersHelper", "timeout", "alwaysLoad", "network", "oauth"}
	return rule[*plugin]{
		code: "server-key-ignored", level: diag.Warning,
		meaning: "an entry of the server map has a key that the client ignores",
		page: Page{
			Group: Servers,
			Why:   "Keys that other programs know, such as cwd or disabled, are ignored without a word. A server runs in the user's project whatever cwd says.",
			Wrong: "{\"t\": {\"command\": \"node\", \"cwd\": \"${CLAUDE_PLUGIN_ROOT}\"}}",
			Do:    "Remove the key.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.servers {
				for _, name := range slices.Sorted(maps.Keys(s.fields)) {
					if slices.Contains(known, name) {
						continue
					}
					hint := "remove it"
					if name == "cwd" {
						hint = "remove it; a server runs in the user's project, so name files by ${CLAUDE_PLUGIN_ROOT}"
					}
					report.at(s.at(name), hint, "server %s: %s has no effect", s.key, clip(name))
				}
			}
		},
	}
}

// serverTwice finds servers of which the client keeps only the first.
func serverTwice() rule[*plugin] {
	return rule[*plugin]{
		code: "server-twice", level: diag.Error,
		meaning: "two servers are started by the same command line; the client keeps only the first, in silence",
		page: Page{
			Group: Servers,
			Why:   "Of two servers with the same command line the client keeps the first and drops the other silently.",
			Wrong: "{\"a\": {\"command\": \"node\", \"args\": [\"s.cjs\"]}, \"b\": {\"command\": \"node\", \"args\": [\"s.cjs\"]}}",
			Do:    "Remove one, or give them different arguments.",
		},
		find: func(p *plugin, report reporter) {
			first := map[string]server{}
			for _, s := range p.servers {
				line := fmt.Sprintf("%q %q %q", s.fields["command"], s.fields["args"], s.fields["url"])
				before, seen := first[line]
				switch {
				case s.fields == nil || s.text("command") == "" && s.text("url") == "":
				case !seen:
					first[line] = s
				case before.key != s.key:
					report.at(s.at(), "remove one of them, or give them different arguments", "server %s is started like server %s", s.key, before.key)
				}
			}
		},
	}
}
