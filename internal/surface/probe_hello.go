package surface

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
)

// object views a JSON object; nil when raw is none.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

// readHello takes the server's identity from the result of initialize and
// reports everything that makes the client refuse it.
func (t *talk) readHello(result json.RawMessage) {
	hello := object(result)
	if hello == nil {
		t.invalid("the result is not an object", "answer with protocolVersion, capabilities and serverInfo")
		return
	}
	version, isString := stringValue(hello["protocolVersion"])
	switch {
	case !isString:
		t.invalid("protocolVersion is "+missingOr(hello["protocolVersion"], "not a string"), "answer with the version asked for when the server speaks it")
	case !slices.Contains(handshakeVersions(), version):
		t.invalid(fmt.Sprintf("protocolVersion %.40q is none that the client accepts", version), "answer with one of "+strings.Join(handshakeVersions(), ", "))
	default:
		t.Surface.Protocols = append(t.Surface.Protocols, version)
	}
	if object(hello["capabilities"]) == nil {
		t.invalid("capabilities are "+missingOr(hello["capabilities"], "not an object"), `answer with "capabilities": {"tools": {}}`)
	}
	t.readIdentity(hello["serverInfo"], true)
	t.readInstructions(hello["instructions"])
}

// readIdentity takes name and version from a serverInfo, which the handshake
// requires.
func (t *talk) readIdentity(raw json.RawMessage, required bool) {
	info := object(raw)
	if info == nil {
		if required || raw != nil {
			t.invalid("serverInfo is "+missingOr(raw, "not an object"), `answer with "serverInfo": {"name": "…", "version": "…"}`)
		}
		return
	}
	var named, versioned bool
	if t.Surface.ServerName, named = stringValue(info["name"]); !named {
		t.invalid("serverInfo.name is "+missingOr(info["name"], "not a string"), "give the server a name")
	}
	if t.Surface.ServerVersion, versioned = stringValue(info["version"]); !versioned {
		t.invalid("serverInfo.version is "+missingOr(info["version"], "not a string"), "give the server the plugin's version, as a string; a build that lost its version define is a usual cause")
	}
}

func (t *talk) readInstructions(raw json.RawMessage) {
	if raw == nil {
		return
	}
	var isString bool
	if t.Surface.Instructions, isString = stringValue(raw); !isString {
		t.invalid("instructions are not a string", "leave them out or send one string")
	}
}

// invalid reports a flaw of the answer to initialize or server/discover.
func (t *talk) invalid(what, hint string) {
	code, method := "initialize-invalid", "initialize"
	if t.Generation == Modern {
		code, method = "discover-invalid", "server/discover"
	}
	t.found.Add(diag.Diagnostic{
		Code: code, Message: "the answer to " + method + " is refused by the client: " + what,
		Hint: hint + "; the client shows only that the connection failed",
	})
}

func missingOr(raw json.RawMessage, otherwise string) string {
	switch string(raw) {
	case "":
		return "missing"
	case "null":
		return "null"
	}
	return otherwise
}

// supported returns the protocol versions that a discover result names.
func supported(result json.RawMessage) []string {
	var versions []string
	_ = json.Unmarshal(object(result)["supportedVersions"], &versions) // none when it is something else
	return versions
}

// offersStateless reports whether a discover result leads to the stateless
// generation.
func offersStateless(result json.RawMessage) bool {
	return slices.Contains(supported(result), statelessVersion)
}

// readDiscovered takes the server's identity from the result of server/discover.
func (t *talk) readDiscovered(result json.RawMessage) {
	members := object(result)
	t.Surface.Protocols = append(t.Surface.Protocols, supported(result)...)
	if object(members["capabilities"]) == nil {
		t.invalid("capabilities are "+missingOr(members["capabilities"], "not an object"), `answer with "capabilities": {"tools": {}}`)
	}
	t.readIdentity(object(members["_meta"])[serverInfoKey], false)
	t.readInstructions(members["instructions"])
}

// changeNotifications returns the notifications that the client subscribes to,
// by what the server's capabilities announce.
func changeNotifications(discovered json.RawMessage) []string {
	var out []string
	capabilities := object(object(discovered)["capabilities"])
	for _, kind := range []string{"tools", "prompts", "resources"} {
		if string(object(capabilities[kind])["listChanged"]) == "true" {
			out = append(out, kind+"ListChanged")
		}
	}
	return out
}

// The diagnostics of the first answers.

func discoverInvalid() diag.Diagnostic {
	return diag.Diagnostic{
		Code: "discover-invalid", Level: diag.Warning,
		Message: "answers server/discover with a result that does not offer protocol " + statelessVersion + ", so the client goes on as if it were refused",
		Hint:    "answer with supportedVersions and capabilities, or with error -32601 when the server does not know the method",
	}
}

func notAcknowledged(refusal *stdio.Reply) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: "subscription-ignored", Level: diag.Warning,
		Message: "announces listChanged and does not confirm subscriptions/listen with " + acknowledgment,
		Hint:    "let the SDK's serveStdio answer it, or do not announce listChanged",
	}
	if refusal != nil && refusal.Error != nil {
		d.Message = "announces listChanged and refuses subscriptions/listen: " + refusal.Error.Error()
	}
	return d
}

// refused reports an error answer to a request of the start-up.
func refused(code, method string, err *stdio.RPCError) diag.Diagnostic {
	return diag.Diagnostic{
		Code:    code,
		Message: fmt.Sprintf("answers %s with error %d: %s", method, err.Code, stdio.Visible([]byte(err.Message), 200)),
		Hint:    "the client needs a result here; the error's text and stderr say what the server is missing",
	}
}

// wrongID reports an answer under another id than the request's.
func wrongID(err *stdio.MisansweredError, level diag.Level) diag.Diagnostic {
	id, cost := "with no id", "the client waits until its time is up"
	if err.Stray.ID != nil {
		id = "with id " + stdio.Visible(err.Stray.ID, 60)
	}
	if level == diag.Warning {
		cost = "the client waits 3 s at every start before it goes on"
	}
	return diag.Diagnostic{
		Code: "reply-id", Level: level,
		Message: fmt.Sprintf("answers %s, sent with id %s, %s", err.Method, err.Sent, id),
		Hint:    "send the id of the request back as it came, also when it is a string; " + cost,
	}
}
