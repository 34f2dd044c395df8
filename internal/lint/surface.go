package lint

import (
	"encoding/json"
	"fmt"

	"omcbuild/internal/diag"
	"omcbuild/internal/surface"
)

// SurfaceInput is what CheckSurface looks at.
type SurfaceInput struct {
	File    string          // the bundle, named in every finding
	Plugin  string          // name of the plugin; empty when the server is not part of one
	Key     string          // the server's key in .mcp.json
	Version string          // the plugin's version; empty when it is not known
	Surface surface.Surface // what the server listed
}

// CheckSurface applies the surface rules. A surface without tools gives only the
// findings about the server.
func CheckSurface(in SurfaceInput) diag.List {
	o := offer{SurfaceInput: in}
	if in.Plugin != "" {
		o.prefix = surface.ToolPrefix(in.Plugin, in.Key)
	}
	for i, t := range in.Surface.Tools {
		o.tools = append(o.tools, newTool(i, t))
	}
	return apply(&o, in.File, surfaceRules())
}

func surfaceRules() []rule[*offer] {
	return []rule[*offer]{
		serverVersionMissing(), serverVersionUnequal(), instructionsLong(),
		toolShape(), annotationType(), outputShape(),
		nameLength(), nameNearLimit(), nameAlphabet(), nameTwice(), nameCase(),
		rootCombinator(), refUnresolved(), refLoop(), refRecursive(),
		dialectKeyword(), dialectIgnored(), outputDialect(), inputDialect(), metaSchema(),
		propertiesEmpty(), requiredUnknown(), requiredDefault(), parameterDefault(),
		descriptionMissing(), descriptionLong(), parameterDescription(),
		readOnlyDestructive(), secretInText(), hiddenCharacter(),
	}
}

// offer is a surface with its tools made ready for the rules.
type offer struct {
	SurfaceInput
	prefix string // what stands before each tool's name; empty outside a plugin
	tools  []*tool
}

// tool is one listed tool, decoded once.
type tool struct {
	surface.Tool
	label   string                     // its name, or its place in the list when it has none
	members map[string]json.RawMessage // of the listed entry; nil when that is no object
	input   *schema                    // nil when absent or no object
	output  *schema
}

func newTool(index int, t surface.Tool) *tool {
	out := &tool{Tool: t, label: t.Name, input: newSchema("inputSchema", t.InputSchema), output: newSchema("outputSchema", t.OutputSchema)}
	if out.label == "" {
		out.label = fmt.Sprintf("tool %d of the list", index+1)
	}
	if json.Unmarshal(t.Raw, &out.members) != nil {
		out.members = nil
	}
	return out
}

// schemas returns the tool's schemas that are objects.
func (t *tool) schemas() []*schema {
	var out []*schema
	for _, s := range []*schema{t.input, t.output} {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// eachTool makes a rule's function from one that looks at a single tool.
func eachTool(find func(t *tool, report reporter)) func(*offer, reporter) {
	return func(o *offer, report reporter) {
		for _, t := range o.tools {
			find(t, report)
		}
	}
}
