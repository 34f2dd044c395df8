package stdio

import (
	"bytes"
	"encoding/json"
)

// Message is the envelope of a JSON-RPC message. Its members are parts of Raw,
// nil when absent.
type Message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	Raw    json.RawMessage // the whole line
}

// IsRequest reports whether the message wants an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// IsNotification reports whether the message wants none.
func (m *Message) IsNotification() bool { return m.Method != "" && m.ID == nil }

// IsAnswer reports whether the message answers a request.
func (m *Message) IsAnswer() bool { return m.Method == "" }

// Parse reads one line. It reports false when the line is no JSON-RPC 2.0
// message: no JSON object, no "jsonrpc":"2.0", or neither a method nor a result
// nor an error. Names are matched by exact spelling; of a name that is there
// twice the last counts, as in every JavaScript client.
func Parse(line []byte) (Message, bool) {
	if first := bytes.TrimLeft(line, " \t\r"); len(first) == 0 || first[0] != '{' {
		return Message{}, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil {
		return Message{}, false
	}
	m := Message{
		ID: members["id"], Params: members["params"],
		Result: members["result"], Error: members["error"],
		Raw: line,
	}
	method, hasMethod := members["method"]
	if hasMethod && (json.Unmarshal(method, &m.Method) != nil || m.Method == "") {
		return Message{}, false
	}
	valid := string(members["jsonrpc"]) == `"2.0"` && (hasMethod || m.Result != nil || m.Error != nil)
	return m, valid
}

// Request writes a request, or with a nil id a notification, as one line. Params
// may be nil.
func Request(id json.RawMessage, method string, params json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != nil {
		b.WriteString(`,"id":`)
		b.Write(id)
	}
	b.WriteString(`,"method":`)
	b.Write(quote(method))
	if params != nil {
		b.WriteString(`,"params":`)
		b.Write(params)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// answerTo writes the answer to a request of the server.
func answerTo(request *Message, answers map[string]json.RawMessage) json.RawMessage {
	result, known := answers[request.Method]
	if !known && request.Method == "ping" {
		result, known = json.RawMessage("{}"), true
	}
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	b.Write(request.ID)
	if known {
		b.WriteString(`,"result":`)
		b.Write(result)
	} else {
		b.WriteString(`,"error":{"code":-32601,"message":`)
		b.Write(quote("method not found: " + request.Method))
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.Bytes()
}

func quote(s string) []byte {
	b, _ := json.Marshal(s) // a string cannot fail
	return b
}

// rpcError views the error member of an answer.
func rpcError(raw json.RawMessage) *RPCError {
	e := &RPCError{Raw: raw}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return e
	}
	// Members of other types leave the zero value, which is what they mean here.
	_ = json.Unmarshal(members["code"], &e.Code)
	_ = json.Unmarshal(members["message"], &e.Message)
	return e
}

// idKey is what ids are compared by: the raw value, with strings in one spelling.
func idKey(id json.RawMessage) string {
	if len(id) > 0 && id[0] == '"' {
		var text string
		if json.Unmarshal(id, &text) == nil {
			return string(quote(text))
		}
	}
	return string(id)
}
