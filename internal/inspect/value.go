package inspect

import (
	"encoding/json"
	"path"
	"strings"

	"omcbuild/internal/diag"
)

// kind is the sort of a value.
type kind uint8

const (
	unknown  kind = iota // only known once the program runs
	absent               // null, undefined
	text                 // also a path, see rooted
	number               // kept as written
	boolean              // "true" or "false"
	list                 // of values
	object               // of members
	function             // see script.returned
	builtins             // the names of Node's own modules
)

// value is what an expression of a script or a configuration file says, as far
// as that can be read without running it. In a list or an object each part is
// known or unknown by itself.
type value struct {
	kind    kind
	text    string // of text, number and boolean
	list    []value
	members []member
	at      diag.Position
	why     string // of unknown: why it is not known, as a clause
	version bool   // the text was made with the version in package.json
	name    bool   // and with its name
	body    int    // of function: the token its body begins with
	source  *script
}

type member struct {
	key   string
	value value
}

// rooted is what an absolute path begins with that lies in the repository.
const rooted = "/\x00root"

// get returns a member of an object, and an absent value when there is none.
// The last of several counts.
func (v value) get(key string) value {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].value
		}
	}
	return value{kind: absent, at: v.at}
}

// opaque returns a value that cannot be known. The reason follows on "it".
func opaque(at diag.Position, why string) value { return value{at: at, why: "it " + why} }

// json returns the value as JSON; false when a part of it is not known.
func (v value) json() (string, bool) {
	switch v.kind {
	case text:
		out, err := json.Marshal(v.text)
		return string(out), err == nil
	case number, boolean:
		return v.text, json.Valid([]byte(v.text))
	case absent:
		return "null", true
	case list:
		parts := make([]string, len(v.list))
		for i, part := range v.list {
			var ok bool
			if parts[i], ok = part.json(); !ok {
				return "", false
			}
		}
		return "[" + strings.Join(parts, ",") + "]", true
	case object:
		parts := make([]string, len(v.members))
		for i, m := range v.members {
			key, _ := json.Marshal(m.key)
			part, ok := m.value.json()
			if !ok {
				return "", false
			}
			parts[i] = string(key) + ":" + part
		}
		return "{" + strings.Join(parts, ",") + "}", true
	}
	return "", false
}

// falsy reports whether a value counts as false.
func (v value) falsy() bool {
	return v.kind == absent || v.kind == text && v.text == "" || v.kind == number && strings.Trim(v.text, "0.n") == "" || v.kind == boolean && v.text == "false"
}

// items returns the parts of a list, or a single value as a list of one.
func (v value) items() []value {
	switch v.kind {
	case list:
		return v.list
	case absent, builtins:
		return nil
	}
	return []value{v}
}

// inside turns a path as written, relative to a folder of the repository, into
// one relative to its root. The second result is false when it leads out.
func inside(folder, written string) (string, bool) {
	written = strings.ReplaceAll(written, `\`, "/")
	if rest, ok := strings.CutPrefix(written, rooted); ok {
		written, folder = strings.TrimPrefix(rest, "/"), "."
	}
	if path.IsAbs(written) || strings.ContainsAny(written, "\x00\n\r") || len(written) > 1 && written[1] == ':' || strings.HasPrefix(written, "~") {
		return "", false
	}
	clean := path.Join(folder, written)
	return clean, clean != ".." && !strings.HasPrefix(clean, "../")
}
