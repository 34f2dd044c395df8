package schemadiff

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"omcbuild/internal/surface"
)

// object wraps properties into the schema that tools have.
func object(properties, required string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
}

// compareInputs returns the messages for one tool named "t" whose input changes.
func compareInputs(old, updated string) []string {
	return messages(Compare(toolSurface("inputSchema", old), toolSurface("inputSchema", updated)))
}

func compareOutputs(old, updated string) []string {
	return messages(Compare(toolSurface("outputSchema", old), toolSurface("outputSchema", updated)))
}

func toolSurface(member, schema string) surface.Surface {
	return surface.Surface{ServerName: "s", Tools: []surface.Tool{surface.ParseTool(json.RawMessage(`{"name":"t","` + member + `":` + schema + `}`))}}
}

func messages(changes []Change) []string {
	var out []string
	for _, change := range changes {
		out = append(out, strings.TrimPrefix(change.Message, "t: "))
	}
	return out
}

type schemaCase struct {
	name, old, updated string
	want               []string
}

func run(t *testing.T, compare func(old, updated string) []string, cases []schemaCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := compare(c.old, c.updated); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if got := compare(c.old, c.old); got != nil {
				t.Errorf("the old one differs from itself: %q", got)
			}
			if got := compare(c.updated, c.updated); got != nil {
				t.Errorf("the new one differs from itself: %q", got)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	s := `"session_id":{"type":"string"}`
	run(t, compareInputs, []schemaCase{
		{"became required", object(s, ``), object(s, `"session_id"`), []string{"session_id is now required (was optional): breaking"}},
		{"became optional", object(s, `"session_id"`), object(s, ``), []string{"session_id is now optional (was required): feature"}},
		{"removed", object(s, `"session_id"`), object(``, ``), []string{"session_id was removed: breaking"}},
		{"new and optional", object(``, ``), object(s, ``), []string{"session_id is new and optional: feature"}},
		{"new and required", object(``, ``), object(s, `"session_id"`), []string{"session_id is new and required: breaking"}},
		{"required before it was described", object(``, `"session_id"`), object(s, `"session_id"`), []string{"session_id is new and required: feature"}},
		{"required without a description", object(``, ``), object(``, `"ghost"`), []string{"ghost is now required (was optional): breaking"}},
		{"nested", object(`"f":`+object(s, ``), ``), object(`"f":`+object(s, `"session_id"`), ``), []string{"f.session_id is now required (was optional): breaking"}},
		{"in an array", object(`"f":{"type":"array","items":`+object(s, ``)+`}`, ``), object(`"f":{"type":"array","items":`+object(``, ``)+`}`, ``),
			[]string{"f[].session_id was removed: breaking"}},
		{"in any other order", object(`"a":{},"b":{}`, ``), object(`"b":{},"a":{}`, ``),
			[]string{"input schema is written differently (order of members or spelling) and means the same: text"}},
		{"no others allowed", `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, []string{"input now refuses additional properties: breaking"}},
		{"others allowed", `{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":true}`, []string{"input now allows additional properties: feature"}},
		{"others restricted", `{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`, []string{"* is now string (was anything): breaking"}},
		{"others written out", `{"type":"object"}`, `{"type":"object","additionalProperties":{}}`,
			[]string{"input schema is written differently (order of members or spelling) and means the same: text"}},
	})
}

func TestOutputsAreJudgedTheOtherWayRound(t *testing.T) {
	s := `"total":{"type":"integer"}`
	run(t, compareOutputs, []schemaCase{
		{"no longer promised", object(s, `"total"`), object(s, ``), []string{"result.total is now optional (was required): breaking"}},
		{"promised", object(s, ``), object(s, `"total"`), []string{"result.total is now required (was optional): feature"}},
		{"removed", object(s, ``), object(``, ``), []string{"result.total was removed: breaking"}},
		{"new", object(``, ``), object(s, ``), []string{"result.total is new and optional: feature"}},
		{"new and promised", object(``, ``), object(s, `"total"`), []string{"result.total is new and required: feature"}},
		{"type widened", object(s, ``), object(`"total":{"type":"number"}`, ``), []string{"result.total is now number (was integer): breaking"}},
		{"type narrowed", object(`"total":{"type":"number"}`, ``), object(s, ``), []string{"result.total is now integer (was number): feature"}},
		{"enum grew", object(`"k":{"enum":["a"]}`, ``), object(`"k":{"enum":["a","b"]}`, ``), []string{`result.k now also allows "b": breaking`}},
		{"bound loosened", object(`"k":{"maximum":3}`, ``), object(`"k":{"maximum":4}`, ``), []string{"result.k has maximum 4 (was 3): breaking"}},
		{"a default is only a word", object(`"k":{}`, ``), object(`"k":{"default":4}`, ``), []string{"result.k has another default: text"}},
		{"incomparable", object(`"k":{"pattern":"a"}`, ``), object(`"k":{"pattern":"b"}`, ``), []string{`result.k has pattern "b" (was "a"): breaking`}},
	})
}

func TestTypesAndValues(t *testing.T) {
	p := func(schema string) string { return object(`"p":`+schema, ``) }
	run(t, compareInputs, []schemaCase{
		{"other type", p(`{"type":"string"}`), p(`{"type":"number"}`), []string{"p is now number (was string): breaking"}},
		{"narrowed", p(`{"type":"number"}`), p(`{"type":"integer"}`), []string{"p is now integer (was number): breaking"}},
		{"widened", p(`{"type":"integer"}`), p(`{"type":"number"}`), []string{"p is now number (was integer): feature"}},
		{"list widened", p(`{"type":"string"}`), p(`{"type":["string","null"]}`), []string{"p is now string or null (was string): feature"}},
		{"partly other", p(`{"type":["string","null"]}`), p(`{"type":["string","number"]}`), []string{"p is now string or number (was string or null): breaking"}},
		{"any to one", p(`{}`), p(`{"type":"string"}`), []string{"p is now string (was anything): breaking"}},
		{"one to any", p(`{"type":"string"}`), p(`true`), []string{"p is now anything (was string): feature"}},
		{"nothing allowed", p(`{"type":"string"}`), p(`false`), []string{"p allows no value any more: breaking"}},
		{"something allowed", p(`false`), p(`{"type":"string"}`), []string{"p allows values (allowed none): feature"}},
		{"enum lost a value", p(`{"type":"string","enum":["a","b"]}`), p(`{"type":"string","enum":["a"]}`), []string{`p no longer allows "b": breaking`}},
		{"enum gained a value", p(`{"enum":["a"]}`), p(`{"enum":["a","b"]}`), []string{`p now also allows "b": feature`}},
		{"enum both", p(`{"enum":["a",1]}`), p(`{"enum":["a",2]}`), []string{`p no longer allows 1 and now allows 2: breaking`}},
		{"enum order", p(`{"enum":["a","b"]}`), p(`{"enum":["b","a"]}`), []string{`p lists its values in another order: text`}},
		{"enum appeared", p(`{"type":"string"}`), p(`{"type":"string","enum":["a"]}`), []string{`p now allows only "a": breaking`}},
		{"enum went", p(`{"enum":["a"]}`), p(`{"type":"string"}`), []string{`p no longer allows only "a": feature`}},
		{"const is an enum of one", p(`{"const":"a"}`), p(`{"enum":["a"]}`),
			[]string{"input schema is written differently (order of members or spelling) and means the same: text"}},
		{"const changed", p(`{"const":1}`), p(`{"const":2}`), []string{"p no longer allows 1 and now allows 2: breaking"}},
		{"numbers are equal by value", p(`{"const":1.0}`), p(`{"const":1}`),
			[]string{"input schema is written differently (order of members or spelling) and means the same: text"}},
		{"long lists are cut", p(`{"enum":[1]}`), p(`{"enum":[1,2,3,4,5,6,7,8,9]}`), []string{"p now also allows 2, 3, 4, 5, 6, 3 more: feature"}},
		{"enum implies its type", p(`{"enum":["a"]}`), p(`{"enum":["a",null]}`), []string{"p is now string or null (was string): feature", "p now also allows null: feature"}},
	})
}

func TestBounds(t *testing.T) {
	p := func(schema string) string { return object(`"p":{`+schema+`}`, ``) }
	same := []string{"input schema is written differently (order of members or spelling) and means the same: text"}
	run(t, compareInputs, []schemaCase{
		{"minimum raised", p(`"minimum":1`), p(`"minimum":2`), []string{"p has minimum 2 (was 1): breaking"}},
		{"minimum lowered", p(`"minimum":1`), p(`"minimum":-0.5`), []string{"p has minimum -0.5 (was 1): feature"}},
		{"minimum gone", p(`"minimum":1`), p(``), []string{"p has no minimum any more (was 1): feature"}},
		{"maximum appeared", p(``), p(`"maximum":9`), []string{"p has maximum 9 (was none): breaking"}},
		{"maximum raised", p(`"maximum":9`), p(`"maximum":1e2`), []string{"p has maximum 100 (was 9): feature"}},
		{"became exclusive", p(`"maximum":9`), p(`"exclusiveMaximum":9`), []string{"p has maximum 9 (exclusive) (was 9): breaking"}},
		{"no longer exclusive", p(`"exclusiveMinimum":9`), p(`"minimum":9`), []string{"p has minimum 9 (was 9 (exclusive)): feature"}},
		{"integers know their neighbours", p(`"type":"integer","exclusiveMinimum":0`), p(`"type":"integer","minimum":1`), same},
		{"old spelling of exclusive", p(`"minimum":0,"exclusiveMinimum":true`), p(`"exclusiveMinimum":0`), same},
		{"the tighter of two counts", p(`"minimum":5,"exclusiveMinimum":1`), p(`"minimum":5`), same},
		{"length", p(`"type":"string","maxLength":5`), p(`"type":"string","maxLength":4,"minLength":1`),
			[]string{"p has minLength 1 (was none): breaking", "p has maxLength 4 (was 5): breaking"}},
		{"a length of 0 says nothing", p(`"minLength":0`), p(``), same},
		{"items", p(`"maxItems":5`), p(`"maxItems":6,"minItems":2`), []string{"p has minItems 2 (was none): breaking", "p has maxItems 6 (was 5): feature"}},
		{"unique", p(``), p(`"uniqueItems":true`), []string{"p must now hold no value twice: breaking"}},
		{"not unique", p(`"uniqueItems":true`), p(`"uniqueItems":false`), []string{"p may now hold a value twice: feature"}},
		{"coarser steps", p(`"multipleOf":2`), p(`"multipleOf":4`), []string{"p has multipleOf 4 (was 2): breaking"}},
		{"finer steps", p(`"multipleOf":1`), p(`"multipleOf":0.1`), []string{"p has multipleOf 0.1 (was 1): feature"}},
		{"other steps", p(`"multipleOf":2`), p(`"multipleOf":3`), []string{"p has multipleOf 3 (was 2): breaking"}},
		{"pattern appeared", p(``), p(`"pattern":"^a"`), []string{`p has pattern "^a" (was none): breaking`}},
		{"pattern went", p(`"pattern":"^a"`), p(``), []string{`p has no pattern any more (was "^a"): feature`}},
		{"pattern changed", p(`"pattern":"^a"`), p(`"pattern":"^b"`), []string{`p has pattern "^b" (was "^a"): breaking`}},
		{"format appeared", p(``), p(`"format":"uri"`), []string{`p has format "uri" (was none): breaking`}},
		{"a number too large to weigh", p(`"minimum":1e999999999`), p(`"minimum":1`), []string{"p has minimum 1 (was 1e999999999): breaking"}},
		{"a bound of the wrong type", p(`"minimum":1`), p(`"minimum":"1"`), []string{`p has minimum "1" (was 1): breaking`}},
	})
}

func TestWording(t *testing.T) {
	p := func(schema string) string { return object(`"p":{`+schema+`}`, ``) }
	run(t, compareInputs, []schemaCase{
		{"description", p(`"description":"a"`), p(`"description":"b"`), []string{"p has another description: text"}},
		{"title", p(``), p(`"title":"b"`), []string{"p has another title: text"}},
		{"examples", p(`"examples":[1]`), p(`"examples":[2]`), []string{"p has another examples: text"}},
		{"default appeared", p(``), p(`"default":5`), []string{"p has default 5 (was none): feature"}},
		{"default went", p(`"default":5`), p(``), []string{"p has no default any more (was 5): feature"}},
		{"extension", p(`"x-order":1`), p(`"x-order":2`), []string{"p has another x-order: text"}},
		{"dialect", `{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}`, `{"type":"object"}`, []string{"input has another $schema: text"}},
	})
}

func TestArrays(t *testing.T) {
	p := func(schema string) string { return object(`"p":{"type":"array",`+schema+`}`, ``) }
	run(t, compareInputs, []schemaCase{
		{"elements narrowed", p(`"items":{"type":"number"}`), p(`"items":{"type":"integer"}`), []string{"p[] is now integer (was number): breaking"}},
		{"elements described", p(`"title":"a"`), p(`"title":"a","items":{"type":"string"}`), []string{"p[] is now string (was anything): breaking"}},
		{"tuple changed", p(`"prefixItems":[{"type":"string"},{"type":"number"}]`), p(`"prefixItems":[{"type":"string"},{"type":"string"}]`),
			[]string{"p[1] is now string (was number): breaking"}},
		{"tuple grew", p(`"prefixItems":[{}],"items":{"type":"string"}`), p(`"prefixItems":[{},{"type":"string","maxLength":3}],"items":{"type":"string"}`),
			[]string{"p[1] has maxLength 3 (was none): breaking"}},
		{"tuple closed", p(`"prefixItems":[{}]`), p(`"prefixItems":[{}],"items":false`), []string{"p now refuses elements beyond the described ones: breaking"}},
		{"tuple in the old spelling", p(`"items":[{"type":"string"}],"additionalItems":false`), p(`"prefixItems":[{"type":"string"}],"items":false`),
			[]string{"input schema is written differently (order of members or spelling) and means the same: text"}},
		{"contains", p(`"title":"a"`), p(`"title":"a","contains":{"type":"string"}`), []string{`p has contains {"type":"string"} (was none): breaking`}},
	})
}
