package project

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"omcbuild/internal/diag"
)

//go:embed omcbuild.schema.json
var schemaText []byte

// Schema returns the JSON Schema (2020-12) of omcbuild.jsonc.
func Schema() []byte { return bytes.Clone(schemaText) }

const schemaName = "omcbuild.schema.json"

// validate checks the configuration against its schema. The diagnostics stand
// in the order of the file.
func validate(doc *Document) diag.List {
	compiled, known, err := compileSchema()
	if err != nil {
		return diag.List{{Code: "internal-error", Message: "the embedded schema is broken: " + err.Error()}}
	}
	clean := doc.Value.Clone()
	clean.Standardize()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(clean.Pack()))
	if err != nil {
		return diag.List{{Code: "invalid-json", Position: doc.Position(), Message: "not valid JSON: " + err.Error()}}
	}
	failed, ok := compiled.Validate(value).(*jsonschema.ValidationError)
	if !ok {
		return nil
	}
	v := violations{doc: doc, known: known}
	v.collect(failed)
	slices.SortStableFunc(v.list, func(a, b diag.Diagnostic) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return v.list
}

func compileSchema() (*jsonschema.Schema, any, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return nil, nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaName, parsed); err != nil {
		return nil, nil, err
	}
	compiled, err := compiler.Compile(schemaName)
	return compiled, parsed, err
}

// violations turns what the validator found into diagnostics.
type violations struct {
	doc   *Document
	known any // the schema, to look up keys that would have been right
	list  diag.List
}

func (v *violations) collect(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		if _, ok := e.ErrorKind.(*kind.PropertyNames); ok {
			v.propertyName(e)
			return
		}
		for _, cause := range e.Causes {
			v.collect(cause)
		}
		return
	}
	at := v.doc.Position(e.InstanceLocation...)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			v.unknownKey(e, name)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			v.add(at, fmt.Sprintf("%s has no %q, which it needs", where(e.InstanceLocation), name), v.describe(e, name))
		}
	default:
		v.add(at, where(e.InstanceLocation)+" "+complaint(e.ErrorKind), v.describe(e, ""))
	}
}

func (v *violations) add(at diag.Position, message, hint string) {
	v.list.Add(diag.Diagnostic{Code: "invalid-config", Position: at, Message: message, Hint: hint})
}

func (v *violations) unknownKey(e *jsonschema.ValidationError, name string) {
	keys := append(slices.Clone(e.InstanceLocation), name)
	names := v.properties(e.SchemaURL)
	hint := "the keys known here are " + strings.Join(names, ", ")
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	v.add(v.doc.KeyPosition(keys...), "unknown key "+quote(name)+" in "+where(e.InstanceLocation), hint)
}

func (v *violations) propertyName(e *jsonschema.ValidationError) {
	name := e.ErrorKind.(*kind.PropertyNames).Property
	keys := append(slices.Clone(e.InstanceLocation), name)
	v.add(v.doc.KeyPosition(keys...), quote(name)+" cannot be a key of "+where(e.InstanceLocation), v.describe(e, ""))
}

// describe returns the description the schema gives the value that failed, or
// one of its properties.
func (v *violations) describe(e *jsonschema.ValidationError, property string) string {
	pointer := instanceSchema(e.InstanceLocation)
	if property != "" {
		pointer = append(pointer, "properties", property)
	}
	text, _ := v.lookup(pointer)["description"].(string)
	return text
}

// instanceSchema maps a place in the configuration to its place in the schema.
func instanceSchema(location []string) []string {
	var out []string
	for _, key := range location {
		if key != "" && strings.Trim(key, "0123456789") == "" {
			out = append(out, "items")
		} else {
			out = append(out, "properties", key)
		}
	}
	return out
}

// properties lists the keys that the schema at a location allows, in its order.
func (v *violations) properties(location string) []string {
	_, fragment, _ := strings.Cut(location, "#")
	keys := strings.Split(strings.Trim(fragment, "/"), "/")
	if fragment == "" || fragment == "/" {
		keys = nil
	}
	object, _ := v.lookup(keys)["properties"].(map[string]any)
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lookup walks the schema, through references. It stops at the last object it
// reached when a step does not exist, so that a value inside a free-form object
// finds the description of that object.
func (v *violations) lookup(keys []string) map[string]any {
	at, _ := v.known.(map[string]any)
	for i := 0; i < len(keys); i++ {
		at = v.resolve(at)
		next, ok := at[keys[i]].(map[string]any)
		if !ok {
			return at
		}
		if keys[i] == "properties" && i+1 < len(keys) {
			if _, ok := next[keys[i+1]].(map[string]any); !ok {
				return at
			}
		}
		at = next
	}
	if _, own := at["description"]; own {
		return at
	}
	return v.resolve(at)
}

func (v *violations) resolve(schema map[string]any) map[string]any {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	root, _ := v.known.(map[string]any)
	defs, _ := root["$defs"].(map[string]any)
	target, _ := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	return target
}

// complaint words one violated keyword; it follows the name of the value.
func complaint(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		wanted := make([]string, len(k.Want))
		for i, want := range k.Want {
			wanted[i] = article(want)
		}
		return "is " + article(k.Got) + ", expected " + strings.Join(wanted, " or ")
	case *kind.Enum:
		return "is " + jsonText(k.Got) + ", expected one of " + jsonList(k.Want)
	case *kind.Pattern:
		return "is " + quote(k.Got) + ", which does not match " + k.Want
	case *kind.MinLength:
		return "is empty"
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters, at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		return "is an empty list"
	case *kind.MaxItems:
		return fmt.Sprintf("has %d entries, at most %d are allowed", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d keys, at most %d are allowed", k.Got, k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("lists the same value twice, as entries %d and %d", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.Minimum:
		return "is " + k.Got.RatString() + ", at least " + k.Want.RatString() + " is needed"
	case *kind.Maximum:
		return "is " + k.Got.RatString() + ", at most " + k.Want.RatString() + " is allowed"
	}
	return "does not fit its schema"
}

// where names a value of the configuration, for example bundles[0].entry.
func where(location []string) string {
	if len(location) == 0 {
		return "the configuration"
	}
	var b strings.Builder
	for i, key := range location {
		switch {
		case key != "" && strings.Trim(key, "0123456789") == "":
			b.WriteString("[" + key + "]")
		case i > 0:
			b.WriteString("." + key)
		default:
			b.WriteString(key)
		}
	}
	return b.String()
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return clip(string(text), 60)
}

func jsonList(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = jsonText(v)
	}
	return strings.Join(out, ", ")
}

func quote(s string) string { return fmt.Sprintf("%q", clip(s, 60)) }
