package schemadiff

import (
	"fmt"
	"strings"
	"testing"
)

const rewritten = "input schema is written differently (order of members or spelling) and means the same: text"

func withDefs(schema, definitions string) string {
	return `{"type":"object","properties":{"p":` + schema + `},"$defs":{` + definitions + `}}`
}

func TestReferences(t *testing.T) {
	run(t, compareInputs, []schemaCase{
		{"inlined", withDefs(`{"$ref":"#/$defs/id"}`, `"id":{"type":"string"}`), object(`"p":{"type":"string"}`, ``), []string{rewritten}},
		{"target changed", withDefs(`{"$ref":"#/$defs/id"}`, `"id":{"type":"string"}`), withDefs(`{"$ref":"#/$defs/id"}`, `"id":{"type":"string","maxLength":9}`),
			[]string{"p has maxLength 9 (was none): breaking"}},
		{"unused definition changed", withDefs(`{}`, `"id":{"type":"string"}`), withDefs(`{}`, `"id":{"type":"number"}`), []string{rewritten}},
		{"by anchor", withDefs(`{"$ref":"#id"}`, `"x":{"$anchor":"id","type":"string"}`), object(`"p":{"type":"string"}`, ``), []string{rewritten}},
		{"escaped pointer", withDefs(`{"$ref":"#/$defs/a~1b"}`, `"a/b":{"type":"string"}`), object(`"p":{"type":"string"}`, ``), []string{rewritten}},
		{"wording beside it", withDefs(`{"$ref":"#/$defs/id","description":"x"}`, `"id":{"type":"string","description":"y"}`), object(`"p":{"type":"string","description":"x"}`, ``), []string{rewritten}},
		{"a bound beside it", withDefs(`{"$ref":"#/$defs/id"}`, `"id":{"type":"string"}`), withDefs(`{"$ref":"#/$defs/id","maxLength":3}`, `"id":{"type":"string"}`),
			[]string{"p has maxLength 3 (was none): breaking"}},
		{"conflict beside it", withDefs(`{"$ref":"#/$defs/id","maxLength":3}`, `"id":{"maxLength":5}`), withDefs(`{"$ref":"#/$defs/id","maxLength":2}`, `"id":{"maxLength":5}`),
			[]string{"p has maxLength 2 (was 3): breaking"}},
		{"to false", withDefs(`{"$ref":"#/$defs/id"}`, `"id":true`), withDefs(`{"$ref":"#/$defs/id"}`, `"id":false`), []string{"p allows no value any more: breaking"}},
		{"not resolved", withDefs(`{"$ref":"#/$defs/a"}`, ``), withDefs(`{"$ref":"#/$defs/b"}`, ``), []string{`p has $ref "#/$defs/b" (was "#/$defs/a"): breaking`}},
		{"elsewhere", withDefs(`{"$ref":"https://example.org/a"}`, ``), withDefs(`{}`, ``), []string{`p has no $ref any more (was "https://example.org/a"): feature`}},
		{"a tree grew a property",
			withDefs(`{"$ref":"#/$defs/n"}`, `"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}`),
			withDefs(`{"$ref":"#/$defs/n"}`, `"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{}},"required":["v"]}`),
			[]string{"p.v is new and required: breaking"}},
		{"a tree unrolled once",
			withDefs(`{"$ref":"#/$defs/n"}`, `"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}`),
			withDefs(`{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}`, `"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}`),
			[]string{rewritten}},
		{"references in a circle", withDefs(`{"$ref":"#/$defs/a"}`, `"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}`), withDefs(`{"type":"string"}`, ``),
			[]string{"p is now string (was anything): breaking", `p has no $ref any more (was "#/$defs/a"): feature`}},
	})
}

