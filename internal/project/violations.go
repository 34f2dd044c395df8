package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// violations turns what the validator found into diagnostics.
type violations struct {
	doc   *Document
	known any // the schema, to look up keys that would have been right
	list  diag.List
}

func (v *violations) collect(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		v.collect(cause)
	}
	if len(e.Causes) > 0 {
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
			v.add(at, fmt.Sprintf("%s has no %q, which it needs", where(e.InstanceLocation), name), v.describe(append(e.InstanceLocation, name)))
		}
	case *kind.Pattern:
		v.add(at, fmt.Sprintf("%s is %s, expected %s", where(e.InstanceLocation), quote(k.Got), v.form(e.SchemaURL)), v.describe(e.InstanceLocation))
	default:
		v.add(at, where(e.InstanceLocation)+" "+complaint(e.ErrorKind), v.describe(e.InstanceLocation))
	}
}

func (v *violations) add(at diag.Position, message, hint string) {
	v.list.Add(diag.Diagnostic{Code: "invalid-config", Position: at, Message: message, Hint: hint})
}

// unknownKey reports a key that the schema at this place does not have, or, in
// an object whose keys are free, one that is not of the right form.
func (v *violations) unknownKey(e *jsonschema.ValidationError, name string) {
	at := v.doc.KeyPosition(append(slices.Clone(e.InstanceLocation), name)...)
	schema := v.at(fragment(e.SchemaURL))
	object, closed := schema["properties"].(map[string]any)
	if !closed {
		v.add(at, fmt.Sprintf("%s cannot be a key of %s, expected %s", quote(name), where(e.InstanceLocation), v.form(e.SchemaURL)), v.describe(e.InstanceLocation))
		return
	}
	names := slices.Sorted(maps.Keys(object))
	hint := "the keys known here are " + strings.Join(names, ", ")
	if near := Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	v.add(at, "unknown key "+quote(name)+" in "+where(e.InstanceLocation), hint)
}

// form says in words which texts a pattern allows; the schema holds them as
// the comment beside it.
func (v *violations) form(schemaURL string) string {
	text, _ := v.at(fragment(schemaURL))["$comment"].(string)
	return text
}

func fragment(schemaURL string) []string {
	_, pointer, _ := strings.Cut(schemaURL, "#")
	return strings.FieldsFunc(pointer, func(r rune) bool { return r == '/' })
}

// at returns the part of the schema under the keys given, or nil.
func (v *violations) at(keys []string) map[string]any {
	at, _ := v.known.(map[string]any)
	for _, key := range keys {
		at, _ = at[key].(map[string]any)
	}
	return at
}

// describe returns, as a hint, what the schema says of a value of the
// configuration, or of the nearest value around it that is described.
func (v *violations) describe(location []string) string {
	schema, found := v.at(nil), ""
	for _, key := range location {
		properties, _ := schema["properties"].(map[string]any)
		next, ok := properties[key].(map[string]any)
		if !ok {
			next, ok = schema["items"].(map[string]any)
		}
		if !ok {
			break
		}
		text, _ := next["description"].(string)
		if ref, ok := next["$ref"].(string); ok {
			next = v.at(fragment(ref))
		}
		if text == "" {
			text, _ = next["description"].(string)
		}
		if text != "" {
			found = text
		}
		schema = next
	}
	if found == "" {
		return ""
	}
	return strings.ToLower(found[:1]) + strings.TrimSuffix(found[1:], ".")
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

var plainKey = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

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
		case !plainKey.MatchString(key):
			fmt.Fprintf(&b, "[%q]", clip(key, 60))
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
