package bundler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/bundler"
)

// most is how large a minified server of 50 tools may be, as a part of what esbuild
// alone makes of it.
const most = 0.60

// serverOfFifty writes a server of 50 tools on the SDK, as its authors write it, into a
// new folder. What stands in more comes before the server.
func serverOfFifty(t *testing.T, more string) (root string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("import { McpServer } from \"@modelcontextprotocol/server\";\n" +
		"import { StdioServerTransport } from \"@modelcontextprotocol/server/stdio\";\n" +
		"import { z } from \"zod\";\n" + more +
		"const server = new McpServer({ name: \"fifty\", version: \"1.0.0\" });\n")
	for i := range 50 {
		fmt.Fprintf(&text, `
server.registerTool(
  "tool_%[1]d",
  {
    description: "Returns what number %[1]d knows about a file. Use it after the file was written.",
    inputSchema: z.object({
      path: z.string().min(1).describe("Path of the file, relative to the project"),
      limit: z.number().int().min(1).max(100).default(10).describe("How many entries are returned"),
      kind: z.enum(["all", "new", "old"]).optional(),
      tags: z.array(z.string()).optional(),
    }),
    annotations: { readOnlyHint: true },
  },
  async ({ path, limit, kind, tags }) => ({ content: [{ type: "text", text: `+"`%[1]d ${path} ${limit} ${kind ?? \"all\"} ${tags ?? []}`"+` }] }),
);
`, i)
	}
	text.WriteString("\nserver.connect(new StdioServerTransport());\n")
	root = t.TempDir()
	installed, err := filepath.Abs("../src/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "server.ts"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(installed, filepath.Join(root, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return root
}

// plain is what esbuild alone makes of the server.
func plain(t *testing.T, root string) []byte {
	t.Helper()
	done := api.Build(api.BuildOptions{AbsWorkingDir: root, EntryPoints: []string{"server.ts"}, Bundle: true, Platform: api.PlatformNode, Format: api.FormatCommonJS,
		Target: api.ES2022, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Outfile: "plain.cjs", LogLevel: api.LogLevelSilent})
	if len(done.Errors) > 0 {
		t.Fatal(done.Errors[0].Text)
	}
	return done.OutputFiles[0].Contents
}

func minified(t *testing.T, root string) []byte {
	t.Helper()
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "server.ts", Outfile: "server.cjs", Minify: true})
	if err != nil {
		t.Fatal(err)
	}
	return result.Outputs[0].Contents
}

// answers runs a server from an empty folder, and returns what it lists and what a wrong
// call of its first tool is told.
func answers(t *testing.T, bundle []byte) (tools []any, refusal string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.cjs"), bundle, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "server.cjs")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tool_0","arguments":{"path":1}}}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var answer struct {
			ID     int
			Result struct {
				Tools   []any
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if answer.ID == 1 {
			tools = answer.Result.Tools
		}
		if answer.ID == 2 && len(answer.Result.Content) > 0 {
			refusal = answer.Result.Content[0].Text
		}
	}
	return tools, refusal
}

func TestServersAreSmall(t *testing.T) {
	root := serverOfFifty(t, "")
	ours, theirs := minified(t, root), plain(t, root)
	if share := float64(len(ours)) / float64(len(theirs)); share > most {
		t.Errorf("the bundle has %d bytes and esbuild's %d: %.2f, at most %.2f is allowed", len(ours), len(theirs), share, most)
	}
	tools, refusal := answers(t, ours)
	sameTools, sameRefusal := answers(t, theirs)
	if len(tools) != 50 || fmt.Sprint(tools) != fmt.Sprint(sameTools) {
		t.Errorf("lists %d tools, esbuild's bundle %d: %v", len(tools), len(sameTools), tools)
	}
	if refusal == "" || refusal != sameRefusal {
		t.Errorf("a wrong call is told %q, by esbuild's bundle %q", refusal, sameRefusal)
	}
	if notice := []byte("Copyright(c) 2015 Douglas Christopher Wilson"); !bytes.Contains(ours, notice) {
		t.Error("a licence comment of a package is gone")
	}
}

// A server that speaks another language of zod's keeps it.
func TestSmallServersKeepWhatTheyUse(t *testing.T) {
	ours := minified(t, serverOfFifty(t, "z.config(z.locales.de());\n"))
	if _, refusal := answers(t, ours); !strings.Contains(refusal, "Ungültige Eingabe") {
		t.Errorf("a wrong call is told %q, which is not German", refusal)
	}
}
