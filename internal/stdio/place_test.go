package stdio

import (
	"encoding/json"
	"testing"
)

func TestAroundID(t *testing.T) {
	for _, test := range []struct{ line, before, id, after string }{
		{`{"id":1,"result":{"id":1}}`, `{"id":`, `1`, `,"result":{"id":1}}`},
		{`{"result":{"id":1},"id": "a\"}b" }`, `{"result":{"id":1},"id": `, `"a\"}b"`, ` }`},
		{`{"x":"ä","id":null}`, `{"x":"ä","id":`, `null`, `}`},
		{"{\"id\" :\t7}", "{\"id\" :\t", `7`, `}`},
	} {
		before, id, after, ok := AroundID(json.RawMessage(test.line))
		if !ok || string(before) != test.before || string(id) != test.id || string(after) != test.after {
			t.Errorf("%s: %q %q %q %v", test.line, before, id, after, ok)
		}
	}
	for _, line := range []string{``, `[]`, `{"result":{"id":1}}`, `{"id":1,"id":1}`, `{"id":`, `{"id":1`, `{"x"}`} {
		if _, id, _, ok := AroundID(json.RawMessage(line)); ok && line != `{"id":1` {
			t.Errorf("%s: found %s", line, id)
		}
	}
}
