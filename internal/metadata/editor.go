package metadata

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// editor changes values of a JSON file and leaves every other byte alone. It
// works on the parser's tree, which keeps all white space; what it adds is
// written the way the file is.
type editor struct {
	sheet *sheet
	doc   *project.Document // as opened, for positions
	root  hujson.Value
	style style
	dirty bool
}

func newEditor(s *sheet, doc *project.Document) *editor {
	e := &editor{sheet: s, doc: doc, root: doc.Value.Clone()}
	e.style = styleOf(e.object().object)
	return e
}

// save puts the edited text onto the sheet, without a byte order mark: the
// client refuses one in its manifests.
func (e *editor) save() {
	if e.dirty || e.doc.BOM {
		e.sheet.now = e.root.Pack()
	}
}

func (e *editor) at(keys ...string) diag.Position { return e.doc.Position(keys...) }

// object is the root of the file.
func (e *editor) object() node {
	object, _ := e.root.Value.(*hujson.Object)
	return node{editor: e, object: object}
}

// node is an object of the file. Its depth is len(keys).
type node struct {
	editor *editor
	object *hujson.Object
	keys   []string
	around *style // layout of the object around it, when this one is empty
	label  string // what its fields are called in words, for example "entry omcbuild: "
}

func (n node) at(key ...string) diag.Position {
	return n.editor.at(append(slices.Clone(n.keys), key...)...)
}

// find returns the value of a key, or nil.
func (n node) find(key string) *hujson.Value {
	for i := range n.object.Members {
		if project.Text(&n.object.Members[i].Name) == key {
			return &n.object.Members[i].Value
		}
	}
	return nil
}

// text returns the string under a key, or "".
func (n node) text(key string) string { return project.Text(n.find(key)) }

// child returns the object under a key, if there is one.
func (n node) child(key string) (node, bool) {
	v := n.find(key)
	if v == nil {
		return node{}, false
	}
	object, ok := v.Value.(*hujson.Object)
	return node{editor: n.editor, object: object, keys: append(slices.Clone(n.keys), key), label: n.label}, ok
}

// setText makes the value of a key the string given. An empty string changes
// nothing: package.json does not say. order lists the keys in front of which
// a new one belongs.
func (n node) setText(key, text string, order []string) {
	old := n.find(key)
	switch {
	case text == "", old != nil && old.Value.Kind() == '"' && project.Text(old) == text:
		return
	case old == nil:
		n.insert(key, text, order)
		n.note(key + added(text))
	default:
		n.note(key + changed(project.Text(old), text))
		old.Value = hujson.String(text)
	}
}

// setTexts makes the value of a key the list given, unless that is empty.
func (n node) setTexts(key string, texts []string, order []string) {
	old := n.find(key)
	switch {
	case len(texts) == 0:
		return
	case old == nil:
		n.insert(key, texts, order)
	default:
		if have, ok := stringsOf(old); ok && slices.Equal(have, texts) {
			return
		}
		n.replaceList(old, texts)
	}
	n.note(key)
}

// setObject makes sure that a key holds an object and returns it.
func (n node) setObject(key string, order []string) node {
	around := n.style()
	if child, ok := n.child(key); ok {
		child.around = &around
		return child
	}
	if old := n.find(key); old != nil {
		old.Value = &hujson.Object{}
	} else {
		n.insert(key, object{}, order)
	}
	child, _ := n.child(key)
	child.around = &around
	return child
}

// note records a change of the node in words.
func (n node) note(words string) {
	n.editor.dirty = true
	n.editor.sheet.note(n.label + words)
}

// insert adds a member behind the last of those that come before it in order,
// and behind all others when there is no such order.
func (n node) insert(key string, value any, order []string) {
	at := n.place(key, order)
	depth := len(n.keys) + 1
	s := n.style()
	member := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(key)}, Value: s.value(value, depth)}
	member.Value.BeforeExtra = s.colon
	members := n.object.Members
	switch {
	case len(members) == 0:
		member.Name.BeforeExtra = s.open(depth)
		n.object.AfterExtra = s.open(depth - 1)
	case at == 0:
		member.Name.BeforeExtra = slices.Clone(members[0].Name.BeforeExtra)
		if !bytes.ContainsRune(member.Name.BeforeExtra, '\n') {
			members[0].Name.BeforeExtra = s.between()
		}
	default:
		member.Name.BeforeExtra = s.like(members[at-1].Name.BeforeExtra)
	}
	n.object.Members = slices.Insert(members, at, member)
}

// style is how the node is laid out: as the file is, unless all its members
// stand on one line, or it has none and the object around it does.
func (n node) style() style {
	whole := n.editor.style
	for i := range n.object.Members {
		if bytes.ContainsRune(n.object.Members[i].Name.BeforeExtra, '\n') {
			return whole
		}
	}
	switch {
	case len(n.object.Members) > 0:
		return styleOf(n.object)
	case n.around != nil:
		return *n.around
	}
	return whole
}

// place returns the index at which a new key belongs.
func (n node) place(key string, order []string) int {
	rank := slices.Index(order, key)
	if rank < 0 {
		return len(n.object.Members)
	}
	place := 0
	for i := range n.object.Members {
		if r := slices.Index(order, project.Text(&n.object.Members[i].Name)); r >= 0 && r < rank {
			place = i + 1
		}
	}
	return place
}

// replaceList rewrites an array in the layout it had.
func (n node) replaceList(old *hujson.Value, texts []string) {
	array, ok := old.Value.(*hujson.Array)
	if !ok || len(array.Elements) == 0 {
		old.Value = n.style().value(texts, len(n.keys)+1).Value
		return
	}
	first := array.Elements[0].BeforeExtra
	next := first
	if len(array.Elements) > 1 {
		next = array.Elements[1].BeforeExtra
	} else if !bytes.ContainsRune(first, '\n') {
		next = n.style().between()
	}
	elements := make([]hujson.Value, len(texts))
	for i, text := range texts {
		before := next
		if i == 0 {
			before = first
		}
		elements[i] = hujson.Value{BeforeExtra: slices.Clone(before), Value: hujson.String(text)}
	}
	array.Elements = elements
}

// stringsOf returns the strings of an array that holds nothing else.
func stringsOf(v *hujson.Value) ([]string, bool) {
	if v == nil {
		return nil, false
	}
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, false
	}
	out := make([]string, len(array.Elements))
	for i := range array.Elements {
		if array.Elements[i].Value.Kind() != '"' {
			return nil, false
		}
		out[i] = project.Text(&array.Elements[i])
	}
	return out, true
}

func added(text string) string {
	if len(text) > 40 {
		return " added"
	}
	return " " + text + " added"
}

func changed(old, text string) string {
	if old == "" || len(old)+len(text) > 80 || strings.ContainsAny(old+text, "\n\r") {
		return ""
	}
	return " " + old + " → " + text
}
