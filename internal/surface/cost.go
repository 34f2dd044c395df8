package surface

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// charactersPerToken is how many ASCII characters one token of the model is
// taken to cover. The vendor gives 3.5 for English prose; JSON Schema is shorter
// in its punctuation and longer in its repeated keywords, and lands close to it.
// Characters outside ASCII are counted as one token each, the usual price of
// ideographs and symbols. The result is meant for comparing tools and budgets,
// not for billing.
const charactersPerToken = 3.5

// EstimateNote says in one sentence how tokens are estimated, for reports.
const EstimateNote = "tokens are estimated: one for every 3.5 ASCII characters and one for every other character of {name, description, input_schema} as compact JSON"

// ToolCost is what one tool costs in every request that offers it.
type ToolCost struct {
	Name        string `json:"name"`
	FullName    string `json:"fullName"` // with the prefix of the plugin and server
	Bytes       int    `json:"bytes"`    // of the definition as the model is given it
	Tokens      int    `json:"tokens"`   // estimated
	PrefixBytes int    `json:"prefixBytes"`
}

// Costs is the cost of a server's tools, in listed order, and the sum of it.
// A request pays it whether or not a tool is called.
type Costs struct {
	Tools        []ToolCost `json:"tools"`
	Bytes        int        `json:"bytes"`
	Tokens       int        `json:"tokens"`
	PrefixBytes  int        `json:"prefixBytes"`  // bytes of Bytes that are the repeated prefix
	PrefixTokens int        `json:"prefixTokens"` // estimated tokens of that
}

// PrefixShare returns the part of the bytes that is the repeated name prefix,
// between 0 and 1.
func (c Costs) PrefixShare() float64 {
	if c.Bytes == 0 {
		return 0
	}
	return float64(c.PrefixBytes) / float64(c.Bytes)
}

// CostChange is the difference between two costs: positive when it grew.
type CostChange struct {
	Bytes  int              `json:"bytes"`
	Tokens int              `json:"tokens"`
	Tools  []ToolCostChange `json:"tools"` // tools whose cost changed, new and gone ones included
}

// ToolCostChange is the part of a CostChange that is due to one tool.
type ToolCostChange struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// NameLimit is how many characters of a tool's full name, prefix included, the
// model's interface accepts.
const NameLimit = 64

// ToolPrefix returns what the client puts before each tool's name for a server
// of a plugin: mcp__plugin_PLUGIN_KEY__, with every character outside letters,
// digits, underscore and hyphen replaced by an underscore.
func ToolPrefix(plugin, key string) string {
	return "mcp__plugin_" + safeName(plugin) + "_" + safeName(key) + "__"
}

// FullName returns a tool's name as the model sees it, for a prefix made by
// ToolPrefix.
func FullName(prefix, tool string) string { return prefix + safeName(tool) }

func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// Cost measures tools as the model sees them, behind a prefix made by
// ToolPrefix (empty for a server that is not part of a plugin).
func Cost(tools []Tool, prefix string) Costs {
	costs := Costs{Tools: make([]ToolCost, 0, len(tools))}
	for _, tool := range tools {
		text := modelView(tool, prefix)
		cost := ToolCost{
			Name: tool.Name, FullName: FullName(prefix, tool.Name),
			Bytes: len(text), Tokens: EstimateTokens(text), PrefixBytes: len(prefix),
		}
		costs.Tools = append(costs.Tools, cost)
		costs.Bytes += cost.Bytes
		costs.Tokens += cost.Tokens
		costs.PrefixBytes += cost.PrefixBytes
	}
	costs.PrefixTokens = int(math.Round(float64(costs.PrefixBytes) / charactersPerToken))
	return costs
}

// modelView returns the definition of a tool as a request carries it.
func modelView(tool Tool, prefix string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"name":%s`, quote(FullName(prefix, tool.Name)))
	if tool.Description != nil {
		fmt.Fprintf(&b, `,"description":%s`, quote(*tool.Description))
	}
	schema, err := Canonical(orEmptyObject(tool.InputSchema))
	if err != nil {
		schema = tool.InputSchema
	}
	fmt.Fprintf(&b, `,"input_schema":%s}`, schema)
	return b.String()
}

func orEmptyObject(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

// EstimateTokens estimates the tokens of a text as EstimateNote says, rounded up.
func EstimateTokens(text string) int {
	ascii, others := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		others++
		i += size
	}
	return int(math.Ceil(float64(ascii)/charactersPerToken)) + others
}

// Since returns how the cost changed from an earlier one. Tools that share a
// name are taken together.
func (c Costs) Since(before Costs) CostChange {
	change := CostChange{Bytes: c.Bytes - before.Bytes, Tokens: c.Tokens - before.Tokens, Tools: []ToolCostChange{}}
	now, old := c.byName(), before.byName()
	seen := map[string]bool{}
	for _, tool := range slices.Concat(c.Tools, before.Tools) {
		if seen[tool.Name] {
			continue
		}
		seen[tool.Name] = true
		if difference := now[tool.Name].minus(old[tool.Name]); difference != (amount{}) {
			change.Tools = append(change.Tools, ToolCostChange{tool.Name, difference.bytes, difference.tokens})
		}
	}
	return change
}

// amount is a size in both units.
type amount struct{ bytes, tokens int }

func (a amount) minus(b amount) amount { return amount{a.bytes - b.bytes, a.tokens - b.tokens} }

// byName sums the cost of each name.
func (c Costs) byName() map[string]amount {
	sums := map[string]amount{}
	for _, tool := range c.Tools {
		sums[tool.Name] = amount{sums[tool.Name].bytes + tool.Bytes, sums[tool.Name].tokens + tool.Tokens}
	}
	return sums
}
