package lint

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// annotationType finds hints that are not boolean. The client then drops every
// tool of the server.
func annotationType() rule[*offer] {
	return rule[*offer]{
		code: "annotation-type", level: diag.Error,
		meaning: "annotations are no object, or a hint is not true or false; the client then drops every tool of the server",
		find: eachTool(func(t *tool, report reporter) {
			raw, ok := t.members["annotations"]
			if !ok {
				return
			}
			hints, ok := object(raw)
			if !ok {
				report.in(t.label, shapeHint, "annotations is %s and must be an object", jsonType(raw))
				return
			}
			for _, name := range slices.Sorted(maps.Keys(hints)) {
				kind := jsonType(hints[name])
				switch {
				case strings.HasSuffix(name, "Hint") && kind != "a boolean":
					report.in(t.label, shapeHint, "annotations.%s is %s and must be true or false", name, kind)
				case name == "title" && kind != "a string":
					report.in(t.label, shapeHint, "annotations.title is %s and must be a string", kind)
				}
			}
		}),
	}
}

// readOnlyDestructive finds hints that contradict each other.
func readOnlyDestructive() rule[*offer] {
	return rule[*offer]{
		code: "annotation-contradiction", level: diag.Warning,
		meaning: "a tool says that it is read-only and that it is destructive; a client that believes the first lets it run unasked",
		find: eachTool(func(t *tool, report reporter) {
			hints, _ := object(t.Annotations)
			if string(hints["readOnlyHint"]) == "true" && string(hints["destructiveHint"]) == "true" {
				report.in(t.label, "keep the one that is true of the handler", "readOnlyHint and destructiveHint are both true")
			}
		}),
	}
}

// object decodes a JSON object, and reports whether it is one.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	return members, err == nil && members != nil
}
