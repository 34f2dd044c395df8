package surface

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"omcbuild/internal/diag"
)

// CountDiagnostics holds what the sources declare against what the bundle lists,
// so that a family that nobody registered, or a tool that got lost on the way
// into the bundle, is an error instead of a tool that is quietly not there. The
// findings of the Source itself come first; bundle is the file named in the
// others. Codes: "tool-unregistered", "tool-unlisted", "tool-undeclared",
// "tool-elsewhere", "tool-twice", and those of the parameters.
func CountDiagnostics(source Source, s Surface, bundle string) diag.List {
	c := newCount(source, bundle)
	for _, tool := range s.Tools {
		c.listed[tool.Name] = tool
	}
	c.alone()
	c.missing(len(s.Tools))
	c.surplus(s.Tools)
	for _, tool := range s.Tools {
		c.parameters(tool)
	}
	return c.list
}

// SourceDiagnostics returns what is wrong with the sources by themselves. Of a
// bundle that lists nothing it often is the reason: a server that is given two
// tools of one name does not come to its list.
func SourceDiagnostics(source Source, bundle string) diag.List {
	c := newCount(source, bundle)
	c.alone()
	return c.list
}

func newCount(source Source, bundle string) *count {
	c := &count{source: source, bundle: bundle, listed: map[string]Tool{}, registered: map[string]RegisteredTool{}, defined: map[string]SourceTool{}}
	for _, tool := range source.Registered {
		c.registered[tool.Name] = tool
	}
	for _, tool := range slices.Backward(source.Tools) {
		c.defined[tool.Name] = tool
	}
	return c
}

// alone reports what needs no surface to be seen.
func (c *count) alone() {
	c.list.Add(c.source.Diagnostics...)
	c.twice()
}

// count is one comparison of a source with a surface.
type count struct {
	source     Source
	bundle     string
	listed     map[string]Tool
	registered map[string]RegisteredTool
	defined    map[string]SourceTool // the first definition of each name
	list       diag.List
}

func (c *count) add(code, tool, hint, format string, args ...any) {
	c.list.Add(diag.Diagnostic{
		Code: code, Position: diag.Position{File: c.bundle}, Tool: tool, Hint: hint, Message: fmt.Sprintf(format, args...),
	})
}

// named returns a tool's name with the place that defines it.
func (c *count) named(name string) string {
	if tool, ok := c.defined[name]; ok {
		return fmt.Sprintf("%s (%s)", name, tool.Position())
	}
	return name
}

// twice reports names that are given to more than one tool. Two exports of one
// file with the same name are taken for a tool and its wrapped form.
func (c *count) twice() {
	first, told := map[string]SourceTool{}, map[string]int{}
	for _, tool := range c.source.Tools {
		before, seen := first[tool.Name]
		if !seen {
			first[tool.Name] = tool
			continue
		}
		if before.File != tool.File || before.Export == tool.Export {
			told[tool.Name]++
			places := before.Position().String() + " and " + tool.Position().String()
			if before.Position() == tool.Position() {
				places = "both from " + tool.Position().String()
			}
			c.add("tool-twice", tool.Name, "rename one of them; a client keeps only one tool of a name", "%s is defined twice: %s", tool.Name, places)
		}
	}
	times := map[string]int{}
	for _, tool := range c.source.Registered {
		if times[tool.Name]++; times[tool.Name] == 2+told[tool.Name] {
			c.add("tool-twice", tool.Name, "spread each family once", "%s is in allTools of %s more than once", c.named(tool.Name), c.source.Registry)
		}
	}
}

// spread returns how an export is added to the registry.
func spread(tool SourceTool) string {
	switch {
	case tool.Export == "default" && tool.Many:
		return "...(the default export)"
	case tool.Export == "default":
		return "the default export"
	case tool.Many:
		return "..." + tool.Export
	}
	return tool.Export
}

// surplus reports tools that the bundle lists and the sources do not have. When
// a family could not be imported there is nothing to compare with.
func (c *count) surplus(tools []Tool) {
	if len(c.source.Diagnostics) > 0 {
		return
	}
	for _, tool := range tools {
		_, defined := c.defined[tool.Name]
		_, registered := c.registered[tool.Name]
		switch {
		case registered && !defined:
			c.add("tool-elsewhere", tool.Name, "widen \"families\" in the configuration, so that the tool is counted", "%s is registered, and no family file defines it", tool.Name)
			c.list[len(c.list)-1].Level = diag.Note
		case !registered && c.source.Registry != "":
			c.add("tool-undeclared", tool.Name, "build the bundle again; if that does not help, add the tool to allTools", "lists %s, which is not in allTools of %s", tool.Name, c.source.Registry)
		case !registered && !defined:
			c.add("tool-undeclared", tool.Name, "build the bundle again, or widen \"families\" in the configuration", "lists %s, which no family file defines", tool.Name)
			c.list[len(c.list)-1].Level = diag.Warning
		}
	}
}

// parameters compares the declared arguments of a tool with the listed ones.
func (c *count) parameters(tool Tool) {
	declared := c.registered[tool.Name].Parameters
	if declared == nil {
		declared = c.defined[tool.Name].Parameters
	}
	listed, comparable := listedParameters(tool.InputSchema)
	if declared == nil || !comparable {
		return
	}
	origin := c.source.Registry
	if definition, ok := c.defined[tool.Name]; ok {
		origin = definition.Position().String()
	}
	if len(declared) > 0 && len(listed) == 0 {
		c.add("parameters-lost", tool.Name, "see whether two copies or two major versions of the schema library are in the bundle",
			"%s lists no parameters; %s declares %s", tool.Name, origin, parameterNames(declared))
		return
	}
	for _, parameter := range declared {
		required, ok := listed[parameter.Name]
		switch {
		case !ok:
			c.add("parameter-unlisted", tool.Name, "build the bundle again, or see how the server turns the schema into JSON Schema", "%s does not list %s, which %s declares", tool.Name, parameter.Name, origin)
		case parameter.Required != nil && *parameter.Required != required:
			c.add("parameter-required", tool.Name, "build the bundle again; a parameter with a default is optional for callers, so serve the input form of the schema",
				"%s lists %s as %s; %s declares it %s", tool.Name, parameter.Name, need(required), origin, need(!required))
		}
		delete(listed, parameter.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		c.add("parameter-undeclared", tool.Name, "build the bundle again, or declare the parameter", "%s lists %s, which %s does not declare", tool.Name, name, origin)
	}
}

func need(required bool) string {
	if required {
		return "required"
	}
	return "optional"
}

func parameterNames(parameters []Parameter) string {
	text := ""
	for i, parameter := range parameters {
		if i > 0 {
			text += ", "
		}
		text += parameter.Name
	}
	return text
}

// listedParameters returns the properties of an input schema and whether each is
// required. It reports false when properties may also come from elsewhere.
func listedParameters(schema json.RawMessage) (map[string]bool, bool) {
	var form map[string]json.RawMessage
	if json.Unmarshal(schema, &form) != nil {
		return nil, false
	}
	for _, name := range []string{"$ref", "anyOf", "oneOf", "allOf"} {
		if form[name] != nil {
			return nil, false
		}
	}
	var properties map[string]json.RawMessage
	var required []string
	_ = json.Unmarshal(form["properties"], &properties)
	_ = json.Unmarshal(form["required"], &required)
	listed := map[string]bool{}
	for name := range properties {
		listed[name] = slices.Contains(required, name)
	}
	return listed, true
}
