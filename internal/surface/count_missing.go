package surface

import (
	"fmt"
	"slices"
	"strings"
)

// missing reports tools that the sources have and the bundle does not list, those
// of one family together.
func (c *count) missing(listed int) {
	forgotten := c.forgotten()
	defined := len(c.defined) + len(forgotten)
	for _, tool := range forgotten {
		c.add("tool-unregistered", tool.Name, c.remedy(tool), "lists %d tools, %d are defined; %s (%s) goes nowhere: %s is neither exported nor passed on",
			listed, defined, tool.Name, tool.Position(), tool.Export)
	}
	var unregistered, unlisted []string
	for _, tool := range c.source.Tools {
		_, ok := c.listed[tool.Name]
		switch {
		case c.source.Registry == "" && !ok:
			unlisted = append(unlisted, tool.Name)
		case c.source.Registry != "" && !tool.InAllTools:
			unregistered = append(unregistered, tool.Name)
		}
	}
	for _, names := range c.families(unlisted) {
		c.lack("tool-unlisted", names, "register the tool with the server", "lists %d tools, %d are defined; %s %s not listed", listed, defined)
	}
	for _, names := range c.families(unregistered) {
		c.lack("tool-unregistered", names, fmt.Sprintf("add %s to %s", spread(c.defined[names[0]]), c.source.Registry), "lists %d tools, %d are defined; %s %s not in allTools", listed, defined)
	}
	unlisted = nil
	for _, tool := range c.source.Registered {
		if _, ok := c.listed[tool.Name]; !ok {
			unlisted = append(unlisted, tool.Name)
		}
	}
	for _, names := range c.families(unlisted) {
		c.lack("tool-unlisted", names, "build the bundle again; if that does not help, see what the server leaves out of tools/list",
			"lists %d tools, %d are registered; %s %s in allTools and not listed", listed, len(c.registered))
	}
}

// families puts names together that one export defines, each once, in the order
// of the first of them.
func (c *count) families(names []string) (groups [][]string) {
	place := map[string]int{}
	for _, name := range names {
		tool, ok := c.defined[name]
		key := tool.File + "\x00" + tool.Export
		if !ok {
			key = "\x00\x00" + name
		}
		i, seen := place[key]
		switch {
		case !seen:
			place[key] = len(groups)
			groups = append(groups, []string{name})
		case !slices.Contains(groups[i], name):
			groups[i] = append(groups[i], name)
		}
	}
	return groups
}

// mostNamed is how many tools of a family are named.
const mostNamed = 8

// lack adds what is missing of one family; format has the two numbers, the names
// and the verb.
func (c *count) lack(code string, names []string, hint, format string, listed, all int) {
	if len(names) == 1 {
		c.add(code, names[0], hint, format, listed, all, c.named(names[0]), "is")
		return
	}
	text := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if tool, ok := c.defined[names[0]]; ok {
		text += fmt.Sprintf(" (%s)", tool.Position())
	}
	c.add(code, strings.Join(names, ", "), hint, format, listed, all, text, "are")
}

// forgotten returns the tools that a family file makes and does not hand on, each
// name once, unless there is a tool of that name.
func (c *count) forgotten() (list []SourceTool) {
	for _, tool := range c.source.Hidden {
		_, defined := c.defined[tool.Name]
		_, registered := c.registered[tool.Name]
		_, listed := c.listed[tool.Name]
		if !defined && !registered && !listed && !slices.ContainsFunc(list, func(t SourceTool) bool { return t.Name == tool.Name }) {
			list = append(list, tool)
		}
	}
	return list
}

// remedy says where a forgotten tool belongs: in the array of its file, if it has
// one.
func (c *count) remedy(tool SourceTool) string {
	for _, other := range c.source.Tools {
		if other.File == tool.File && other.Many {
			array := other.Export
			if array == "default" {
				array = "the array that the file exports"
			}
			return fmt.Sprintf("add %s to %s, or remove it", spread(tool), array)
		}
	}
	if c.source.Registry == "" {
		return fmt.Sprintf("export %s and register it with the server, or remove it", tool.Export)
	}
	return fmt.Sprintf("export %s and add %s to %s, or remove it", tool.Export, spread(tool), c.source.Registry)
}
