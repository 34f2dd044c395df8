package surface

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"white space goes", "{ \"b\" :\t1,\r\n \"a\": [ 1 , 2 ] }", `{"b":1,"a":[1,2]}`},
		{"member order and numbers stay", `{"z":1.50,"a":1E3}`, `{"z":1.50,"a":1E3}`},
		{"needless escapes go", `"\u003ca\u003e \u00e9 \/"`, `"<a> é /"`},
		{"needed escapes stay", `"a\"b\\c\nd"`, `"a\"b\\c\nd"`},
		{"spaces inside strings stay", `" a  b "`, `" a  b "`},
		{"scalars", ` true `, `true`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Canonical([]byte(test.in))
			if err != nil || string(got) != test.want {
				t.Errorf("Canonical(%s) = %s, %v; want %s", test.in, got, err, test.want)
			}
		})
	}
}

func TestCanonicalRefusesWhatIsNotJSON(t *testing.T) {
	for _, in := range []string{"", "{", "{} {}", "{'a':1}", "nul", strings.Repeat("[", 20000) + strings.Repeat("]", 20000)} {
		if got, err := Canonical([]byte(in)); err == nil {
			t.Errorf("Canonical(%.20q) = %.20q, want an error", in, got)
		}
	}
}

func TestSame(t *testing.T) {
	tests := []struct {
		name string
		a, b []byte
		want bool
	}{
		{"spelling differs", []byte(`{"a": "\u0041"}`), []byte(`{"a":"A"}`), true},
		{"value differs", []byte(`1`), []byte(`2`), false},
		{"member order differs", []byte(`{"a":1,"b":2}`), []byte(`{"b":2,"a":1}`), false},
		{"both absent", nil, nil, true},
		{"one absent", nil, []byte(`null`), false},
		{"one is no JSON", []byte(`{`), []byte(`{}`), false},
		{"both are the same no JSON", []byte(`{`), []byte(`{`), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Same(test.a, test.b); got != test.want {
				t.Errorf("Same = %v, want %v", got, test.want)
			}
			if got := Same(test.b, test.a); got != test.want {
				t.Errorf("the other way round: %v, want %v", got, test.want)
			}
		})
	}
}

func FuzzCanonicalKeepsTheMeaning(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\u003c",null]}`, `"\ud800"`, `[[[]]]`, `{"a":1,"a":2}`, " 1e5 ", "\"\xff\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, err := Canonical(raw)
		if err != nil {
			return
		}
		again, err := Canonical(text)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("not stable: %q then %q, %v", text, again, err)
		}
		var before, after any
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal(text, &after) != nil {
			return
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q", raw, text)
		}
	})
}
