package surface

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestHarmlessToolsAreThoseThatSaySo(t *testing.T) {
	tool := func(name, required, hints string) Tool {
		return Tool{Name: name, InputSchema: json.RawMessage(`{"type": "object", "required": ` + required + `}`), Annotations: json.RawMessage(hints)}
	}
	tools := []Tool{
		tool("silent", `[]`, `{}`), tool("writes", `[]`, `{"readOnlyHint": false}`), tool("needs", `["x"]`, `{"readOnlyHint": true}`),
		tool("contrary", `[]`, `{"readOnlyHint": true, "destructiveHint": true}`), tool("far", `[]`, `{"readOnlyHint": true, "openWorldHint": true}`),
		tool("odd", `"x"`, `{"readOnlyHint": true}`), tool("text", `[]`, `{"readOnlyHint": "true"}`), {Name: "bare"},
		tool("one", `[]`, `{"readOnlyHint": true}`), tool("two", `null`, `{"readOnlyHint": true, "openWorldHint": false}`),
		tool("three", `[]`, `{"readOnlyHint": true}`), tool("four", `[]`, `{"readOnlyHint": true}`),
	}
	if got := harmless(tools); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("got %v", got)
	}
}
