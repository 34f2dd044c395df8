package surface

import (
	"encoding/json"
	"fmt"
	"strings"

	_ "embed"

	"omcbuild/internal/diag"
)

//go:embed collector.js
var collector string

// Source is what the sources of a server declare, found out independently of the
// server: by importing the family files and the registry.
type Source struct {
	// Tools are the tools defined in family files, in the order of files and exports.
	Tools []SourceTool
	// Hidden are tools that a family file makes, and neither exports nor passes on, in the
	// order of files. Export is the name of what holds them there.
	Hidden []SourceTool
	// Registered are the tools in allTools, in its order, wherever they are defined.
	Registered []RegisteredTool
	// Registry is the file that exports allTools; empty when there is none or it
	// could not be read.
	Registry string
	// Ran are the functions that ran until all of that was known, as they said under
	// MarkName: file → their numbers in it, in order.
	Ran map[string][]int
	// Diagnostics names the files that could not be imported. What they define is
	// missing from the rest.
	Diagnostics diag.List
}

// SourceTool is a tool as a family file defines it.
type SourceTool struct {
	Name       string
	File       string // relative to the root, slash separated
	Line       int    // 1-based line of the tool's name in the file; 0 when it is not written there
	Export     string // the export that holds it
	Many       bool   // that export is an array of tools
	InAllTools bool   // it, or one of its name, is registered
	// Parameters are the declared arguments; nil when the schema does not tell.
	Parameters []Parameter
}

// HiddenPrefix stands before the names of exports that a family file does not have
// by itself: the values it neither exports nor passes on, exported for the
// collector alone.
const HiddenPrefix = "omcbuildHidden_"

// MarkName is the global function of the collector that functions of the sources may
// call when they run, with the file they are in and their number in it.
const MarkName = "omcbuildRan"

// RegisteredTool is a tool as the registry holds it.
type RegisteredTool struct {
	Name       string
	Parameters []Parameter // as in SourceTool
}

// Parameter is one declared argument of a tool.
type Parameter struct {
	Name string `json:"name"`
	// Required is nil when the schema does not tell.
	Required *bool `json:"required"`
}

// Position returns where the tool is defined.
func (t SourceTool) Position() diag.Position { return diag.Position{File: t.File, Line: t.Line} }

// CollectorSource returns a program that imports every family file and the
// registry, each on its own, and prints which tools they declare. The paths are
// relative to the folder the imports are resolved from, slash separated; the
// registry may be empty. The program is an ES module to be bundled, together
// with all it imports, to one file for ReadSource.
func CollectorSource(familyFiles []string, registry string) string {
	var b strings.Builder
	writeImports(&b, "families", familyFiles)
	registries := []string{}
	if registry != "" {
		registries = append(registries, registry)
	}
	writeImports(&b, "registries", registries)
	fmt.Fprintf(&b, "const hiddenPrefix = %s, markName = %s;\n", quote(HiddenPrefix), quote(MarkName))
	b.WriteString(collector)
	return b.String()
}

// writeImports writes a list of [file, function that imports it].
func writeImports(b *strings.Builder, name string, files []string) {
	fmt.Fprintf(b, "const %s = [\n", name)
	for _, file := range files {
		fmt.Fprintf(b, "  [%s, () => import(%s)],\n", quote(file), quote("./"+strings.TrimPrefix(file, "./")))
	}
	b.WriteString("];\n")
}

// collected is the JSON that the collector prints.
type collected struct {
	Files []struct {
		File  string  `json:"file"`
		Error *string `json:"error"`
	} `json:"files"`
	Tools      []collectedTool `json:"tools"`
	Hidden     []collectedTool `json:"hidden"`
	Registered []struct {
		Name       string      `json:"name"`
		Parameters []Parameter `json:"parameters"`
	} `json:"registered"`
	Registry string           `json:"registry"`
	Bare     []string         `json:"bare"` // registries without allTools
	Ran      map[string][]int `json:"ran"`
	Finished bool             `json:"finished"`
}

type collectedTool struct {
	Name       string      `json:"name"`
	File       string      `json:"file"`
	Export     string      `json:"export"`
	Many       bool        `json:"many"`
	Registered bool        `json:"registered"`
	Parameters []Parameter `json:"parameters"`
}

func (t collectedTool) tool() SourceTool {
	return SourceTool{Name: t.Name, File: t.File, Export: t.Export, Many: t.Many, InAllTools: t.Registered, Parameters: t.Parameters}
}

const (
	importMark = "omcbuild-source:import "
	resultMark = "omcbuild-source:result "
)

// parseCollected finds the collector's lines among whatever else the sources
// printed. current is the file whose import began last.
func parseCollected(stdout string) (c collected, current string, ok bool) {
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\r\n")
		if file, found := strings.CutPrefix(line, importMark); found {
			current = file
		}
		if text, found := strings.CutPrefix(line, resultMark); found {
			var next collected
			if json.Unmarshal([]byte(text), &next) == nil {
				c, ok = next, true
			}
		}
	}
	return c, current, ok
}

// source turns what was collected into a Source, without lines.
func (c collected) source() Source {
	s := Source{Registry: c.Registry, Ran: c.Ran}
	for _, tool := range c.Tools {
		s.Tools = append(s.Tools, tool.tool())
	}
	for _, tool := range c.Hidden {
		s.Hidden = append(s.Hidden, tool.tool())
	}
	for _, tool := range c.Registered {
		s.Registered = append(s.Registered, RegisteredTool{Name: tool.Name, Parameters: tool.Parameters})
	}
	for _, file := range c.Files {
		if file.Error != nil {
			s.Diagnostics.Add(unimportable(file.File, *file.Error))
		}
	}
	for _, file := range c.Bare {
		s.Diagnostics.Add(diag.Diagnostic{
			Code: "registry-export", Position: diag.Position{File: file}, Message: "exports no array named allTools, so its tools are not counted",
			Hint: "export the array of all tools from here as allTools, or name another file under registry in omcbuild.jsonc",
		})
	}
	return s
}

func unimportable(file, reason string) diag.Diagnostic {
	hint := "a family file only declares when it is imported; move work into the handlers"
	if name, missing := strings.CutSuffix(reason, " is not defined"); missing && !strings.Contains(name, " ") {
		hint = "import " + name + ", or remove it"
	}
	return diag.Diagnostic{
		Code: "source-import", Position: diag.Position{File: file},
		Message: "cannot be imported, so its tools are not counted: " + strings.TrimSpace(reason),
		Hint:    hint,
	}
}