func TestAlternatives(t *testing.T) {
	p := func(schema string) string { return object(`"p":`+schema, ``) }
	cat, dog := `{"type":"object","properties":{"kind":{"const":"cat"}},"required":["kind"]}`, `{"type":"object","properties":{"kind":{"const":"dog"}},"required":["kind"]}`
	namedDog := `{"type":"object","properties":{"kind":{"const":"dog"},"name":{}},"required":["kind","name"]}`
	vagueCat := `{"type":"object","properties":{"kind":{"const":"cat"}}}`
	run(t, compareInputs, []schemaCase{
		{"nullable in another spelling", p(`{"type":["string","null"],"minLength":2}`), p(`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}`), []string{rewritten}},
		{"became nullable", p(`{"type":"string"}`), p(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), []string{"p is now string or null (was string): feature"}},
		{"another form", p(`{"type":"string"}`), p(`{"anyOf":[{"type":"string"},{"type":"number"}]}`), []string{"p now also allows other forms (anyOf): feature"}},
		{"a wider form among others", p(`{"type":"string","maxLength":3}`), p(`{"anyOf":[{"type":"number"},{"type":"string"}]}`), []string{"p now also allows other forms (anyOf): feature"}},
		{"not the old form", p(`{"type":"string"}`), p(`{"anyOf":[{"type":"string","maxLength":3},{"type":"number"}]}`),
			[]string{"p must now match one of several forms (anyOf): breaking", "p is now anything (was string): feature"}},
		{"one form less", p(`{"anyOf":[{"type":"string"},{"type":"number"}]}`), p(`{"type":"string"}`), []string{"p allows only one of its former forms (anyOf): breaking"}},
		{"branch gone", p(`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]}`), p(`{"anyOf":[{"type":"string"},{"type":"boolean"}]}`),
			[]string{"p lost 1 of its forms (anyOf): breaking"}},
		{"branch added", p(`{"anyOf":[{"type":"string"},{"type":"boolean"}]}`), p(`{"anyOf":[{"type":"string"},{"type":"array"},{"type":"boolean"}]}`),
			[]string{"p gained 1 forms (anyOf): feature"}},
		{"branches in another order", p(`{"anyOf":[{"type":"string"},{"type":"boolean"}]}`), p(`{"anyOf":[{"type":"boolean"},{"type":"string"}]}`), []string{rewritten}},
		{"branch matched by its mark", p(`{"oneOf":[` + cat + `,` + dog + `]}`), p(`{"oneOf":[` + namedDog + `,` + cat + `]}`),
			[]string{"p(form 2).name is new and required: breaking"}},
		{"mark no longer required", p(`{"oneOf":[` + cat + `,` + dog + `]}`), p(`{"oneOf":[` + vagueCat + `,` + dog + `]}`),
			[]string{"p(form 1).kind is now optional (was required): breaking"}},
		{"one of several kinds", p(`{"type":"string"}`), p(`{"oneOf":[{"type":"string"},{"type":"number"}]}`), []string{"p now also allows other forms (oneOf): feature"}},
		{"one of several that overlap", p(`{"type":"string"}`), p(`{"oneOf":[{"type":"string"},{"title":"any"}]}`),
			[]string{"p must now match one of several forms (oneOf): breaking", "p is now anything (was string): feature"}},
		{"marked branch added", p(`{"oneOf":[` + cat + `]}`), p(`{"oneOf":[` + cat + `,` + dog + `]}`), []string{"p gained 1 forms (oneOf): feature"}},
		{"branch added that may overlap", p(`{"oneOf":[` + cat + `]}`), p(`{"oneOf":[` + cat + `,{"minProperties":2}]}`), []string{"p gained 1 forms (oneOf): breaking"}},
		{"all branches replaced", p(`{"anyOf":[{"minLength":1},{"minLength":2}]}`), p(`{"anyOf":[{"maxLength":1},{"maxLength":2},{"maxLength":3}]}`),
			[]string{"p has 3 forms in place of 2 (anyOf): breaking"}},
		{"single allOf is inlined", p(`{"allOf":[{"type":"string"}],"title":"a"}`), p(`{"type":"string","title":"a"}`), []string{rewritten}},
		{"condition added", p(`{"allOf":[{"minLength":1},{"maxLength":4}]}`), p(`{"allOf":[{"minLength":1},{"maxLength":4},{"pattern":"a"}]}`),
			[]string{"p gained 1 conditions (allOf): breaking"}},
		{"condition removed", p(`{"allOf":[{"minLength":1},{"maxLength":4},{"pattern":"a"}]}`), p(`{"allOf":[{"minLength":1},{"maxLength":4}]}`),
			[]string{"p lost 1 of its conditions (allOf): feature"}},
		{"condition changed", p(`{"allOf":[{"minLength":1},{"maxLength":4}]}`), p(`{"allOf":[{"minLength":1},{"maxLength":3}]}`),
			[]string{"p(condition 2) has maxLength 3 (was 4): breaking"}},
		{"root alternative", `{"type":"object"}`, `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			[]string{"input must now match one of several forms (anyOf): breaking"}},
		{"not", p(`{"type":"string"}`), p(`{"type":"string","not":{"const":"a"}}`), []string{`p has not {"const":"a"} (was none): breaking`}},
	})
}

func TestHostileSchemasAreBounded(t *testing.T) {
	deep := func(leaf string) string {
		return strings.Repeat(`{"items":`, 300) + leaf + strings.Repeat(`}`, 300)
	}
	got := compareInputs(deep(`{"type":"string"}`), deep(`{"type":"number"}`))
	if len(got) != 1 || !strings.HasSuffix(got[0], "differs, too deep to say how: breaking") {
		t.Errorf("deep schemas: %.200q", got)
	}

	fan := func(leaf string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
		}
		return `{"$ref":"#/$defs/d0","$defs":{` + b.String() + `"d40":` + leaf + `}}`
	}
	got = compareInputs(fan(`{"type":"string"}`), fan(`{"type":"number"}`))
	if len(got) == 0 || !strings.HasSuffix(got[len(got)-1], ": breaking") {
		t.Errorf("fanned schemas: %d changes", len(got))
	}

	self := `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`
	if got := compareInputs(`{"type":"string"}`, self); len(got) == 0 {
		t.Error("a schema made of itself is not the old one")
	}
}

func TestMalformedSchemasAreComparedAsWritten(t *testing.T) {
	run(t, compareInputs, []schemaCase{
		{"required is a string", `{"required":["a"]}`, `{"required":"a"}`, []string{`input has required "a" (was ["a"]): breaking`}},
		{"properties is an array", `{"properties":[]}`, `{"properties":{}}`, []string{`input has properties {} (was []): breaking`}},
		{"unknown type", `{"type":"text"}`, `{"type":"string"}`, []string{`input has type "string" (was "text"): breaking`}},
		{"schema is a string", `"a"`, `{}`, []string{`input is now a schema (was "a"): breaking`}},
		{"schema is null", `null`, `{"type":"object"}`, []string{`input is now a schema (was null): breaking`}},
	})
}
