package surface

import (
	"encoding/json"
	"testing"
)

func TestParseTool(t *testing.T) {
	text := "Returns the time."
	tests := []struct {
		name, raw string
		want      Tool
	}{
		{"complete", `{"name":"now","description":"Returns the time.","inputSchema":{"type": "object"},"outputSchema":{},"annotations":{"readOnlyHint":true}}`,
			Tool{Name: "now", Description: &text, InputSchema: json.RawMessage(`{"type": "object"}`), OutputSchema: json.RawMessage(`{}`), Annotations: json.RawMessage(`{"readOnlyHint":true}`)}},
		{"null members", `{"name":null,"description":null,"inputSchema":null}`, Tool{InputSchema: json.RawMessage("null")}},
		{"other types", `{"name":7,"description":["x"],"inputSchema":"object"}`, Tool{InputSchema: json.RawMessage(`"object"`)}},
		{"other case is another member", `{"Name":"now","INPUTSCHEMA":{}}`, Tool{}},
		{"not an object", `"now"`, Tool{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ParseTool(json.RawMessage(test.raw))
			if string(got.Raw) != test.raw {
				t.Errorf("Raw = %s, want the entry untouched", got.Raw)
			}
			if got.Name != test.want.Name {
				t.Errorf("Name = %q, want %q", got.Name, test.want.Name)
			}
			if (got.Description == nil) != (test.want.Description == nil) || got.Description != nil && *got.Description != *test.want.Description {
				t.Errorf("Description = %v, want %v", got.Description, test.want.Description)
			}
			for _, member := range []struct{ name, got, want string }{
				{"InputSchema", string(got.InputSchema), string(test.want.InputSchema)},
				{"OutputSchema", string(got.OutputSchema), string(test.want.OutputSchema)},
				{"Annotations", string(got.Annotations), string(test.want.Annotations)},
			} {
				if member.got != member.want {
					t.Errorf("%s = %s, want %s", member.name, member.got, member.want)
				}
			}
		})
	}
}
