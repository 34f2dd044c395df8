package typecheck_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/typecheck"
)

// projectWith writes a project whose compiler is a script of the test's own:
// what counts here is how its words are read.
func projectWith(t *testing.T, compiler string) typecheck.Options {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{"src/tsconfig.json": "{}", "src/mcp/server.ts": ""}
	if compiler != "" {
		files["src/node_modules/typescript/bin/tsc"] = compiler
	}
	write(t, root, files, 0o644)
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return typecheck.Options{Root: root, Entries: []string{"src/mcp/server.ts"}, Node: node, Env: []string{"PATH=/usr/bin:/bin"}}
}

func write(t *testing.T, root string, files map[string]string, mode os.FileMode) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrorsGetTheirPlaceInTheProject(t *testing.T) {
	o := projectWith(t, `console.log("mcp/server.ts(3,7): error TS2322: Type 'string' is not assignable.\n  The target is 'number'.\nerror TS5023: Unknown option.");process.exit(2)`)
	list, err := typecheck.Check(t.Context(), o)
	if err != nil || len(list) != 2 {
		t.Fatalf("list %v, err %v", list, err)
	}
	want := diag.Diagnostic{Code: "TS2322", Message: "Type 'string' is not assignable.; The target is 'number'.", Position: diag.Position{File: "src/mcp/server.ts", Line: 3, Column: 7}}
	if list[0] != want || list[1].Code != "TS5023" {
		t.Errorf("got %+v", list)
	}
}

func TestACompilerThatDiesIsNotSuccess(t *testing.T) {
	list, err := typecheck.Check(t.Context(), projectWith(t, `console.error("out of memory");process.exit(134)`))
	if err != nil || !list.HasErrors() || list[0].File != "src/tsconfig.json" {
		t.Errorf("list %v, err %v", list, err)
	}
}

func TestCleanProjectHasNoDiagnostics(t *testing.T) {
	list, err := typecheck.Check(t.Context(), projectWith(t, `process.exit(process.argv.includes("--noEmit") ? 0 : 1)`))
	if err != nil || len(list) != 0 {
		t.Errorf("list %v, err %v", list, err)
	}
}

func TestMissingCompilerIsNamed(t *testing.T) {
	_, err := typecheck.Check(t.Context(), projectWith(t, ""))
	var failure *diag.Failure
	if !errors.As(err, &failure) || failure.Diagnostics[0].File != "src/mcp/server.ts" || failure.Diagnostics[0].Hint == "" {
		t.Errorf("got %v", err)
	}
}

// A workspace installs the compiler above its packages.
func TestCompilerAboveTheProject(t *testing.T) {
	o := projectWith(t, `console.log("mcp/server.ts(1,1): error TS1: No.");process.exit(2)`)
	o.Top, o.Root, o.Entries = o.Root, filepath.Join(o.Root, "src", "mcp"), []string{"server.ts"}
	list, err := typecheck.Check(t.Context(), o)
	if err != nil || len(list) != 1 || list[0].File != "server.ts" {
		t.Errorf("list %v, err %v", list, err)
	}
	o.Top = ""
	if _, err := typecheck.Check(t.Context(), o); err == nil {
		t.Error("a compiler above the project was used unasked")
	}
}

// One run is enough for all entries of a tsconfig.json; each other one gets its own.
func TestTheCompilerRunsOnceForEachConfiguration(t *testing.T) {
	o := projectWith(t, `const fs = require("node:fs"); fs.appendFileSync(process.argv[1].split("/src/")[0] + "/runs", process.argv.join(" ") + "\n")`)
	write(t, o.Root, map[string]string{"src/mcp/other.ts": "", "src/lib/tsconfig.json": "{}", "src/lib/third.ts": "", "src/mcp/tsconfig.json": "{}"}, 0o644)
	o.Entries = []string{"src/mcp/server.ts", "src/mcp/other.ts", "src/lib/third.ts", "src/mcp/server.ts"}
	o.CacheDir = t.TempDir()
	if list, err := typecheck.Check(t.Context(), o); err != nil || len(list) > 0 {
		t.Fatalf("list %v, err %v", list, err)
	}
	runs, err := os.ReadFile(filepath.Join(o.Root, "runs"))
	lines := strings.Split(strings.TrimSpace(string(runs)), "\n")
	if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "src/mcp/tsconfig.json") || !strings.Contains(lines[1], "src/lib/tsconfig.json") {
		t.Fatalf("runs %q, err %v", lines, err)
	}
	kept := map[string]bool{}
	for _, line := range lines {
		words := strings.Fields(line)
		at := slices.Index(words, "--tsBuildInfoFile")
		if at < 0 || filepath.Dir(words[at+1]) != o.CacheDir {
			t.Fatalf("what is kept does not go to the cache: %s", line)
		}
		kept[words[at+1]] = true
	}
	if len(kept) != 2 {
		t.Errorf("two configurations share %v", kept)
	}
}

// The compiler of our own workspace, incremental: what it keeps lies in the cache, and
// an error in a file that changed is found.
func TestTheNativeCompilerOfTheWorkspace(t *testing.T) {
	modules, err := filepath.Abs("../../src/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	o := projectWith(t, "")
	write(t, o.Root, map[string]string{
		"src/tsconfig.json": `{"compilerOptions":{"strict":true,"noEmit":true,"types":[],"lib":["es2020"],"target":"es2020"}}`,
		"src/mcp/server.ts": "import { one } from \"./one\";\nexport const two: number = one;\n", "src/mcp/one.ts": "export const one = 1;\n",
	}, 0o644)
	if err := os.Symlink(modules, filepath.Join(o.Root, "src", "node_modules")); err != nil {
		t.Fatal(err)
	}
	o.CacheDir, o.Node = t.TempDir(), "/no/node/is/needed"
	check := func() diag.List {
		list, err := typecheck.Check(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if list := check(); len(list) > 0 {
		t.Fatalf("found %v", list)
	}
	write(t, o.Root, map[string]string{"src/mcp/one.ts": "export const one = \"one\";\n"}, 0o644)
	for range 2 { // the second time it is remembered
		if list := check(); len(list) != 1 || list[0].Code != "TS2322" || list[0].File != "src/mcp/server.ts" || list[0].Line != 2 {
			t.Fatalf("found %v", list)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(o.CacheDir, "tsc-*.tsbuildinfo"))
	stray, _ := filepath.Glob(filepath.Join(o.Root, "src", "*"))
	if len(kept) != 1 || len(stray) != 3 {
		t.Errorf("kept %v, the project holds %v", kept, stray)
	}
	write(t, o.Root, map[string]string{"src/mcp/one.ts": "export const one = 1;\n"}, 0o644)
	if list := check(); len(list) > 0 {
		t.Errorf("found %v", list)
	}
}

func TestTheEndOfTheContextKillsTheCompiler(t *testing.T) {
	o := projectWith(t, `require("node:fs").writeFileSync("started", String(process.pid)); setInterval(() => {}, 1000)`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := typecheck.Check(ctx, o)
		ended <- err
	}()
	started := filepath.Join(o.Root, "src", "started")
	var pid int
	for deadline := time.Now().Add(2 * time.Minute); pid == 0; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(started)
		pid, _ = strconv.Atoi(string(text))
		if time.Now().After(deadline) {
			t.Fatal("the compiler did not start in two minutes")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
		t.Error("the compiler is still there")
	}
}
