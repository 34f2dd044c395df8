// Package surface answers one question about an MCP server: what does it offer
// to the model that will use it.
//
// A Surface is that offer as plain values: the server's name and version, the
// protocol versions it speaks, its instructions and its tools, in the order in
// which the server lists them. Everything a server says is kept as the bytes it
// sent (Tool.Raw), because a decoded and re-encoded schema is no longer the
// server's own; the named fields of Tool are views of the same bytes.
//
// Run obtains a Surface from a finished bundle. It starts the file the way a
// user's client would, far from the sources it was made of: a copy in an empty
// folder, another empty folder as working directory, a HOME of its own, a short
// PATH. Two conversations are held at once, each with a process of its own: the
// stateless protocol that current clients ask for first, and the handshake that
// every client falls back to. What the client would hide (exit code, first line
// of stderr, stray bytes on stdout, time of each step, processes left behind) is
// in the Probe that Run returns, as facts and as diagnostics.
//
// The other files of this package work on a Surface that is at hand: the lock
// file that records it beside the bundle, what it costs the model in tokens, and
// the independent count of the tools that the sources declare.
package surface

import "encoding/json"

// Tool is one entry of a server's tools/list answer.
type Tool struct {
	// Name is the tool's name; empty when the entry has none or when it is not a
	// string. Raw tells the two apart.
	Name string
	// Raw is the whole entry, byte for byte as served. It is valid JSON but, from a
	// careless server, not always an object.
	Raw json.RawMessage
	// Description is nil when the entry has none or when it is not a string.
	Description *string
	// InputSchema, OutputSchema and Annotations are the members of those names as
	// served, of whatever JSON type; nil when absent, the bytes "null" when null.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
}

// Surface is what a server offers.
type Surface struct {
	ServerName    string // serverInfo.name
	ServerVersion string // serverInfo.version; empty when missing or not a string
	// Protocols are the protocol versions the server was seen to speak, oldest
	// first, as dates such as "2025-11-25".
	Protocols    []string
	Instructions string // server instructions, empty when there are none
	Tools        []Tool // all pages, in the order listed
}

// ParseTool views one entry of a tool list. It never fails: members that are
// absent or of another JSON type than expected are left empty, and the entry
// itself is kept whole in Raw. Member names are matched by exact spelling.
func ParseTool(raw json.RawMessage) Tool {
	tool := Tool{Raw: raw}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return tool
	}
	if name, ok := stringValue(members["name"]); ok {
		tool.Name = name
	}
	if text, ok := stringValue(members["description"]); ok {
		tool.Description = &text
	}
	tool.InputSchema = members["inputSchema"]
	tool.OutputSchema = members["outputSchema"]
	tool.Annotations = members["annotations"]
	return tool
}

// stringValue returns the JSON string in raw, and whether raw holds one.
func stringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}
