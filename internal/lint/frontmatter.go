package lint

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// maxFrontmatter is the size in bytes above which frontmatter is not read; real
// ones are below two thousand.
const maxFrontmatter = 64 << 10

// frontmatter is the YAML at the head of a Markdown file.
type frontmatter struct {
	found   bool       // there is a block between two lines of ---
	mark    bool       // a byte order mark stands before it
	returns bool       // lines end in CR LF
	latin   bool       // the file is not UTF-8
	fault   string     // why the block cannot be read
	line    int        // 1-based, of the fault
	values  *yaml.Node // a mapping, or nil
	body    []byte     // what follows
}

var yamlLine = lazyregexp.New(`line (\d+): `)

// readFrontmatter reads the head of a Markdown file. Aliases, which can make a
// short text endless, are a fault.
func readFrontmatter(text []byte) frontmatter {
	f := frontmatter{mark: bytes.HasPrefix(text, byteOrderMark), latin: !utf8.Valid(text)}
	text = bytes.TrimPrefix(text, byteOrderMark)
	f.returns = bytes.Contains(text, []byte("\r\n"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	f.body = text
	rest, opened := bytes.CutPrefix(text, []byte("---\n"))
	if !opened {
		return f
	}
	head, body, closed := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---"))
	if !closed {
		return f
	}
	f.found, f.body = true, body
	if f.latin {
		return f // the rest would follow from that
	}
	if len(head) > maxFrontmatter {
		f.fault = "is longer than 64 kB"
		return f
	}
	f.parse(head[min(1, len(head)):])
	return f
}

func (f *frontmatter) parse(head []byte) {
	var document yaml.Node
	if err := yaml.Unmarshal(head, &document); err != nil {
		f.line, f.fault = faultOf(err)
		return
	}
	if len(document.Content) == 0 {
		return
	}
	values := document.Content[0]
	switch {
	case hasAlias(values, 0):
		f.line, f.fault = values.Line+1, "refers to another part of itself; write the value out"
	case values.Kind != yaml.MappingNode:
		f.line, f.fault = values.Line+1, "is no list of names and values"
	default:
		f.values = values
	}
}

// faultOf splits what the YAML reader says into the line of the file and the rest.
func faultOf(err error) (int, string) {
	text, line := err.Error(), 0
	var list *yaml.TypeError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		text = list.Errors[0]
	}
	if match := yamlLine.FindStringSubmatchIndex(text); match != nil {
		line, _ = strconv.Atoi(text[match[2]:match[3]])
		line++ // the line of ---
		text = text[match[1]:]
	}
	return line, "is no YAML: " + clip(printable(strings.TrimPrefix(text, "yaml: ")))
}

// hasAlias looks for an alias, and for nesting that no frontmatter needs.
func hasAlias(node *yaml.Node, depth int) bool {
	if node.Kind == yaml.AliasNode || depth > 50 {
		return true
	}
	for _, child := range node.Content {
		if hasAlias(child, depth+1) {
			return true
		}
	}
	return false
}

// get returns the value of a name, or nil.
func (f frontmatter) get(name string) *yaml.Node {
	if f.values == nil {
		return nil
	}
	for i := 0; i+1 < len(f.values.Content); i += 2 {
		if f.values.Content[i].Value == name {
			return f.values.Content[i+1]
		}
	}
	return nil
}

// text returns the string of a name, or "".
func (f frontmatter) text(name string) string {
	if node := f.get(name); node != nil && node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
		return node.Value
	}
	return ""
}

// words returns a list, or a string cut at commas and spaces, as the client
// reads the names of tools. Parts in parentheses stay whole.
func (f frontmatter) words(name string) (found []string) {
	node := f.get(name)
	switch {
	case node == nil:
	case node.Kind == yaml.SequenceNode:
		for _, element := range node.Content {
			found = append(found, element.Value)
		}
	case node.Kind == yaml.ScalarNode:
		found = toolWord.FindAllString(node.Value, 200)
	}
	return found
}

var toolWord = lazyregexp.New(`[^\s,(]+(?:\([^)]*\))?`)

// at returns the place of a value in its file.
func (f frontmatter) at(file, name string) diag.Position {
	if node := f.get(name); node != nil {
		return diag.Position{File: file, Line: node.Line + 1, Column: node.Column}
	}
	return diag.Position{File: file, Line: 1}
}

// kindOf is yamlKind of a value that may be absent.
func kindOf(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	return yamlKind(node)
}

// yamlKind names the type of a value for a sentence.
func yamlKind(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.SequenceNode:
		return anArray
	case node.Kind == yaml.MappingNode:
		return anObject
	case node.Tag == "!!int", node.Tag == "!!float":
		return aNumber
	case node.Tag == "!!bool":
		return aBoolean
	case node.Tag == "!!null":
		return "empty"
	}
	return aString
}
