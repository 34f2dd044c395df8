package lint

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// server is one entry of a server map.
type server struct {
	key    string
	doc    *project.Document
	keys   []string       // where it stands in doc
	fields map[string]any // nil when the entry is no object
}

// at returns the place of a field of the server.
func (s server) at(keys ...string) diag.Position {
	return s.doc.Position(slices.Concat(s.keys, keys)...)
}

func (s server) text(field string) string {
	text, _ := s.fields[field].(string)
	return text
}

// launch is a program that the client starts for the plugin.
type launch struct {
	owner   string // "server t", "hook PreToolUse"
	command text
	args    []text
	shell   bool // the command is a line for a shell
}

// text is a string with its place.
type text struct {
	value string
	place diag.Position
}

// texts returns the command and its arguments.
func (l launch) texts() []text { return append([]text{l.command}, l.args...) }

// readServers collects the servers of .mcp.json and of the manifest.
func (p *plugin) readServers() {
	p.addServers(p.mcp, nil)
	if inline := p.manifest.Find("mcpServers"); inline != nil {
		var value any
		if p.manifest.Decode(&value, "mcpServers") == nil {
			p.declared(value, []string{"mcpServers"}, p.addServers)
		}
	}
	for _, s := range p.servers {
		if command := s.text("command"); command != "" {
			l := launch{owner: "server " + s.key, command: text{command, s.at("command")}}
			l.args = argumentsOf(s.fields["args"], s.doc, append(slices.Clone(s.keys), "args"))
			p.launches = append(p.launches, l)
		}
	}
}

// declared goes through a field of the manifest that is a path, a map, or a list
// of either.
func (p *plugin) declared(value any, keys []string, add func(doc *project.Document, keys []string)) {
	switch value := value.(type) {
	case string:
		file := path.Clean(value)
		if path.Ext(file) != ".json" || strings.Contains(value, "..") || file == mcpFile || file == hooksFile {
			return
		}
		if doc := p.read(file); doc != nil {
			p.more = append(p.more, doc)
			add(doc, nil)
		}
	case map[string]any:
		add(p.manifest, keys)
	case []any:
		for i, element := range value {
			if i < 100 {
				p.declared(element, append(slices.Clone(keys), strconv.Itoa(i)), add)
			}
		}
	}
}

// maxServers is how many servers of a plugin are looked at.
const maxServers = 200

// addServers reads a server map, with or without its wrapper.
func (p *plugin) addServers(doc *project.Document, keys []string) {
	if doc == nil {
		return
	}
	if wrapped := append(slices.Clone(keys), "mcpServers"); doc.Find(wrapped...) != nil {
		keys = wrapped
	}
	var entries map[string]any
	if len(keys) == 0 {
		_ = doc.Decode(&entries)
	} else {
		_ = doc.Decode(&entries, keys...)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if len(p.servers) >= maxServers {
			return
		}
		s := server{key: key, doc: doc, keys: append(slices.Clone(keys), key)}
		s.fields, _ = entries[key].(map[string]any)
		p.servers = append(p.servers, s)
	}
}

// argumentsOf returns the strings of an argument list with their places.
func argumentsOf(value any, doc *project.Document, keys []string) (args []text) {
	list, _ := value.([]any)
	for i, element := range list {
		if argument, ok := element.(string); ok {
			args = append(args, text{argument, doc.Position(append(slices.Clone(keys), strconv.Itoa(i))...)})
		}
	}
	return args
}
