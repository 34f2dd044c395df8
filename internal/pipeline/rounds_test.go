package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if second := r.Round(t.Context(), []string{word}); second.Diagnostics.HasErrors() || !second.Bundles[0].Changed || second.Kind != RoundQuick {
		t.Errorf("second round: %+v", second)
	}
	if again := r.Round(t.Context(), []string{word}); again.Kind != RoundNothing || again.Bundles[0].Changed {
		t.Errorf("a round without a change: %+v", again)
	}
	save(t, root, "src/word.ts", "export const = 1;\n")
	before, _ := os.ReadFile(filepath.Join(root, "bridge/w.cjs"))
	if broken := r.Round(t.Context(), []string{word}); !broken.Diagnostics.HasErrors() || broken.Bundles[0].Changed {
		t.Errorf("broken round: %+v", broken)
	}
	if after, _ := os.ReadFile(filepath.Join(root, "bridge/w.cjs")); string(after) != string(before) {
		t.Error("the last good bundle did not stay")
	}
	save(t, root, "src/word.ts", "export const word = \"three\";\n")
	if mended := r.Round(t.Context(), []string{word}); mended.Diagnostics.HasErrors() || mended.Kind != RoundQuick {
		t.Errorf("mended round: %+v", mended)
	}
}

// What a round wrote for speed is replaced by what build writes.
func TestSettledBundlesAreThoseOfBuild(t *testing.T) {
	root, r := watchedProject(t)
	bundle := func() string {
		text, err := os.ReadFile(filepath.Join(root, "bridge/w.cjs"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	r.Round(t.Context(), nil)
	word := save(t, root, "src/word.ts", "export const word = \"two\";\n")
	if quick := r.Round(t.Context(), []string{word}); quick.Kind != RoundQuick {
		t.Fatalf("%+v", quick)
	}
	quick := bundle()
	if settled := r.Settle(t.Context()); settled.Diagnostics.HasErrors() || !settled.Bundles[0].Ran {
		t.Fatalf("%+v", settled)
	}
	settled := bundle()
	if quick == settled {
		t.Error("the round wrote the plain bundle, so that this test shows nothing")
	}
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	o := r.o
	o.CacheDir = t.TempDir()
	if err := os.Remove(filepath.Join(root, "bridge/w.cjs")); err != nil {
		t.Fatal(err)
	}
	if built, err := Build(t.Context(), p, o); err != nil || built.Diagnostics.HasErrors() {
		t.Fatal(err, built)
	}
	if bundle() != settled {
		t.Error("what was settled is not what build makes")
	}
	lock, err := os.ReadFile(filepath.Join(root, "bridge/w.tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	save(t, root, "src/word.ts", "export const word = \"four\";\n")
	r.Round(t.Context(), []string{word})
	broken := r.Settle(t.Context())
	if broken.Diagnostics.HasErrors() || len(broken.Changes) == 0 || !strings.Contains(bundle(), "four") {
		t.Errorf("a breaking change: %+v", broken)
	}
	if after, _ := os.ReadFile(filepath.Join(root, "bridge/w.tools.json")); string(after) != string(lock) {
		t.Error("the lock file was written")
	}
}

// What could mend a broken project is watched.
func TestBrokenProjectsAreWatched(t *testing.T) {
	root, r := watchedProject(t)
	r.Round(t.Context(), nil)
	word := save(t, root, "src/word.ts", "export { word } from \"./later/x.js\";\nimport \"absent\";\n")
	if broken := r.Round(t.Context(), []string{word}); !broken.Diagnostics.HasErrors() || broken.Kind != RoundFull {
		t.Fatalf("%+v", broken)
	}
	for _, name := range []string{"src/later", "src/word.ts", "src/main.ts", "node_modules", "src/node_modules/absent", "package.json", "omcbuild.jsonc"} {
		if !r.Watched().Matters(filepath.Join(root, filepath.FromSlash(name))) {
			t.Errorf("%s is not watched", name)
		}
	}
	save(t, root, "node_modules/absent/index.js", "")
	made := save(t, root, "src/later/x.ts", "export const word = \"late\";\nconsole.error(word);\n")
	if mended := r.Round(t.Context(), []string{made}); mended.Diagnostics.HasErrors() || !mended.Bundles[0].Changed {
		t.Errorf("%+v", mended)
	}
	save(t, root, "omcbuild.jsonc", "{")
	if broken := r.Round(t.Context(), []string{filepath.Join(root, "omcbuild.jsonc")}); !broken.Diagnostics.HasErrors() || broken.Kind != RoundOpened {
		t.Errorf("%+v", broken)
	}
	save(t, root, "omcbuild.jsonc", `{"bundles":[{"name":"w","kind":"mcp","entry":"src/main.ts","outfile":"bridge/w.cjs"},{"name":"x","kind":"script","entry":"src/later/x.ts","outfile":"bridge/x.cjs"}]}`)
	mended := r.Round(t.Context(), []string{filepath.Join(root, "omcbuild.jsonc")})
	if mended.Diagnostics.HasErrors() || len(mended.Bundles) != 2 || !mended.Bundles[1].Changed {
		t.Errorf("%+v", mended)
	}
	if settled := r.Settle(t.Context()); settled.Diagnostics.HasErrors() {
		t.Errorf("%+v", settled)
	}
	if settled := r.Settle(t.Context()); settled.Diagnostics.HasErrors() {
		t.Errorf("%+v", settled)
	}
	only := save(t, root, "src/main.ts", server+"\n")
	if round := r.Round(t.Context(), []string{only}); round.Bundles[1].Changed || !round.Bundles[0].Changed {
		t.Errorf("%+v", round)
	}
	if settled := r.Settle(t.Context()); settled.Bundles[1].Changed || !settled.Bundles[0].Changed {
		t.Errorf("%+v", settled)
	}
}

// TestRoundsTryAgain to put a bundle in place once that was not possible: the next time
// anything is done, without another save.
func TestRoundsTryAgain(t *testing.T) {
	root, r := watchedProject(t)
	r.Round(t.Context(), nil)
	r.Settle(t.Context())
	bundle := filepath.Join(root, "bridge", "w.cjs")
	placed := func() string {
		text, err := os.ReadFile(bundle)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	block := func(word string) {
		t.Helper()
		if err := errors.Join(os.Remove(bundle), os.MkdirAll(filepath.Join(bundle, "in the way"), 0o755)); err != nil {
			t.Fatal(err)
		}
		path := save(t, root, "src/word.ts", "export const word = \""+word+"\";\n")
		if out := r.Round(t.Context(), []string{path}); !out.Diagnostics.HasErrors() || out.Bundles[0].Changed {
			t.Errorf("a round that cannot write: %+v", out)
		}
		if out := r.Settle(t.Context()); !out.Diagnostics.HasErrors() {
			t.Errorf("a settling that cannot write: %+v", out)
		}
		if err := os.RemoveAll(bundle); err != nil {
			t.Fatal(err)
		}
	}
	block("settled")
	if out := r.Settle(t.Context()); out.Diagnostics.HasErrors() || !strings.Contains(placed(), "settled") {
		t.Errorf("settled again: %+v", out)
	}
	block("finished")
	if out := r.Finish(t.Context()); out == nil || out.Diagnostics.HasErrors() || !strings.Contains(placed(), "finished") {
		t.Errorf("finished: %+v", out)
	}
}

// TestBrokenSourcesAreNotSettled with an error where the metadata does not look: what was
// settled before is not said again.
func TestBrokenSourcesAreNotSettled(t *testing.T) {
	root, r := watchedProject(t)
	r.Round(t.Context(), nil)
	r.Settle(t.Context())
	path := save(t, root, "src/main.ts", server+"const;\n")
	if out := r.Round(t.Context(), []string{path}); !out.Diagnostics.HasErrors() {
		t.Errorf("round: %+v", out)
	}
	if out := r.Settle(t.Context()); !out.Diagnostics.HasErrors() {
		t.Errorf("settled: %+v", out)
	}
	path = save(t, root, "src/main.ts", server)
	r.Round(t.Context(), []string{path})
	if out := r.Settle(t.Context()); out.Diagnostics.HasErrors() {
		t.Errorf("mended and settled: %+v", out)
	}
}

// TestRoundsGiveUpWhilePreparing when their context ends.
func TestRoundsGiveUpWhilePreparing(t *testing.T) {
	_, r := watchedProject(t)
	r.Round(t.Context(), nil)
	r.waitPrepared(t.Context())
	r.prepared = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := r.Round(ctx, nil); !out.Canceled {
		t.Errorf("%+v", out)
	}
	close(r.prepared)
}

// TestWrongTypesHideNoChange: what is new for the model is the same with them.
func TestWrongTypesHideNoChange(t *testing.T) {
	root, r := watchedProject(t)
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if built, err := Build(t.Context(), p, r.o); err != nil || built.Diagnostics.HasErrors() {
		t.Fatalf("%v %+v", err, built)
	}
	packages, err := filepath.Abs("../../src/node_modules")
	if err == nil {
		err = os.Symlink(packages, filepath.Join(root, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	save(t, root, "tsconfig.json", `{"compilerOptions":{"strict":true,"noEmit":true,"module":"nodenext","types":["node"]},"include":["src"]}`)
	save(t, root, "src/word.ts", "const wrong: number = \"x\";\nexport const word = \"other\" + typeof wrong;\n")
	r.o.Typecheck = true
	r.Round(t.Context(), nil)
	out := r.Settle(t.Context())
	if !out.Diagnostics.HasErrors() || len(out.Changes) == 0 || !out.Bundles[0].Locked {
		t.Errorf("%+v", out)
	}
}
