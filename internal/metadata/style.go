package metadata

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a JSON file is laid out.
type style struct {
	newline string // "\n" or "\r\n"; "" when the file stands on one line
	unit    string // one level of indentation
	colon   hujson.Extra
	comma   hujson.Extra // white space after a comma on one line
	inset   hujson.Extra // white space inside braces on one line
}

// plainStyle is how files are laid out that omcbuild creates.
func plainStyle() style {
	return style{newline: "\n", unit: "  ", colon: hujson.Extra(" "), comma: hujson.Extra(" "), inset: hujson.Extra(" ")}
}

// styleOf reads the layout off an object, which is indented once.
func styleOf(object *hujson.Object) style {
	s := plainStyle()
	if len(object.Members) == 0 {
		if bytes.Contains(object.AfterExtra, []byte("\r\n")) {
			s.newline = "\r\n"
		}
		return s
	}
	first := object.Members[0]
	if extra := first.Value.BeforeExtra; !bytes.ContainsRune(extra, '\n') {
		s.colon = extra
	}
	lead := first.Name.BeforeExtra
	cut := bytes.LastIndexByte(lead, '\n')
	switch {
	case cut < 0:
		s.newline, s.unit, s.inset = "", "", lead
		if len(object.Members) > 1 {
			s.comma = object.Members[1].Name.BeforeExtra
		} else if len(s.colon) == 0 {
			s.comma = nil
		}
	case cut > 0 && lead[cut-1] == '\r':
		s.newline, s.unit = "\r\n", string(lead[cut+1:])
	default:
		s.unit = string(lead[cut+1:])
	}
	return s
}

// open is what stands between an opening brace and its first member, or, one
// level up, between the last member and the closing brace.
func (s style) open(depth int) hujson.Extra {
	if s.newline == "" {
		return bytes.Clone(s.inset)
	}
	return hujson.Extra(s.newline + strings.Repeat(s.unit, depth))
}

// between is what stands after a comma on one line.
func (s style) between() hujson.Extra { return bytes.Clone(s.comma) }

// like is what stands before a member that follows one with this lead: the
// same indentation, without the blank lines.
func (s style) like(lead hujson.Extra) hujson.Extra {
	cut := bytes.LastIndexByte(lead, '\n')
	if cut < 0 {
		return s.between()
	}
	if cut > 0 && lead[cut-1] == '\r' {
		return hujson.Extra("\r\n" + string(lead[cut+1:]))
	}
	return hujson.Extra("\n" + string(lead[cut+1:]))
}

// object is a JSON object to write, its members in order.
type object []member

type member struct {
	key   string
	value any // string, []string or object
}

// lineWidth is the width up to which a list stands on one line.
const lineWidth = 80

// value builds a new value whose key is indented to depth.
func (s style) value(v any, depth int) hujson.Value {
	switch v := v.(type) {
	case string:
		return hujson.Value{Value: hujson.String(v)}
	case []string:
		return hujson.Value{Value: s.list(v, depth)}
	case object:
		return hujson.Value{Value: s.members(v, depth)}
	}
	return hujson.Value{Value: hujson.Literal("null")}
}

func (s style) list(texts []string, depth int) *hujson.Array {
	array := &hujson.Array{}
	width := depth*len(s.unit) + 16
	for _, text := range texts {
		width += len(text) + 4
	}
	broken := s.newline != "" && width > lineWidth && len(texts) > 1
	for i, text := range texts {
		element := hujson.Value{Value: hujson.String(text)}
		switch {
		case broken:
			element.BeforeExtra = s.open(depth + 1)
		case i > 0:
			element.BeforeExtra = s.between()
		}
		array.Elements = append(array.Elements, element)
	}
	if broken {
		array.AfterExtra = s.open(depth)
	}
	return array
}

func (s style) members(o object, depth int) *hujson.Object {
	out := &hujson.Object{}
	for i, m := range o {
		value := s.value(m.value, depth+1)
		value.BeforeExtra = bytes.Clone(s.colon)
		name := hujson.Value{Value: hujson.String(m.key), BeforeExtra: s.open(depth + 1)}
		if s.newline == "" && i > 0 {
			name.BeforeExtra = s.between()
		}
		out.Members = append(out.Members, hujson.ObjectMember{Name: name, Value: value})
	}
	if len(o) > 0 {
		out.AfterExtra = s.open(depth)
	}
	return out
}
