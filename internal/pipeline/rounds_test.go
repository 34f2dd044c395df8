package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"omcbuild/internal/process"
	"omcbuild/internal/project"
)

const server = `import { word } from "./word.js";
import { createInterface } from "node:readline";
const tool = { name: "say_" + word, description: "Says a word.", inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] } };
createInterface({ input: process.stdin }).on("line", (line) => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  const result = m.method === "initialize" ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1.0.0" } }
    : m.method === "tools/list" ? { tools: [tool] } : m.method === "ping" ? {} : undefined;
  console.log(JSON.stringify(result ? { jsonrpc: "2.0", id: m.id, result } : { jsonrpc: "2.0", id: m.id, error: { code: -32601, message: "no such method" } }));
}).on("close", () => process.exit(0));
`

// watchedProject writes a plugin of one server and returns its root and rounds over it.
func watchedProject(t *testing.T) (string, *Rounds) {
	t.Helper()
	root := t.TempDir()
	save(t, root, "package.json", `{"name":"words","version":"1.0.0","description":"Words.","type":"module"}`)
	save(t, root, "omcbuild.jsonc", `{"bundles":[{"name":"w","kind":"mcp","entry":"src/main.ts","outfile":"bridge/w.cjs"}]}`)
	save(t, root, "src/main.ts", server)
	save(t, root, "src/word.ts", "export const word = \"hello\";\n")
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	o := BuildOptions{Verify: true, ToolVersion: "1", CacheDir: t.TempDir(), Machine: Machine{Node: node, Path: os.Getenv("PATH")}}
	r := NewRounds(func() (*project.Project, error) { return project.Load(root) }, o)
	t.Cleanup(func() { _ = r.Close() })
	return root, r
}

func save(t *testing.T, root, name, text string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoundsFollowTheSources(t *testing.T) {
	root, r := watchedProject(t)
	first := r.Round(t.Context(), nil)
	if first.Kind != RoundFirst || first.Diagnostics.HasErrors() || !first.Bundles[0].Changed {
		t.Fatalf("first round: %+v", first)
	}
	settled := r.Settle(t.Context())
	if settled.Diagnostics.HasErrors() || settled.Bundles[0].Tools != 1 {
		t.Fatalf("settled: %+v", settled)
	}
	lock := filepath.Join(root, "bridge/w.tools.json")
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock file was written")
	}
	if err := os.WriteFile(filepath.Join(root, "bridge/w.cjs"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	word := save(t, root, "src/word.ts", "export const word = \"bye\";\n")
	if w := r.Watched(); !w.Matters(word) || w.Matters(filepath.Join(root, "bridge/w.cjs")) || w.Matters(filepath.Join(root, "src/notes.md")) || !w.Matters(filepath.Join(root, "src/new.ts")) || !slices.Contains(w.Files, word) {
		t.Errorf("watched: %+v", w)
	}
	if second := r.Round(t.Context(), []string{word}); second.Diagnostics.HasErrors() || !second.Bundles[0].Changed {
		t.Errorf("second round: %+v", second)
	}
	save(t, root, "src/word.ts", "export const = 1;\n")
	before, _ := os.ReadFile(filepath.Join(root, "bridge/w.cjs"))
	if broken := r.Round(t.Context(), []string{word}); !broken.Diagnostics.HasErrors() || broken.Bundles[0].Changed {
		t.Errorf("broken round: %+v", broken)
	}
	if after, _ := os.ReadFile(filepath.Join(root, "bridge/w.cjs")); string(after) != string(before) {
		t.Error("the last good bundle did not stay")
	}
}
