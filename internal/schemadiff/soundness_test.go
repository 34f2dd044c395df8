package schemadiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestHarmlessChangesRefuseNothing holds the levels against a validator. Schemas
// and small changes of them are drawn at random; when Compare finds nothing
// breaking in the change of an input, every value that the old schema accepts
// must be accepted by the new one, and for an output the other way round.
//
// A new optional property is left out: it narrows what was open before, and is a
// feature by decision.
func TestHarmlessChangesRefuseNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	values := instances()
	harmless := 0
	for range 2000 {
		old := schemaOf(random, 3)
		updated := altered(random, old, 3)
		a, b := spelledOut(t, old), spelledOut(t, updated)
		before, after := compiled(t, a), compiled(t, b)
		if before == nil || after == nil {
			continue
		}
		if ok, _ := judged(compareInputs(a, b)); ok {
			harmless++
			refuted(t, "input", a, b, before, after, values)
		}
		if ok, _ := judged(compareOutputs(a, b)); ok {
			refuted(t, "output", a, b, after, before, values)
		}
	}
	if harmless < 150 {
		t.Errorf("only %d changes were harmless; the test shows little", harmless)
	}
}

// judged reports whether changes are free of breaking ones and of those that are
// harmless by decision.
func judged(messages []string) (harmless bool, kinds []string) {
	for _, message := range messages {
		if strings.HasSuffix(message, ": breaking") || strings.Contains(message, "is new and") {
			return false, nil
		}
	}
	return true, messages
}

// refuted fails the test when a value is accepted by the wider schema's
// predecessor and refused by its successor.
func refuted(t *testing.T, side, old, updated string, accepts, mustAccept *jsonschema.Schema, values []any) {
	t.Helper()
	for _, value := range values {
		if accepts.Validate(value) == nil && mustAccept.Validate(value) != nil {
			text, _ := json.Marshal(value)
			t.Fatalf("%s: nothing breaking was found, and %s is judged differently\nold %s\nnew %s\nchanges %q", side, text, old, updated, compareInputs(old, updated))
		}
	}
}

