package lint

import (
	"maps"
	"slices"
	"strconv"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// handler is one hook handler.
type handler struct {
	event   string
	matcher any // of its group; nil when absent
	doc     *project.Document
	group   []string // where its group stands in doc
	keys    []string // where it stands itself
	fields  map[string]any
	bare    bool // the group lacks its list of handlers
}

func (h handler) at(keys ...string) diag.Position {
	return h.doc.Position(slices.Concat(h.keys, keys)...)
}

func (h handler) text(field string) string {
	text, _ := h.fields[field].(string)
	return text
}

// hookMaps calls visit for every map of events: that of hooks/hooks.json and
// those of the manifest.
func (p *plugin) hookMaps(visit func(doc *project.Document, keys []string)) {
	wrapped := func(doc *project.Document, keys []string) {
		if doc == nil {
			return
		}
		if inner := append(slices.Clone(keys), "hooks"); doc.Find(inner...) != nil {
			keys = inner
		}
		visit(doc, keys)
	}
	wrapped(p.hooks, nil)
	var value any
	if p.manifest.Find("hooks") != nil && p.manifest.Decode(&value, "hooks") == nil {
		p.declared(value, []string{"hooks"}, wrapped)
	}
}

// maxGroups is how many groups of hooks, and how many handlers, are looked at.
const maxGroups = 1000

// readHooks collects the handlers, and what they start.
func (p *plugin) readHooks() {
	p.hookMaps(func(doc *project.Document, keys []string) {
		var events map[string]any
		if len(keys) == 0 || doc.Decode(&events, keys...) != nil {
			return
		}
		for _, event := range slices.Sorted(maps.Keys(events)) {
			groups, _ := events[event].([]any)
			for i, value := range groups {
				group, _ := value.(map[string]any)
				list, _ := group["hooks"].([]any)
				h := handler{event: event, matcher: group["matcher"], doc: doc, group: append(slices.Clone(keys), event, strconv.Itoa(i))}
				h.bare = (value == nil || group != nil) && group["hooks"] == nil
				if len(p.groups) < maxGroups {
					p.groups = append(p.groups, h)
				}
				for j, value := range list {
					if len(p.handlers) >= maxGroups {
						return
					}
					h.keys = append(slices.Clone(h.group), "hooks", strconv.Itoa(j))
					h.fields, _ = value.(map[string]any)
					p.handlers = append(p.handlers, h)
				}
			}
		}
	})
	for _, h := range p.handlers {
		if command := h.text("command"); command != "" {
			_, direct := h.fields["args"].([]any)
			l := launch{owner: "hook " + h.event, command: text{command, h.at("command")}, shell: !direct}
			l.args = argumentsOf(h.fields["args"], h.doc, append(slices.Clone(h.keys), "args"))
			p.launches = append(p.launches, l)
		}
	}
}
