package schemadiff

import (
	"encoding/json"
	"slices"
)

// handling says how a keyword is compared.
type handling int

const (
	unknown    handling = iota // not a keyword of JSON Schema: wording
	structural                 // by code of its own
	constraint                 // as a whole: present narrows, absent widens, different is unclear
	wording                    // for readers; no validator looks at it
	ignored                    // its effect shows elsewhere
)

// handlingOf sorts the keywords of the dialects that servers use.
func handlingOf(name string) handling {
	switch name {
	case "type", "enum", "const",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
		"properties", "required", "additionalProperties",
		"items", "prefixItems", "additionalItems",
		"anyOf", "oneOf", "allOf":
		return structural
	case "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema",
		"not", "if", "then", "else", "contains", "minContains", "maxContains",
		"dependentRequired", "dependentSchemas", "dependencies",
		"propertyNames", "patternProperties", "unevaluatedProperties", "unevaluatedItems",
		"$ref", "$dynamicRef", "$recursiveRef":
		return constraint
	case "title", "description", "examples", "$comment", "default", "deprecated", "readOnly", "writeOnly", "$schema":
		return wording
	case "$defs", "definitions", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary":
		return ignored
	}
	return unknown
}

func isWording(name string) bool {
	kind := handlingOf(name)
	return kind == wording || kind == unknown || kind == ignored
}

// split sets the keywords aside whose JSON type is not what the code that
// compares them expects.
func split(schema map[string]any) node {
	n := node{keywords: map[string]any{}}
	for name, value := range schema {
		if handlingOf(name) != structural || wellFormed(name, value) {
			n.keywords[name] = value
			continue
		}
		if n.malformed == nil {
			n.malformed = map[string]any{}
		}
		n.malformed[name] = value
	}
	return n
}

func wellFormed(name string, value any) bool {
	switch name {
	case "const":
		return true
	case "type":
		names, ok := typeNames(value)
		return ok && !slices.ContainsFunc(names, func(name string) bool { return typeBits(name) == 0 })
	case "required":
		_, ok := stringList(value)
		return ok
	case "uniqueItems":
		_, ok := value.(bool)
		return ok
	case "exclusiveMinimum", "exclusiveMaximum":
		if _, draft4 := value.(bool); draft4 {
			return true
		}
	case "properties":
		_, ok := value.(map[string]any)
		return ok
	case "additionalProperties", "additionalItems":
		return isSchema(value)
	case "items":
		_, tuple := value.([]any)
		return tuple || isSchema(value)
	case "enum", "prefixItems", "anyOf", "oneOf", "allOf":
		_, ok := value.([]any)
		return ok
	}
	number, ok := value.(json.Number)
	return ok && rational(number) != nil
}

func stringList(value any) ([]string, bool) {
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(list))
	for _, element := range list {
		text, ok := element.(string)
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

func typeNames(value any) ([]string, bool) {
	if name, ok := value.(string); ok {
		return []string{name}, true
	}
	return stringList(value)
}
