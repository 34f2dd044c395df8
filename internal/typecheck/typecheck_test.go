package typecheck_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return typecheck.Options{Root: root, Entry: "src/mcp/server.ts", Node: node, Env: []string{"PATH=/usr/bin:/bin"}}
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
	o.Top, o.Root, o.Entry = o.Root, filepath.Join(o.Root, "src", "mcp"), "server.ts"
	list, err := typecheck.Check(t.Context(), o)
	if err != nil || len(list) != 1 || list[0].File != "server.ts" {
		t.Errorf("list %v, err %v", list, err)
	}
	o.Top = ""
	if _, err := typecheck.Check(t.Context(), o); err == nil {
		t.Error("a compiler above the project was used unasked")
	}
}
