package lint

import (
	"encoding/json"
	"maps"
	"path"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// hooksForm finds hook files of which the client loads nothing.
func hooksForm() rule[*plugin] {
	return rule[*plugin]{
		code: "hooks-form", level: diag.Error,
		meaning: "a hooks file lacks its hooks object, or an event holds no list; the client loads nothing of it",
		page: Page{
			Group:  Hooks,
			Why:    "Of a file without the hooks object the client loads nothing; an event that holds no list is left out.",
			Wrong:  "{\"Stop\": [{\"hooks\": []}]}",
			Do:     "Put the events into an object named hooks, each with a list.",
			Client: "HOOKS_JSON_INVALID, HOOKS_MISSING_WRAPPER, HOOKS_SCHEMA_INVALID",
		},
		find: func(p *plugin, report reporter) {
			const hint = `write {"hooks": {"EVENT": [{"hooks": [{"type": "command", …}]}]}}`
			p.hookMaps(func(doc *project.Document, keys []string) {
				if doc.Problem != nil {
					return
				}
				if doc != p.manifest {
					p.hooksFileFaults(doc, report)
				}
				if len(keys) == 0 {
					if doc.Find("modules") == nil {
						report.at(doc.Position(), hint, "has no hooks object")
					}
					return
				}
				var events map[string]json.RawMessage
				if doc.Decode(&events, keys...) != nil || events == nil {
					report.at(doc.Position(keys...), hint, "hooks must be an object")
					return
				}
				for _, event := range slices.Sorted(maps.Keys(events)) {
					var groups []struct {
						Hooks []json.RawMessage `json:"hooks"`
					}
					if json.Unmarshal(events[event], &groups) != nil || groups == nil {
						report.at(doc.Position(append(slices.Clone(keys), event)...), hint, "%s must be a list of objects with hooks", clip(event))
					}
				}
			})
		},
	}
}

// events are the names of the client's hook events.
func eventNames() []string {
	return []string{
		"SessionStart", "SessionEnd", "Setup", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion",
		"PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
		"Notification", "SubagentStart", "SubagentStop", "TaskCreated", "TaskCompleted", "Stop", "StopFailure",
		"TeammateIdle", "ConfigChange", "CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove",
		"PreCompact", "PostCompact", "Elicitation", "ElicitationResult",
	}
}

func hookEvent() rule[*plugin] {
	return rule[*plugin]{
		code: "hook-event", level: diag.Warning,
		meaning: "a hook is for an event that is not known; names are case sensitive, and the client ignores the entry",
		page: Page{
			Group: Hooks,
			Why:   "The names of events are case sensitive. The client ignores an entry for an event it does not know.",
			Wrong: "{\"hooks\": {\"sessionStart\": []}}",
			Do:    "Write the name as the client does.",
		},
		find: func(p *plugin, report reporter) {
			known := eventNames()
			p.hookMaps(func(doc *project.Document, keys []string) {
				var events map[string]json.RawMessage
				if len(keys) == 0 || doc.Decode(&events, keys...) != nil {
					return
				}
				if doc == p.manifest && len(keys) > 1 && keys[len(keys)-1] == "hooks" {
					report.at(doc.KeyPosition(keys...), "move the events one level up", "hooks inside hooks has no effect in the manifest")
				}
				for _, event := range slices.Sorted(maps.Keys(events)) {
					if slices.Contains(known, event) {
						continue
					}
					hint := "use the name of an event, such as SessionStart or PreToolUse"
					if i := slices.IndexFunc(known, func(name string) bool { return project.Distance(name, event) <= 3 }); i >= 0 {
						hint = "write " + known[i]
					}
					report.at(doc.KeyPosition(append(slices.Clone(keys), event)...), hint, "%s is no event that this tool knows", clip(event))
				}
			})
		},
	}
}

func hookHandler() rule[*plugin] {
	needs := map[string]string{"command": "command", "http": "url", "mcp_tool": "tool", "prompt": "prompt", "agent": "prompt"}
	return rule[*plugin]{
		code: "hook-handler", level: diag.Error,
		meaning: "a hook has no handler that the client can run; it ignores the entry",
		page: Page{
			Group: Hooks,
			Why:   "The client ignores a handler of an unknown type or without the field that its type needs.",
			Wrong: "{\"type\": \"script\", \"command\": \"node x.mjs\"}",
			Do:    "Use one of the types command, http, mcp_tool, prompt and agent, with its field.",
		},
		find: func(p *plugin, report reporter) {
			for _, g := range p.groups {
				if g.bare {
					report.at(g.doc.Position(g.group...), `write {"hooks": [{"type": "command", …}]}`, "hook %s: the entry has no list of hooks", g.event)
				}
			}
			for _, h := range p.handlers {
				for _, fault := range h.faults() {
					report.at(h.at(fault.field), "correct it, or remove it", "hook %s: %s", h.event, fault.text)
				}
				kind, _ := h.fields["type"].(string)
				field, known := needs[kind]
				switch {
				case h.fields == nil:
					report.at(h.at(), "write an object with a type", "hook %s: the handler must be an object", h.event)
				case !known:
					report.at(h.at("type"), "use command, http, mcp_tool, prompt or agent", "hook %s: the type %s is not known", h.event, compact(h.fields["type"]))
				case h.text(field) == "":
					report.at(h.at(field), "add it", "hook %s: a handler of type %s needs %s", h.event, kind, field)
				case kind == "mcp_tool" && h.text("server") == "":
					report.at(h.at("server"), "add it", "hook %s: a handler of type mcp_tool needs server", h.event)
				case kind == "http" && !wholeURL(h.text("url")):
					report.at(h.at("url"), "write a whole URL, with https://", "hook %s: the url is no URL", h.event)
				}
				if timeout, ok := h.fields["timeout"]; ok {
					if seconds, number := timeout.(float64); !number {
						report.at(h.at("timeout"), "write a number of seconds", "hook %s: timeout is %s", h.event, valueType(timeout))
					} else if seconds <= 0 {
						report.at(h.at("timeout"), "write a number of seconds above 0", "hook %s: timeout is %v", h.event, seconds)
					}
				}
			}
		},
	}
}

// hookTwice finds a manifest that names the hooks file which is read anyway.
func hookTwice() rule[*plugin] {
	return rule[*plugin]{
		code: "hooks-twice", level: diag.Warning,
		meaning: "the manifest names hooks/hooks.json, which the client reads anyway, so its hooks may run twice",
		page: Page{
			Group: Hooks,
			Why:   "The client reads hooks/hooks.json whether the manifest names it or not.",
			Wrong: "{\"hooks\": \"./hooks/hooks.json\"}",
			Do:    "Remove the field from the manifest.",
		},
		find: func(p *plugin, report reporter) {
			var value any
			if p.manifest.Find("hooks") == nil || p.manifest.Decode(&value, "hooks") != nil {
				return
			}
			list, ok := value.([]any)
			if !ok {
				list = []any{value}
			}
			for _, element := range list {
				if file, ok := element.(string); ok && path.Clean(file) == hooksFile {
					report.at(p.manifest.Position("hooks"), "remove the field", "names %s, which is read anyway", hooksFile)
				}
			}
		},
	}
}
