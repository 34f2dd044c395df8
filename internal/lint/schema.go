package lint

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxSchemaDepth and maxSchemaNodes bound the work on one schema. Real schemas
	// have a depth below twenty and a few hundred nodes.
	maxSchemaDepth = 200
	maxSchemaNodes = 20_000
)

// schema is a decoded input or output schema whose root is an object.
type schema struct {
	member string         // "inputSchema" or "outputSchema"
	root   map[string]any // numbers are json.Number
	huge   bool           // deeper or larger than what is looked at; the nodes are incomplete
	nodes  []schemaNode   // the root and every schema inside it, outermost first
}

// schemaNode is one schema inside another.
type schemaNode struct {
	path   string         // JSON pointer from the tool: "inputSchema/properties/zone"
	object map[string]any // the schema; booleans are left out
}

func newSchema(member string, raw json.RawMessage) *schema {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root any
	if decoder.Decode(&root) != nil {
		return nil
	}
	object, ok := root.(map[string]any)
	if !ok {
		return nil
	}
	s := &schema{member: member, root: object}
	s.walk(member, object, 0)
	return s
}

// walk collects the schemas inside a value that is a schema.
func (s *schema) walk(path string, value any, depth int) {
	object, ok := value.(map[string]any)
	if !ok {
		return
	}
	if depth > maxSchemaDepth || len(s.nodes) >= maxSchemaNodes {
		s.huge = true
		return
	}
	s.nodes = append(s.nodes, schemaNode{path, object})
	for _, name := range slices.Sorted(maps.Keys(object)) {
		s.inside(path+"/"+escapePointer(name), name, object[name], depth+1)
	}
}

// inside goes on into the value of a keyword, where that holds schemas.
func (s *schema) inside(path, keyword string, value any, depth int) {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		children, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(children)) {
			s.walk(path+"/"+escapePointer(name), children[name], depth)
		}
	case "items", "prefixItems", "anyOf", "oneOf", "allOf",
		"additionalProperties", "additionalItems", "unevaluatedItems", "unevaluatedProperties",
		"contains", "propertyNames", "not", "if", "then", "else", "contentSchema":
		if list, ok := value.([]any); ok {
			for i, element := range list {
				s.walk(path+"/"+strconv.Itoa(i), element, depth)
			}
			return
		}
		s.walk(path, value, depth)
	}
}

func escapePointer(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

// properties returns the root's properties in order of name.
func (s *schema) properties() (names []string, schemas map[string]any) {
	if s == nil {
		return nil, nil
	}
	schemas, _ = s.root["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(schemas)), schemas
}

// required returns the names the root requires, those that are strings.
func (s *schema) required() []string {
	if s == nil {
		return nil
	}
	return stringsOf(s.root["required"])
}

func stringsOf(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, element := range list {
		if text, ok := element.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// lookup finds what a local reference means: "#", a JSON pointer, or an anchor.
func (s *schema) lookup(ref string) (any, bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	switch {
	case !local:
		return nil, false
	case fragment == "":
		return s.root, true
	case !strings.HasPrefix(fragment, "/"):
		for _, node := range s.nodes {
			if node.object["$anchor"] == fragment || node.object["$dynamicAnchor"] == fragment {
				return node.object, true
			}
		}
		return nil, false
	}
	var value any = s.root
	for step := range strings.SplitSeq(fragment[1:], "/") {
		next, ok := stepInto(value, unescapePointer(step))
		if !ok {
			return nil, false
		}
		value = next
	}
	return value, true
}

func stepInto(value any, step string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		next, ok := value[step]
		return next, ok
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(value) {
			return value[i], true
		}
	}
	return nil, false
}

func unescapePointer(step string) string {
	step = strings.ReplaceAll(step, "%25", "%")
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
