package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/internal/project"
)

// watchedNode replaces node by a program that notes each start in a file, and returns
// what counts the collectors among them.
func watchedNode(t *testing.T, o *BuildOptions) func() int {
	t.Helper()
	dir := t.TempDir()
	node, log := filepath.Join(dir, "node"), filepath.Join(dir, "starts")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >> '%s'\nexec '%s' \"$@\"\n", log, o.Machine.Node)
	if err := os.WriteFile(node, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	o.Machine.Node = node
	return func() int {
		starts, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(starts), "collector.cjs")
	}
}

func replace(t *testing.T, root, file, old, new string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q (%v)", file, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// built builds and returns the codes of what was found wrong.
func built(t *testing.T, root string, o BuildOptions) []string {
	t.Helper()
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Build(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, d := range result.Diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}

const strayTool = `export const stray = { name: "stray_tool", description: "Returns nothing.", inputSchema: inputs({}), annotations: reads, handler: () => "" };
`

// What the sources declare is kept, and found out anew when anything changed that may
// have a say in it.
func TestWhatTheSourcesDeclareIsKeptWhileItIsTrue(t *testing.T) {
	root, o := fixture(t)
	collectors := watchedNode(t, &o)
	runs := 0
	for _, c := range []struct {
		what      string
		change    func()
		collected bool
		found     string
	}{
		{"the first build", func() {}, true, ""},
		{"nothing", func() {}, false, ""},
		{"the entry", func() { replace(t, root, "src/mcp/standalone-server.ts", "createInterface({", "\n\ncreateInterface({") }, false, ""},
		{"a family", func() { replace(t, root, "src/tools/word-tools.ts", "export const", strayTool+"export const") }, true, "tool-unregistered"},
		{"nothing but what is wrong", func() {}, false, "tool-unregistered"},
		{"the family again", func() { replace(t, root, "src/tools/word-tools.ts", strayTool, "") }, true, ""},
		{"the registry", func() { replace(t, root, "src/mcp/tool-registry.ts", "  ...wordTools,\n", "") }, true, "tool-unregistered"},
		{"the registry again", func() {
			replace(t, root, "src/mcp/tool-registry.ts", "  ...greetTools,\n", "  ...greetTools,\n  ...wordTools,\n")
		}, true, ""},
		{"what families import", func() { replace(t, root, "src/tools/schema.ts", "field(json, false)", "field({ ...json }, false)") }, true, ""},
		{"a handler, to have braces", func() {
			replace(t, root, "src/tools/word-tools.ts", "handler: (args) => String", "handler: (args) => { return String")
			replace(t, root, "src/tools/word-tools.ts", ".length),\n", ".length); },\n")
		}, true, ""},
		{"the inside of the handler", func() {
			replace(t, root, "src/tools/word-tools.ts", "{ return String", "{\n  const unused = [{ name: \"none\" }];\n  return String")
		}, false, ""},
		{"the inside again, and nothing new beside it", func() { replace(t, root, "src/tools/word-tools.ts", "\"none\"", "\"}); (\"") }, false, ""},
		{"a tool beside what is inside", func() {
			replace(t, root, "src/tools/word-tools.ts", "  const unused", "  return \"\"; } }, { name: \"second\", description: \"Second.\", inputSchema: inputs({}), annotations: reads, handler: (args) => {\n  const unused")
		}, true, ""},
		{"that tool again", func() {
			replace(t, root, "src/tools/word-tools.ts", "  return \"\"; } }, { name: \"second\", description: \"Second.\", inputSchema: inputs({}), annotations: reads, handler: (args) => {\n", "")
			o.Update = true
		}, true, "version-unraised"},
		{"a function that runs at import", func() {
			o.Update = false
			replace(t, root, "src/tools/schema.ts", "  return {\n    type: \"object\"", "  const type = \"object\";\n  return {\n    type")
		}, true, ""},
		{"the environment", func() { o.Env = map[string]string{"MODE": "other"} }, true, ""},
		{"a new family", func() {
			text := "import { inputs, reads } from \"./schema.js\";\n" + strayTool
			if err := os.WriteFile(filepath.Join(root, "src/tools/new-tools.ts"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}, true, "tool-unregistered"},
		{"the version of the tool", func() { o.ToolVersion = "other" }, true, "tool-unregistered"},
		{"a frozen build", func() { o.Frozen = true }, true, "tool-unregistered"},
	} {
		c.change()
		codes := built(t, root, o)
		if c.found == "" && len(codes) > 0 || c.found != "" && !slices.Contains(codes, c.found) {
			t.Errorf("%s: found %q, want %q", c.what, codes, c.found)
		}
		before := runs
		runs = collectors()
		if (runs > before) != c.collected {
			t.Errorf("%s: collectors were run %d times, want it %v", c.what, runs-before, c.collected)
		}
	}
}

// A family that cannot be imported is no knowledge, and is said again each time.
func TestSourcesWithFindingsAreReadAgain(t *testing.T) {
	root, o := fixture(t)
	collectors := watchedNode(t, &o)
	replace(t, root, "src/tools/word-tools.ts", "export const", "if (process.argv[1]?.includes(\"collector\")) throw new Error(\"not today\");\nexport const")
	for runs := 2; runs <= 4; runs += 2 { // once more with the sources as they are, in case that helps
		if codes := built(t, root, o); !slices.Contains(codes, "source-import") {
			t.Errorf("found %q, want source-import", codes)
		}
		if got := collectors(); got != runs {
			t.Errorf("collectors were run %d times, want %d", got, runs)
		}
	}
}

// Lines move with what stands above them, also where nothing was collected anew.
func TestKeptToolsAreFoundOnTheirLines(t *testing.T) {
	root, o := fixture(t)
	collectors := watchedNode(t, &o)
	replace(t, root, "src/tools/word-tools.ts", "handler: (args) => String(String(args[\"text\"]).split(/\\s+/).filter(Boolean).length),\n  },\n",
		"handler: () => {\n return \"\"; },\n  },\n  { name: \"count_lines\", description: \"Counts.\", inputSchema: inputs({}), annotations: reads, handler: () => \"\" },\n")
	replace(t, root, "src/mcp/tool-registry.ts", "  ...wordTools,\n", "  wordTools[0]!,\n")
	line := func() int {
		p, err := project.Load(root)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Build(t.Context(), p, o)
		if err != nil || len(result.Diagnostics) != 1 {
			t.Fatalf("found %v, err %v", result.Diagnostics, err)
		}
		var file string
		var line int
		if _, err := fmt.Sscanf(result.Diagnostics[0].Message[strings.Index(result.Diagnostics[0].Message, "(")+1:], "%23s:%d", &file, &line); err != nil {
			t.Fatalf("%s: %v", result.Diagnostics[0].Message, err)
		}
		return line
	}
	before := line()
	replace(t, root, "src/tools/word-tools.ts", " return \"\"; },", "\n\n return \"\"; },")
	if after := line(); after != before+2 || collectors() != 1 {
		t.Errorf("line %d became %d, collected %d times", before, after, collectors())
	}
}
