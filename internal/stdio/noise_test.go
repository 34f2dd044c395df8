package stdio

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"plain", "grüße 漢字 🙂", 0, "grüße 漢字 🙂"},
		{"colour", "\x1b[31mred\x1b[0m", 0, `\x1b[31mred\x1b[0m`},
		{"control", "a\tb\x00c\u0085", 0, `a\tb\x00c\u0085`},
		{"text direction", "a\u202eb", 0, `a\u202eb`},
		{"zero width", "a\u200bb\ufeff", 0, `a\u200bb\ufeff`},
		{"filler letters", "a\u3164b\u2800", 0, `a\u3164b\u2800`},
		{"tag characters", "a\U000e0041", 0, `a\U000e0041`},
		{"no UTF-8", "a\xffb", 0, `a\xffb`},
		{"blanks that are none", "a\u00a0b", 0, `a\u00a0b`},
		{"cut", "abcdef", 4, "abcd…"},
		{"just fits", "abcd", 4, "abcd"},
		{"cut between characters", "ab漢字", 4, "ab漢…"},
	}
	for _, test := range tests {
		if got := Visible([]byte(test.text), test.limit); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add([]byte("\x1b[0m\xff漢"), 3)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		got := Visible(text, limit)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if hidden(r) {
				t.Errorf("%q holds the hidden %U", got, r)
			}
		}
	})
}

func TestEndsInMessage(t *testing.T) {
	tests := []struct {
		text string
		want bool
	}{
		{`loading... {"jsonrpc":"2.0","id":1,"result":{}}`, true},
		{`state {"a":1} then {"jsonrpc":"2.0","id":1,"result":{"x":{}}}`, true},
		{`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`, true},
		{`loading... {"a":1}`, false},
		{`{"jsonrpc":"2.0","id":1,"result":{}} trailing`, false},
		{strings.Repeat("{", 100_000), false},
		{"", false},
	}
	for _, test := range tests {
		if got := endsInMessage([]byte(test.text)); got != test.want {
			t.Errorf("%.60q: %v", test.text, got)
		}
	}
}

func TestFraming(t *testing.T) {
	pretty := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"a\": 1\n  }\n}"
	tests := []struct {
		name, text string
		want       Framing
	}{
		{"headers", "Content-Length: 38\n\n", ContentLength},
		{"headers in lower case", "content-length:38\n\n", ContentLength},
		{"a log that mentions the header", "Content-Length: 38\nmore", ""},
		{"header with a type", "Content-Type: x\nContent-Length: 38\n\n", ContentLength},
		{"pretty", pretty, PrettyPrinted},
		{"pretty after text", "ready\n" + pretty, PrettyPrinted},
		{"another object", "{\n  \"level\": \"info\"\n}", ""},
		{"another object, then pretty", "{\n}\n" + pretty, PrettyPrinted},
		{"endless object", "{\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", 3000), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f framing
			var got Framing
			for i, text := range strings.Split(test.text, "\n") {
				if found, ok := f.feed(line{text: []byte(text), number: i + 1}); ok && got == "" {
					got = found
				}
				if f.object.Len() > prettyBytes+1 {
					t.Fatalf("holds %d bytes", f.object.Len())
				}
			}
			if got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestTail(t *testing.T) {
	tests := []struct {
		name  string
		write []string
		want  string
	}{
		{"few lines", []string{"a\nb\n"}, "a|b"},
		{"in pieces", []string{"a", "b\r", "\nc"}, "ab|c"},
		{"up to both limits", []string{"1\n2\n3\n4\n"}, "1|2|3|4"},
		{"more", []string{"1\n2\n3\n4\n5\n6\n7\n8"}, "1|2|… 3 lines left out|6|7|8"},
		{"long line", []string{strings.Repeat("x", 1000) + "\ny\n"}, strings.Repeat("x", stderrBytes) + "…|y"},
		{"empty lines", []string{"\n\na\n"}, "||a"},
		{"nothing", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tail := newTail(2)
			for _, w := range test.write {
				tail.write([]byte(w))
			}
			if got := strings.Join(tail.lines(), "|"); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestAnsweredForgetsTheOldest(t *testing.T) {
	var a answered
	for i := range keptAnswered + 10 {
		a.add(string(rune(i)))
		a.add(string(rune(i)))
	}
	if a.has(string(rune(9))) || !a.has(string(rune(10))) || len(a.ids) != keptAnswered {
		t.Errorf("keeps %d ids", len(a.ids))
	}
}
