package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// errNotJSON is returned for bytes that are no JSON value.
var errNotJSON = errors.New("not a JSON value")

// Canonical returns the JSON value in raw as compact text that depends on
// nothing but its meaning and the order of its members: no white space between
// tokens, every string in its shortest spelling, characters such as < and & as
// themselves. Members stay in the server's order and numbers in the server's
// spelling, because both reach the model. The error says that raw is no JSON
// value, or is nested deeper than encoding/json allows.
func Canonical(raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return nil, errNotJSON
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end := stringEnd(raw, i)
			out = append(out, shortestString(raw[i:end])...)
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out, nil
}

// Same reports whether two JSON values have the same canonical text. Absent
// values (nil) are equal to each other and to nothing else.
func Same(a, b []byte) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	left, err := Canonical(a)
	if err != nil {
		return bytes.Equal(a, b)
	}
	right, err := Canonical(b)
	return err == nil && bytes.Equal(left, right)
}

// stringEnd returns the index after the JSON string that starts at start. The
// bytes are known to be valid JSON.
func stringEnd(raw []byte, start int) int {
	for i := start + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// shortestString spells a quoted JSON string without needless escapes.
func shortestString(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	return quote(text)
}

// quote writes text as a JSON string and leaves HTML characters as they are.
func quote(text string) []byte {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return []byte(`""`)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
