package surface

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestToolPrefixSpellsNamesAsTheClientDoes(t *testing.T) {
	for _, test := range []struct{ plugin, key, want string }{
		{"clock", "t", "mcp__plugin_clock_t__"},
		{"my-plugin", "a b.c", "mcp__plugin_my-plugin_a_b_c__"},
		{"é", "x/y", "mcp__plugin___x_y__"},
	} {
		if got := ToolPrefix(test.plugin, test.key); got != test.want {
			t.Errorf("ToolPrefix(%q, %q) = %q, want %q", test.plugin, test.key, got, test.want)
		}
	}
	if got := FullName("mcp__plugin_clock_t__", "what.time"); got != "mcp__plugin_clock_t__what_time" {
		t.Errorf("FullName = %q", got)
	}
}

func TestCostMeasuresWhatTheModelSees(t *testing.T) {
	text := "Returns the time."
	tools := []Tool{{Name: "now", Description: &text, InputSchema: json.RawMessage(`{ "type": "object" }`)}, {Name: "off"}}
	prefix := ToolPrefix("clock", "t")
	costs := Cost(tools, prefix)
	first := `{"name":"mcp__plugin_clock_t__now","description":"Returns the time.","input_schema":{"type":"object"}}`
	second := `{"name":"mcp__plugin_clock_t__off","input_schema":{}}`
	want := []ToolCost{
		{Name: "now", FullName: prefix + "now", Bytes: len(first), Tokens: EstimateTokens(first), PrefixBytes: len(prefix)},
		{Name: "off", FullName: prefix + "off", Bytes: len(second), Tokens: EstimateTokens(second), PrefixBytes: len(prefix)},
	}
	if !reflect.DeepEqual(costs.Tools, want) {
		t.Errorf("got  %+v\nwant %+v", costs.Tools, want)
	}
	if costs.Bytes != len(first)+len(second) || costs.PrefixBytes != 2*len(prefix) || costs.PrefixTokens != 12 {
		t.Errorf("sums: %+v", costs)
	}
	if share := costs.PrefixShare(); share <= 0.2 || share >= 0.4 {
		t.Errorf("share of the prefix = %v", share)
	}
	if (Costs{}).PrefixShare() != 0 {
		t.Error("nothing has no share")
	}
}

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abcdefg": 2, "abcdefgh": 3, "日本語": 3, "a日": 2, strings.Repeat("x", 350): 100} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestSinceNamesTheToolsThatChanged(t *testing.T) {
	longer := "A longer text."
	before := Cost([]Tool{{Name: "same"}, {Name: "grown"}, {Name: "gone"}}, "p__")
	after := Cost([]Tool{{Name: "new"}, {Name: "same"}, {Name: "grown", Description: &longer}}, "p__")
	change := after.Since(before)
	if change.Bytes != after.Bytes-before.Bytes || change.Tokens != after.Tokens-before.Tokens {
		t.Errorf("sums: %+v", change)
	}
	var names []string
	for _, tool := range change.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"new", "grown", "gone"}; !reflect.DeepEqual(names, want) {
		t.Errorf("changed tools %v, want %v", names, want)
	}
	if change.Tools[2].Bytes != -before.Tools[2].Bytes || change.Tools[1].Bytes <= 0 {
		t.Errorf("amounts: %+v", change.Tools)
	}
	if nothing := after.Since(after); nothing.Bytes != 0 || len(nothing.Tools) != 0 {
		t.Errorf("no change: %+v", nothing)
	}
}
