package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Syntax says which form of JSON a file may use.
type Syntax int

const (
	// Strict is plain JSON, as the client and npm read it.
	Strict Syntax = iota
	// Relaxed also allows comments and trailing commas.
	Relaxed
)

// maxDepth bounds the nesting of a JSON file; real ones stay below twenty.
const maxDepth = 100

var byteOrderMark = []byte("\xef\xbb\xbf")

// Document is a JSON file as it was on disk. A file that does not parse is
// kept too, with Problem set and Value empty, so that whoever needs the file
// reports it and whoever does not can go on.
type Document struct {
	Path    string           // relative to the root, slash separated
	Data    []byte           // the file, byte for byte
	BOM     bool             // whether Data begins with a UTF-8 byte order mark
	Value   hujson.Value     // the parsed file; offsets count from after the mark
	Problem *diag.Diagnostic // why the file cannot be used, or nil

	lines []int // where each line begins, counted as offsets are
}

// Parse reads data as the JSON file of that path. Nesting is bounded, text
// must be UTF-8 and a key may stand only once in its object.
func Parse(path string, data []byte, syntax Syntax) *Document {
	d := &Document{Path: path, Data: data, BOM: bytes.HasPrefix(data, byteOrderMark)}
	d.lines = []int{0}
	for i, c := range d.text() {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	d.Problem = d.parse(syntax)
	return d
}

func (d *Document) parse(syntax Syntax) *diag.Diagnostic {
	text := d.text()
	if len(bytes.TrimSpace(text)) == 0 {
		return d.problem(0, "the file is empty", "write a JSON object, or delete the file")
	}
	if at := invalidUTF8(text); at >= 0 {
		return d.problem(at, "the text is not UTF-8", "save the file as UTF-8")
	}
	if at := tooDeep(text); at >= 0 {
		return d.problem(at, fmt.Sprintf("more than %d levels of nesting", maxDepth), "no file of a plugin needs that; check what wrote it")
	}
	value, err := hujson.Parse(text)
	if err != nil {
		return d.syntaxError(err)
	}
	if syntax == Strict {
		if at := firstRelaxed(text, &value); at >= 0 {
			return d.problem(at, "comments and trailing commas are not allowed in "+d.Path, "remove them; the programs that read this file refuse it")
		}
	}
	if _, ok := value.Value.(*hujson.Object); !ok {
		return d.problem(value.StartOffset, "the file holds "+article(kindName(value.Value.Kind()))+", not an object", "put the settings between { and }")
	}
	if name := duplicate(&value); name != nil {
		return d.problem(name.StartOffset, fmt.Sprintf("the key %s stands twice in the same object", quote(Text(name))), "remove one of the two; readers disagree about which counts")
	}
	d.Value = value
	return nil
}

// text is the file without its byte order mark.
func (d *Document) text() []byte { return bytes.TrimPrefix(d.Data, byteOrderMark) }

var parserPlace = lazyregexp.New(`^hujson: line (\d+), column (\d+): `)

// syntaxError turns the parser's message into a diagnostic with its place.
func (d *Document) syntaxError(err error) *diag.Diagnostic {
	message := err.Error()
	position := diag.Position{File: d.Path}
	if m := parserPlace.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		position.Line, _ = strconv.Atoi(m[1])
		position.Column, _ = strconv.Atoi(m[2])
	}
	return &diag.Diagnostic{
		Code: "invalid-json", Position: position, Message: "not valid JSON: " + clip(message, 120),
		Hint: "correct the syntax at this place, or just before it",
	}
}

func (d *Document) problem(offset int, message, hint string) *diag.Diagnostic {
	return &diag.Diagnostic{Code: "invalid-json", Message: message, Position: d.PositionOf(offset), Hint: hint}
}

// PositionOf turns an offset into the file, counted after a byte order mark,
// into a line and column.
func (d *Document) PositionOf(offset int) diag.Position {
	if len(d.lines) == 0 {
		return diag.Position{File: d.Path}
	}
	offset = min(max(offset, 0), len(d.text()))
	line := sort.SearchInts(d.lines, offset+1) // the first line that begins behind it
	return diag.Position{File: d.Path, Line: line, Column: offset - d.lines[line-1] + 1}
}

// Find returns the value under the keys given, from the outermost inwards, or
// nil. A key of an array is its index in decimal.
func (d *Document) Find(keys ...string) *hujson.Value {
	if d == nil || d.Problem != nil {
		return nil
	}
	return d.Value.Find(pointer(keys))
}

// Position returns the place of the value under the keys given, of the nearest
// enclosing value that exists when it is missing, or the file alone.
func (d *Document) Position(keys ...string) diag.Position {
	if d == nil {
		return diag.Position{}
	}
	for n := len(keys); n > 0; n-- {
		if v := d.Find(keys[:n]...); v != nil {
			return d.PositionOf(v.StartOffset)
		}
	}
	return diag.Position{File: d.Path}
}

// KeyPosition returns the place of the last key itself rather than of its
// value.
func (d *Document) KeyPosition(keys ...string) diag.Position {
	if len(keys) == 0 {
		return d.Position()
	}
	last := len(keys) - 1
	if parent := d.Find(keys[:last]...); parent != nil {
		if object, ok := parent.Value.(*hujson.Object); ok {
			for i := range object.Members {
				if Text(&object.Members[i].Name) == keys[last] {
					return d.PositionOf(object.Members[i].Name.StartOffset)
				}
			}
		}
	}
	return d.Position(keys...)
}

// String returns the string under the keys given, or "" when there is none.
func (d *Document) String(keys ...string) string { return Text(d.Find(keys...)) }

// Decode stores the whole document, or what is under the keys, in target.
func (d *Document) Decode(target any, keys ...string) error {
	v := d.Find(keys...)
	if v == nil {
		return fmt.Errorf("%s has no %s", d.Path, strings.Join(keys, "."))
	}
	clean := v.Clone()
	clean.Standardize()
	return json.Unmarshal(clean.Pack(), target)
}

// Text returns the string that a value holds, or "".
func Text(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '"' {
		return lit.String()
	}
	return ""
}

func pointer(keys []string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, key := range keys {
		b.WriteByte('/')
		b.WriteString(escape.Replace(key))
	}
	return b.String()
}

// kindName names a JSON type for a sentence.
func kindName(kind hujson.Kind) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}

func article(noun string) string {
	switch {
	case noun == "null":
		return noun
	case strings.ContainsRune("aeio", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

// invalidUTF8 returns the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// clip shortens a text that goes into a message.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
