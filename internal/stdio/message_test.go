package stdio

import (
	"encoding/json"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, line string
		kind       string // request, notification, answer; empty: no message
		id         string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "request", "1"},
		{"request with a string id", `{"id":"a","method":"ping","jsonrpc":"2.0"}`, "request", `"a"`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notification", ""},
		{"result", `{"jsonrpc":"2.0","id":1,"result":{}}`, "answer", "1"},
		{"null result", `{"jsonrpc":"2.0","id":1,"result":null}`, "answer", "1"},
		{"error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "answer", "null"},
		{"blanks around", " \t{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}} ", "answer", "1"},
		{"version missing", `{"id":1,"result":{}}`, "", ""},
		{"version a number", `{"jsonrpc":2.0,"id":1,"result":{}}`, "", ""},
		{"names in another case", `{"JSONRPC":"2.0","Id":1,"Result":{}}`, "", ""},
		{"only an id", `{"jsonrpc":"2.0","id":1}`, "", ""},
		{"method not a string", `{"jsonrpc":"2.0","id":1,"method":7}`, "", ""},
		{"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, "", ""},
		{"batch", `[{"jsonrpc":"2.0","id":1,"result":{}}]`, "", ""},
		{"other JSON", `{"level":"info"}`, "", ""},
		{"two messages", `{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`, "", ""},
		{"text", "server is ready", "", ""},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"result":{}}`, "", ""},
		{"empty", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, ok := Parse([]byte(test.line))
			kind := ""
			switch {
			case !ok:
			case m.IsRequest():
				kind = "request"
			case m.IsNotification():
				kind = "notification"
			case m.IsAnswer():
				kind = "answer"
			}
			if kind != test.kind || ok && string(m.ID) != test.id {
				t.Errorf("a %q with id %s, want a %q with id %s", kind, m.ID, test.kind, test.id)
			}
		})
	}
}

func TestParseKeepsBytes(t *testing.T) {
	const result = `{"b": 1.0, "a": 1e2,  "u":"\u0041\ud800", "b": 2, "raw":"` + "\xff" + `"}`
	m, ok := Parse([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`))
	if !ok || string(m.Result) != result {
		t.Errorf("result = %q, want %q", m.Result, result)
	}
}

func TestRequest(t *testing.T) {
	tests := []struct{ id, method, params, want string }{
		{`"a"`, "m", `{"x": 1}`, `{"jsonrpc":"2.0","id":"a","method":"m","params":{"x": 1}}`},
		{"0", "m", "", `{"jsonrpc":"2.0","id":0,"method":"m"}`},
		{"", `m"`, "", `{"jsonrpc":"2.0","method":"m\""}`},
	}
	for _, test := range tests {
		var id, params json.RawMessage
		if test.id != "" {
			id = json.RawMessage(test.id)
		}
		if test.params != "" {
			params = json.RawMessage(test.params)
		}
		if got := string(Request(id, test.method, params)); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestRPCError(t *testing.T) {
	tests := []struct {
		raw     string
		code    int64
		message string
	}{
		{`{"code":-32601,"message":"no"}`, -32601, "no"},
		{`{"code":"E1","message":7}`, 0, ""},
		{`"text"`, 0, ""},
	}
	for _, test := range tests {
		if e := rpcError(json.RawMessage(test.raw)); e.Code != test.code || e.Message != test.message || string(e.Raw) != test.raw {
			t.Errorf("%s: %+v", test.raw, e)
		}
	}
}

func TestIDKey(t *testing.T) {
	same := [][2]string{{`"a"`, `"\u0061"`}, {"1", "1"}}
	different := [][2]string{{`"1"`, "1"}, {"null", `"null"`}, {"1", "2"}}
	for _, pair := range same {
		if idKey(json.RawMessage(pair[0])) != idKey(json.RawMessage(pair[1])) {
			t.Errorf("%s and %s are different ids", pair[0], pair[1])
		}
	}
	for _, pair := range different {
		if idKey(json.RawMessage(pair[0])) == idKey(json.RawMessage(pair[1])) {
			t.Errorf("%s and %s are the same id", pair[0], pair[1])
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1]}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"x","error":{"code":1}}`))
	f.Add([]byte("noise {"))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, ok := Parse(line)
		if !ok {
			return
		}
		if string(m.Raw) != string(line) {
			t.Error("the line was changed")
		}
		for _, member := range []json.RawMessage{m.ID, m.Params, m.Result, m.Error} {
			if member != nil && !json.Valid(member) {
				t.Errorf("a member is not JSON: %q", member)
			}
		}
	})
}
