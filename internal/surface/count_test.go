package surface

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"omcbuild/internal/diag"
)

func listing(tools ...string) Surface {
	s := Surface{}
	for _, tool := range tools {
		name, schema, _ := strings.Cut(tool, " ")
		if schema == "" {
			schema = `{"type":"object","properties":{}}`
		}
		s.Tools = append(s.Tools, Tool{Name: name, InputSchema: json.RawMessage(schema)})
	}
	return s
}

func defined(name, export string, registered bool, parameters ...Parameter) SourceTool {
	return SourceTool{Name: name, File: "src/tools/" + export + ".ts", Line: 4, Export: export, Many: true, InAllTools: registered, Parameters: parameters}
}

func register(tools ...string) (out []RegisteredTool) {
	for _, tool := range tools {
		out = append(out, RegisteredTool{Name: tool})
	}
	return out
}

func TestCountDiagnostics(t *testing.T) {
	yes, no := true, false
	const reg = "src/mcp/tool-registry.ts"
	for _, test := range []struct {
		name    string
		source  Source
		surface Surface
		want    string
	}{
		{"in step", Source{Tools: []SourceTool{defined("a", "x", true)}, Registered: register("a"), Registry: reg}, listing("a"), ""},
		{"family forgotten",
			Source{Tools: []SourceTool{defined("a", "x", true), defined("foo_echo", "fooTools", false)}, Registered: register("a"), Registry: reg}, listing("a"),
			"error bridge/s.cjs: lists 1 tools, 2 are defined; foo_echo (src/tools/fooTools.ts:4) is not in allTools | add ...fooTools to src/mcp/tool-registry.ts"},
		{"forgotten in its file",
			Source{Tools: []SourceTool{defined("a", "x", true)}, Registered: register("a"), Registry: reg,
				Hidden: []SourceTool{{Name: "b", File: "src/tools/x.ts", Line: 9, Export: "b"}, {Name: "c", File: "e.ts", Export: "cs", Many: true}, {Name: "c", File: "f.ts"}, {Name: "a", File: "f.ts"}}}, listing("a"),
			"error bridge/s.cjs: lists 1 tools, 3 are defined; b (src/tools/x.ts:9) goes nowhere: b is neither exported nor passed on | add b to x, or remove it\n" +
				"error bridge/s.cjs: lists 1 tools, 3 are defined; c (e.ts) goes nowhere: cs is neither exported nor passed on | export cs and add ...cs to src/mcp/tool-registry.ts, or remove it"},
		{"forgotten without a registry", Source{Hidden: []SourceTool{{Name: "b", File: "e.ts", Export: "b"}}}, listing(),
			"error bridge/s.cjs: lists 0 tools, 1 are defined; b (e.ts) goes nowhere: b is neither exported nor passed on | export b and register it with the server, or remove it"},
		{"family of two forgotten, and half of another",
			Source{Tools: []SourceTool{defined("a", "x", false), defined("b", "y", true), defined("c", "x", false), defined("d", "y", false)}, Registered: register("b"), Registry: reg}, listing("b"),
			"error bridge/s.cjs: lists 1 tools, 4 are defined; a, c (src/tools/x.ts:4) are not in allTools | add ...x to src/mcp/tool-registry.ts\n" +
				"error bridge/s.cjs: lists 1 tools, 4 are defined; d (src/tools/y.ts:4) is not in allTools | add ...y to src/mcp/tool-registry.ts"},
		{"family registered and not listed",
			Source{Tools: []SourceTool{defined("a", "x", true), defined("b", "x", true)}, Registered: register("a", "b"), Registry: reg}, listing(),
			"error bridge/s.cjs: lists 0 tools, 2 are registered; a, b (src/tools/x.ts:4) are in allTools and not listed | build the bundle again; if that does not help, see what the server leaves out of tools/list"},
		{"single export forgotten",
			Source{Tools: []SourceTool{{Name: "e", File: "e.ts", Export: "echo"}}, Registry: reg}, listing(),
			"error bridge/s.cjs: lists 0 tools, 1 are defined; e (e.ts) is not in allTools | add echo to src/mcp/tool-registry.ts"},
		{"default export forgotten",
			Source{Tools: []SourceTool{{Name: "e", File: "e.ts", Export: "default", Many: true}}, Registry: reg}, listing(),
			"error bridge/s.cjs: lists 0 tools, 1 are defined; e (e.ts) is not in allTools | add ...(the default export) to src/mcp/tool-registry.ts"},
		{"registered and not listed",
			Source{Tools: []SourceTool{defined("a", "x", true)}, Registered: register("a"), Registry: reg}, listing(),
			"error bridge/s.cjs: lists 0 tools, 1 are registered; a (src/tools/x.ts:4) is in allTools and not listed | build the bundle again; if that does not help, see what the server leaves out of tools/list"},
		{"listed and not registered", Source{Registry: reg}, listing("a"),
			"error bridge/s.cjs: lists a, which is not in allTools of src/mcp/tool-registry.ts | build the bundle again; if that does not help, add the tool to allTools"},
		{"registered from elsewhere", Source{Registered: register("a"), Registry: reg}, listing("a"),
			`note bridge/s.cjs: a is registered, and no family file defines it | widen "families" in the configuration, so that the tool is counted`},
		{"no registry", Source{Tools: []SourceTool{defined("a", "x", false)}}, listing("b"),
			"error bridge/s.cjs: lists 1 tools, 1 are defined; a (src/tools/x.ts:4) is not listed | register the tool with the server\n" +
				`warning bridge/s.cjs: lists b, which no family file defines | build the bundle again, or widen "families" in the configuration`},
		{"defined twice", Source{Tools: []SourceTool{defined("a", "x", true), defined("a", "y", true)}, Registered: register("a", "a", "a"), Registry: reg}, listing("a"),
			"error bridge/s.cjs: a is defined twice: src/tools/x.ts:4 and src/tools/y.ts:4 | rename one of them; a client keeps only one tool of a name\n" +
				"error bridge/s.cjs: a (src/tools/x.ts:4) is in allTools of src/mcp/tool-registry.ts more than once | spread each family once"},
		{"wrapped in its own file",
			Source{Tools: []SourceTool{{Name: "a", File: "a.ts", Export: "a", InAllTools: true}, {Name: "a", File: "a.ts", Export: "wrapped", InAllTools: true}}, Registered: register("a"), Registry: reg},
			listing("a"), ""},
		{"family not imported", Source{Diagnostics: diag.List{unimportable("f.ts", "boom")}, Registry: reg}, listing("a"),
			"error f.ts: cannot be imported, so its tools are not counted: boom | a family file only declares when it is imported; move work into the handlers"},
		{"family not imported by the registry", Source{Diagnostics: diag.List{unimportable(reg, "xTools is not defined")}}, listing(),
			"error src/mcp/tool-registry.ts: cannot be imported, so its tools are not counted: xTools is not defined | import xTools, or remove it"},
		{"parameters lost", Source{Tools: []SourceTool{defined("a", "x", true, Parameter{"p", &yes}, Parameter{"q", nil})}, Registered: register("a"), Registry: reg}, listing("a"),
			"error bridge/s.cjs: a lists no parameters; src/tools/x.ts:4 declares p, q | see whether two copies or two major versions of the schema library are in the bundle"},
		{"parameters differ",
			Source{Tools: []SourceTool{defined("a", "x", true, Parameter{"p", &no}, Parameter{"q", nil}, Parameter{"r", &yes})}, Registered: register("a"), Registry: reg},
			listing(`a {"type":"object","properties":{"p":{},"q":{},"s":{}},"required":["p","q"]}`),
			"error bridge/s.cjs: a lists p as required; src/tools/x.ts:4 declares it optional | build the bundle again; a parameter with a default is optional for callers, so serve the input form of the schema\n" +
				"error bridge/s.cjs: a does not list r, which src/tools/x.ts:4 declares | build the bundle again, or see how the server turns the schema into JSON Schema\n" +
				"error bridge/s.cjs: a lists s, which src/tools/x.ts:4 does not declare | build the bundle again, or declare the parameter"},
		{"parameters that cannot be told", Source{Tools: []SourceTool{defined("a", "x", true, Parameter{"p", &yes})}, Registered: register("a"), Registry: reg}, listing(`a {"$ref":"#/$defs/a"}`), ""},
		{"declared in the registry only", Source{Registered: []RegisteredTool{{"a", []Parameter{{"p", &yes}}}}, Registry: reg, Tools: []SourceTool{{Name: "a", File: "x.ts", InAllTools: true}}}, listing("a"),
			"error bridge/s.cjs: a lists no parameters; x.ts declares p | see whether two copies or two major versions of the schema library are in the bundle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines []string
			for _, d := range CountDiagnostics(test.source, test.surface, "bridge/s.cjs") {
				lines = append(lines, fmt.Sprintf("%s %s | %s", d.Level, d, d.Hint))
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