func spelledOut(t *testing.T, schema any) string {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compiled returns a validator, or nil for a schema that is none.
func compiled(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if compiler.AddResource("mem:///schema", value) != nil {
		return nil
	}
	schema, err := compiler.Compile("mem:///schema")
	if err != nil {
		return nil
	}
	return schema
}

// schemaOf draws a schema.
func schemaOf(random *rand.Rand, depth int) any {
	schema := map[string]any{}
	if depth == 0 || random.IntN(20) == 0 {
		return []any{true, false, schema}[random.IntN(3)]
	}
	for range 1 + random.IntN(3) {
		keyword(random, schema, depth)
	}
	return schema
}

// keyword adds a keyword to a schema, or replaces it.
func keyword(random *rand.Rand, schema map[string]any, depth int) {
	child := func() any { return schemaOf(random, depth-1) }
	few := func() (list []any) {
		for range 1 + random.IntN(3) {
			list = append(list, child())
		}
		return list
	}
	small := func() any { return random.IntN(5) - 1 }
	size := func() any { return random.IntN(3) }
	types := []any{"string", "integer", "number", "boolean", "null", "array", "object"}
	scalars := []any{"a", "bb", 0, 1, 2, 1.5, true, nil}
	name := []string{"type", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "properties", "properties",
		"required", "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "pattern", "title", "contains", "if", "$ref"}[random.IntN(31)]
	switch name {
	case "type":
		schema[name] = types[random.IntN(len(types))]
		if random.IntN(3) == 0 {
			first := random.IntN(len(types) - 1)
			schema[name] = []any{types[first], types[first+1]}
		}
	case "enum":
		first := random.IntN(len(scalars) - 2)
		schema[name] = slices.Clone(scalars[first : first+1+random.IntN(3)])
	case "const":
		schema[name] = scalars[random.IntN(len(scalars))]
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		schema[name] = small()
	case "multipleOf":
		schema[name] = []any{0.5, 1, 2, 3}[random.IntN(4)]
	case "uniqueItems":
		schema[name] = random.IntN(2) == 0
	case "properties":
		schema[name] = map[string]any{"p": child(), "q": child()}
	case "required":
		schema[name] = [][]any{{"p"}, {"q"}, {"p", "q"}, {}}[random.IntN(4)]
	case "prefixItems", "anyOf", "oneOf", "allOf":
		schema[name] = few()
	case "additionalProperties", "items", "not", "contains", "if":
		schema[name] = child()
	case "pattern":
		schema[name] = []any{"^a", "b$"}[random.IntN(2)]
	case "title":
		schema[name] = "t"
	case "$ref":
		schema[name] = "#/$defs/d"
		schema["$defs"] = map[string]any{"d": schemaOf(random, 1)}
	default:
		schema[name] = size()
	}
}

// altered returns a copy of a schema with something changed, mostly one thing.
func altered(random *rand.Rand, value any, depth int) any {
	schema, ok := value.(map[string]any)
	if !ok || random.IntN(12) == 0 {
		return schemaOf(random, depth)
	}
	out := map[string]any{}
	names := []string{}
	for name, member := range schema {
		out[name] = member
		names = append(names, name)
	}
	slices.Sort(names)
	switch random.IntN(4) {
	case 0:
		if len(names) > 0 {
			delete(out, names[random.IntN(len(names))])
		}
	case 1:
		keyword(random, out, depth)
	default:
		if len(names) > 0 {
			name := names[random.IntN(len(names))]
			out[name] = alteredMember(random, name, out[name], depth)
		}
	}
	return out
}

func alteredMember(random *rand.Rand, name string, member any, depth int) any {
	switch member := member.(type) {
	case map[string]any:
		if name != "properties" && name != "$defs" {
			return altered(random, member, depth-1)
		}
		out := map[string]any{}
		for _, key := range []string{"d", "p", "q"} {
			if child, ok := member[key]; ok {
				out[key] = child
				if random.IntN(2) == 0 {
					out[key] = altered(random, child, depth-1)
				}
			}
		}
		return out
	case []any:
		out := slices.Clone(member)
		if len(out) == 0 {
			return out
		}
		i := random.IntN(len(out))
		_, holdsSchemas := out[i].(map[string]any)
		switch {
		case random.IntN(3) == 0 && len(out) > 1:
			return slices.Delete(out, i, i+1)
		case holdsSchemas:
			out[i] = altered(random, out[i], depth-1)
		}
		return out
	case int:
		return member + random.IntN(3) - 1
	}
	return member
}

// instances returns values of all kinds.
func instances() []any {
	number := func(text string) any { return json.Number(text) }
	out := []any{nil, true, false, "", "a", "b", "bb", "ab", "abc", "aaaaaa"}
	for _, text := range []string{"-2", "-1", "0", "0.5", "1", "1.5", "2", "2.5", "3", "4", "6"} {
		out = append(out, number(text))
	}
	scalars := slices.Clone(out)
	out = append(out, []any{}, map[string]any{})
	for i, value := range scalars {
		other := scalars[(i*7+3)%len(scalars)]
		out = append(out, []any{value}, []any{value, other}, []any{value, value}, []any{value, other, other},
			map[string]any{"p": value}, map[string]any{"q": value}, map[string]any{"r": value}, map[string]any{"p": value, "q": other},
			map[string]any{"p": []any{value}}, map[string]any{"p": map[string]any{"p": value}}, map[string]any{"q": map[string]any{"q": value, "p": other}, "r": other}, []any{[]any{value}})
	}
	return out
}

func ExampleCompare() {
	old := toolSurface("inputSchema", `{"type":"object","properties":{"mode":{"enum":["fast"]},"session_id":{"type":"string"}}}`)
	updated := toolSurface("inputSchema", `{"type":"object","properties":{"mode":{"enum":["fast","slow"]},"session_id":{"type":"string"}},"required":["session_id"]}`)
	changes := Compare(old, updated)
	for _, change := range changes {
		fmt.Println(change.Message)
	}
	fmt.Println(Bump(changes, "1.4.0"))
	// Output:
	// t: mode now also allows "slow": feature
	// t: session_id is now required (was optional): breaking
	// major
}
