package schemadiff

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxHops is how many references are followed from one place before the
// reference is taken as it is written.
const maxHops = 32

// document is a decoded schema, the root of its local references. Numbers are
// json.Number.
type document struct {
	root  any
	valid bool // false when the bytes are no JSON
}

// parse decodes a schema. It never fails; see document.valid.
func parse(raw json.RawMessage) document {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return document{}
	}
	return document{root: root, valid: true}
}

// properties returns the properties of the root object.
func (d document) properties() map[string]any {
	object, _ := d.root.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return properties
}

// node is one schema made ready for comparison: references are resolved, forms
// that mean the same are brought into one, keywords of the wrong JSON type are
// set aside.
type node struct {
	never     bool           // the schema false, which nothing satisfies
	keywords  map[string]any // well-formed keywords by name
	malformed map[string]any // the others
}

// node resolves the schema that a JSON value stands for; a value that is none is
// taken for a schema that says nothing.
func (d document) node(value any) node {
	switch schema := value.(type) {
	case bool:
		return node{never: !schema}
	case map[string]any:
		keywords, never := d.resolve(schema)
		if never {
			return node{never: true}
		}
		return split(nullable(keywords))
	}
	return node{}
}

// resolve follows references and inlines an allOf of one, until neither is left.
// It reports whether that led to the schema false.
func (d document) resolve(schema map[string]any) (keywords map[string]any, never bool) {
	for range maxHops {
		name, target, found := d.indirection(schema)
		if !found {
			return schema, false
		}
		rest := maps.Clone(schema)
		delete(rest, name)
		switch target := target.(type) {
		case bool:
			if !target {
				return nil, true
			}
			schema = rest
		case map[string]any:
			if conflict(target, rest) {
				branches, _ := rest["allOf"].([]any)
				rest["allOf"] = append([]any{target}, branches...)
				schema = rest
				continue
			}
			merged := maps.Clone(target)
			maps.Copy(merged, rest)
			schema = merged
		}
	}
	return schema, false
}

// target follows references that stand alone, so that a definition is known
// again wherever it is used.
func (d document) target(value any) any {
	for range maxHops {
		schema, _ := value.(map[string]any)
		ref, ok := schema["$ref"].(string)
		if !ok || len(schema) != 1 {
			break
		}
		next, ok := d.lookup(ref)
		if !ok {
			break
		}
		value = next
	}
	return value
}

// indirection returns the keyword that makes schema stand for another one, and
// that other one.
func (d document) indirection(schema map[string]any) (keyword string, target any, found bool) {
	if ref, ok := schema["$ref"].(string); ok {
		if target, ok := d.lookup(ref); ok && isSchema(target) {
			return "$ref", target, true
		}
		return "", nil, false
	}
	branches, ok := schema["allOf"].([]any)
	if !ok || len(branches) != 1 || !isSchema(branches[0]) {
		return "", nil, false
	}
	rest := maps.Clone(schema)
	delete(rest, "allOf")
	if branch, ok := branches[0].(map[string]any); ok && conflict(branch, rest) {
		return "", nil, false
	}
	return "allOf", branches[0], true
}

func isSchema(value any) bool {
	switch value.(type) {
	case bool, map[string]any:
		return true
	}
	return false
}

// conflict reports whether two schemas that hold at once both say something with
// the same keyword that is more than wording.
func conflict(a, b map[string]any) bool {
	for name := range a {
		if _, both := b[name]; both && !isWording(name) {
			return true
		}
	}
	return false
}

// lookup finds the target of a local reference: "#", a JSON pointer, or a name
// given by $anchor in the definitions.
func (d document) lookup(ref string) (any, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if fragment == "" {
		return d.root, true
	}
	pointer, ok := strings.CutPrefix(fragment, "/")
	if !ok {
		return d.anchor(fragment)
	}
	value := d.root
	for step := range strings.SplitSeq(pointer, "/") {
		if value, ok = child(value, unescape(step)); !ok {
			return nil, false
		}
	}
	return value, true
}

// child takes one step of a JSON pointer.
func child(value any, step string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		next, ok := value[step]
		return next, ok
	case []any:
		if index, err := strconv.Atoi(step); err == nil && index >= 0 && index < len(value) {
			return value[index], true
		}
	}
	return nil, false
}

// unescape undoes the escapes of a JSON pointer in a URI fragment.
func unescape(step string) string {
	step = strings.ReplaceAll(step, "%25", "%")
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}

func (d document) anchor(name string) (any, bool) {
	root, _ := d.root.(map[string]any)
	for _, place := range []string{"$defs", "definitions"} {
		definitions, _ := root[place].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(definitions)) {
			if schema, ok := definitions[key].(map[string]any); ok && schema["$anchor"] == name {
				return schema, true
			}
		}
	}
	return nil, false
}

// nullable writes "anyOf: [X, null]" as X whose type also allows null, so that
// both spellings compare equal.
func nullable(schema map[string]any) map[string]any {
	branches, _ := schema["anyOf"].([]any)
	if len(branches) != 2 {
		return schema
	}
	for i, branch := range branches {
		other, ok := branches[1-i].(map[string]any)
		if !ok || !isNullType(branch) {
			continue
		}
		kind, ok := other["type"].(string)
		rest := maps.Clone(schema)
		delete(rest, "anyOf")
		if !ok || hasAny(other, "enum", "const", "$ref") || conflict(other, rest) {
			continue
		}
		merged := maps.Clone(other)
		maps.Copy(merged, rest)
		merged["type"] = []any{kind, "null"}
		return merged
	}
	return schema
}

func isNullType(schema any) bool {
	object, _ := schema.(map[string]any)
	return len(object) == 1 && object["type"] == "null"
}

func hasAny(schema map[string]any, names ...string) bool {
	for _, name := range names {
		if _, ok := schema[name]; ok {
			return true
		}
	}
	return false
}
