package lint

import (
	"bytes"
	"encoding/json"
	"slices"

	"omcbuild/internal/diag"
)

// toolShape finds everything in a listed tool for which the client drops all
// tools of the server, not only the one at fault.
func toolShape() rule[*offer] {
	return rule[*offer]{
		code: "tool-shape", level: diag.Error,
		meaning: "a listed tool breaks the form of the protocol; the client then drops every tool of the server",
		find:    eachTool(func(t *tool, report reporter) { shape{t, report}.check() }),
	}
}

// shape reports faults of one tool.
type shape struct {
	*tool
	report reporter
}

const shapeHint = "every tool of the server is lost until this one is mended"

func (s shape) fault(format string, args ...any) { s.report.in(s.label, shapeHint, format, args...) }

func (s shape) check() {
	if s.members == nil {
		s.fault("the listed entry is %s and must be an object", jsonType(s.Raw))
		return
	}
	if kind := jsonType(s.members["name"]); kind != "a string" {
		s.fault("name is %s and must be a string", kind)
	}
	for _, member := range []string{"description", "title"} {
		if raw, ok := s.members[member]; ok && jsonType(raw) != "a string" {
			s.fault("%s is %s and must be a string or be left out", member, jsonType(raw))
		}
	}
	s.input()
	s.extras()
}

func (s shape) input() {
	if s.tool.input == nil {
		s.fault("inputSchema is %s and must be an object with type \"object\"", jsonType(s.InputSchema))
		return
	}
	root := s.tool.input.root
	if value, ok := root["type"]; !ok {
		s.fault("inputSchema has no type and must have type \"object\"")
	} else if value != "object" {
		s.fault("inputSchema has type %s and must have type \"object\"", compact(value))
	}
	if value, ok := root["properties"]; ok {
		if _, object := value.(map[string]any); !object {
			s.fault("inputSchema.properties is %s and must be an object", valueType(value))
		}
	}
	if value, ok := root["required"]; ok {
		if list, array := value.([]any); !array || len(stringsOf(value)) != len(list) {
			s.fault("inputSchema.required is %s and must be an array of strings", valueType(value))
		}
	}
}

// extras looks at the members that most tools do not have.
func (s shape) extras() {
	if raw, ok := s.members["_meta"]; ok && jsonType(raw) != "an object" {
		s.fault("_meta is %s and must be an object", jsonType(raw))
	}
	if raw, ok := s.members["icons"]; ok {
		var icons []struct {
			Src *string `json:"src"`
		}
		if json.Unmarshal(raw, &icons) != nil || jsonType(raw) != "an array" {
			s.fault("icons is not an array of objects with src")
		}
		for _, icon := range icons {
			if icon.Src == nil {
				s.fault("an icon has no src")
			}
		}
	}
	if raw, ok := s.members["execution"]; ok {
		var execution map[string]json.RawMessage
		if json.Unmarshal(raw, &execution) != nil || execution == nil {
			s.fault("execution is %s and must be an object", jsonType(raw))
		}
		known := []string{`"forbidden"`, `"optional"`, `"required"`}
		if support, ok := execution["taskSupport"]; ok && !slices.Contains(known, string(support)) {
			s.fault("execution.taskSupport is %s and must be forbidden, optional or required", clip(string(support)))
		}
	}
}

// jsonType names the type of a raw JSON value with its article.
func jsonType(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "missing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func valueType(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "unreadable"
	}
	return jsonType(text)
}

// compact spells a value for a message.
func compact(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "unreadable"
	}
	return clip(string(bytes.TrimSpace(b.Bytes())))
}

// clip cuts a text to what fits in a message.
func clip(text string) string {
	const limit = 80
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}
