package schemadiff

import (
	"fmt"
	"slices"

	"omcbuild/internal/surface"
)

// kindServerVersion is the kind of a change that follows from a release instead
// of asking for one.
const kindServerVersion = "server-version"

// server compares what belongs to no tool.
func (c *comparison) server(old, updated surface.Surface) {
	if old.ServerName != updated.ServerName {
		c.add(Change{Path: "server.name", Kind: "server-name", Level: Breaking},
			"server name is now %q (was %q)", updated.ServerName, old.ServerName)
	}
	if old.ServerVersion != updated.ServerVersion {
		c.add(Change{Path: "server.version", Kind: kindServerVersion, Level: Text},
			"server version is now %q (was %q)", updated.ServerVersion, old.ServerVersion)
	}
	for _, version := range old.Protocols {
		if !slices.Contains(updated.Protocols, version) {
			c.add(Change{Path: "protocol", Kind: "protocol-removed", Level: Breaking}, "protocol version %s is no longer spoken", version)
		}
	}
	for _, version := range updated.Protocols {
		if !slices.Contains(old.Protocols, version) {
			c.add(Change{Path: "protocol", Kind: "protocol-added", Level: Feature}, "protocol version %s is spoken", version)
		}
	}
	if !slices.Equal(old.Protocols, updated.Protocols) && sameElements(old.Protocols, updated.Protocols) {
		c.add(Change{Path: "protocol", Kind: "protocol-order", Level: Text}, "protocol versions are recorded in another order")
	}
}

// add finishes the message of a change and keeps it.
func (c *comparison) add(change Change, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if change.Tool != "" {
		text = change.Tool + ": " + text
	}
	change.Message = text + ": " + string(change.Level)
	c.changes = append(c.changes, change)
}

// tools matches tools by name and compares each pair.
func (c *comparison) tools(old, updated []surface.Tool) {
	oldKeys, newKeys := keysOf(old), keysOf(updated)
	successors := renames(old, updated, oldKeys, newKeys)
	for i, key := range oldKeys {
		at := slices.Index(newKeys, key)
		if at >= 0 {
			c.tool(old[i], updated[at])
			continue
		}
		change := Change{Tool: label(old[i]), Kind: "tool-removed", Level: Breaking}
		if name, ok := successors[i]; ok {
			change.Hint = fmt.Sprintf("%s is new and takes the same arguments; if it is a new name for %s, keep the old name, or accept the change with omcbuild build --update and raise the version", name, label(old[i]))
		}
		c.add(change, "tool was removed")
	}
	for i, key := range newKeys {
		if !slices.Contains(oldKeys, key) {
			c.add(Change{Tool: label(updated[i]), Kind: "tool-added", Level: Feature}, "tool is new")
		}
	}
	if !slices.Equal(common(oldKeys, newKeys), common(newKeys, oldKeys)) {
		c.add(Change{Path: "tools", Kind: "tools-reordered", Level: Text}, "tools are listed in another order")
	}
}

// toolKey tells tools apart, also those that share a name.
type toolKey struct {
	name       string
	occurrence int
}

func keysOf(tools []surface.Tool) []toolKey {
	seen := map[string]int{}
	keys := make([]toolKey, len(tools))
	for i, tool := range tools {
		keys[i] = toolKey{tool.Name, seen[tool.Name]}
		seen[tool.Name]++
	}
	return keys
}

func label(tool surface.Tool) string {
	if tool.Name == "" {
		return "(unnamed tool)"
	}
	return tool.Name
}

// common returns the elements of a that are also in b, in the order of a.
func common[T comparable](a, b []T) []T {
	in := map[T]bool{}
	for _, element := range b {
		in[element] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(element T) bool { return !in[element] })
}

func sameElements(a, b []string) bool {
	return len(common(a, b)) == len(a) && len(common(b, a)) == len(b)
}

// renames guesses which removed tool lives on under which new name: the first
// new tool with the same input schema that says anything, or with the same
// description.
func renames(old, updated []surface.Tool, oldKeys, newKeys []toolKey) map[int]string {
	guesses := map[int]string{}
	taken := map[int]bool{}
	for i, key := range oldKeys {
		if slices.Contains(newKeys, key) {
			continue
		}
		for j, candidate := range newKeys {
			if taken[j] || slices.Contains(oldKeys, candidate) || !alike(old[i], updated[j]) {
				continue
			}
			guesses[i], taken[j] = label(updated[j]), true
			break
		}
	}
	return guesses
}

func alike(a, b surface.Tool) bool {
	if !surface.Same(a.InputSchema, b.InputSchema) {
		return false
	}
	sameText := a.Description != nil && b.Description != nil && *a.Description == *b.Description
	return sameText || len(parse(a.InputSchema).properties()) > 0
}

// tool compares two versions of one tool.
func (c *comparison) tool(old, updated surface.Tool) {
	name := label(old)
	c.description(name, old.Description, updated.Description)
	c.input(name, old.InputSchema, updated.InputSchema)
	c.output(name, old.OutputSchema, updated.OutputSchema)
	c.annotations(name, old.Annotations, updated.Annotations)
}

func (c *comparison) description(tool string, old, updated *string) {
	change := Change{Tool: tool, Path: "description", Kind: "description-changed", Level: Text}
	switch {
	case old == nil && updated != nil:
		c.add(change, "description was added")
	case old != nil && updated == nil:
		c.add(change, "description was removed")
	case old != nil && *old != *updated:
		c.add(change, "description was reworded")
	}
}
