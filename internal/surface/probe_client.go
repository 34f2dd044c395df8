package surface

import (
	"encoding/json"
	"fmt"
	"strings"
)

// What the client says of itself, and the protocol versions it speaks. The
// messages below are those that it sends when it starts a server, member by
// member in its order.
const (
	statelessVersion = "2026-07-28" // the generation without a handshake
	handshakeVersion = "2025-11-25" // what the client offers in initialize

	clientCapabilities = `{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}`
	clientInfo         = `{"name":"claude-code","title":"Claude Code","version":"2.1.332",` +
		`"description":"Anthropic's agentic coding tool","websiteUrl":"https://claude.com/claude-code"}`
	clientMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + statelessVersion + `",` +
		`"io.modelcontextprotocol/clientInfo":` + clientInfo + `,` +
		`"io.modelcontextprotocol/clientCapabilities":` + clientCapabilities + `}`

	discoverID     = `"server-discover-probe-1"`
	discoverProbe  = `{"jsonrpc":"2.0","id":` + discoverID + `,"method":"server/discover","params":{` + clientMeta + `}}`
	discoverAgain  = `{"method":"server/discover","jsonrpc":"2.0","id":0,"params":{` + clientMeta + `}}`
	initialized    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	acknowledgment = "notifications/subscriptions/acknowledged"
	serverInfoKey  = "io.modelcontextprotocol/serverInfo" // in the _meta of a stateless result
)

// handshakeVersions are the answers to initialize that the client accepts.
func handshakeVersions() []string {
	return []string{"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", handshakeVersion}
}

func initializeRequest(id int, version string) json.RawMessage {
	return fmt.Appendf(nil, `{"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s},"jsonrpc":"2.0","id":%d}`,
		version, clientCapabilities, clientInfo, id)
}

func listenRequest(notifications []string) json.RawMessage {
	var wanted []string
	for _, name := range notifications {
		wanted = append(wanted, fmt.Sprintf("%q:true", name))
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"listen:0","method":"subscriptions/listen","params":{%s,"notifications":{%s}}}`,
		clientMeta, strings.Join(wanted, ","))
}

// request writes any other request. Members are the inner text of its params;
// the stateless generation adds the client's _meta.
func request(id int, method, members string, generation Generation) json.RawMessage {
	if generation == Modern {
		if members != "" {
			members += ","
		}
		members += clientMeta
	}
	if members == "" {
		return fmt.Appendf(nil, `{"method":%q,"jsonrpc":"2.0","id":%d}`, method, id)
	}
	return fmt.Appendf(nil, `{"method":%q,"params":{%s},"jsonrpc":"2.0","id":%d}`, method, members, id)
}

// member writes one member of an object.
func member(name string, value any) string {
	text, _ := json.Marshal(value) // strings and raw JSON only
	return fmt.Sprintf("%q:%s", name, text)
}
