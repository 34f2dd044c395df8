package bundler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

func TestElsewhere(t *testing.T) {
	root := t.TempDir()
	manifest := "\ufeff" + `{ "name": "n", "version": "1.2.3", "private": true }`
	if err := os.WriteFile(filepath.Join(root, "package.json"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBuild(Options{Root: root, Entry: "src/a.ts", Define: map[string]string{"process.env.npm_package_name": `"x"`}}, root, &family{})
	for source, want := range map[string]string{
		"f(process.env.npm_package_version)":           `f("1.2.3") note npm-variable`,
		`f(process.env["npm_package_version"])`:        `f("1.2.3") note npm-variable`,
		"f(process.env.npm_package_private)":           "f(process.env.npm_package_private) warning npm-variable",
		"f(env.npm_package_version)":                   "f(env.npm_package_version) warning npm-variable",
		"f(process.env.npm_package_name)":              "f(process.env.npm_package_name)", // define has it
		"process.env.npm_package_version = v":          "process.env.npm_package_version = v",
		"f(process.env.npm_package_version == v)":      `f("1.2.3" == v) note npm-variable`,
		"f('process.env.npm_package_version')":         "f('process.env.npm_package_version')",
		"Bun.serve()":                                  "Bun.serve() warning bun-global",
		"const { file } = Bun; f(globalThis.Bun.env)":  "const { file } = Bun; f(globalThis.Bun.env) warning bun-global warning bun-global",
		"if (typeof Bun !== 'undefined') Bun.serve()":  "if (typeof Bun !== 'undefined') Bun.serve()",
		"if (process.versions.bun) Bun.serve()":        "if (process.versions.bun) Bun.serve()",
		"food.Bun.eat(); type A = { Bun: string }":     "food.Bun.eat(); type A = { Bun: string }",
		"f(import.meta.dir, import.meta.path)":         "f(import.meta.dirname, import.meta.filename)",
		"import.meta.require('x')":                     "import.meta.require('x') warning bun-global",
		"new Worker('./w.js'); fork('x'); spawn('./')": "new Worker('./w.js'); fork('x'); spawn('./') warning relative-program",
	} {
		f, ok := jsscan.Scan(source)
		if !ok {
			t.Fatalf("%s: cannot be scanned", source)
		}
		edits, list := b.elsewhere(filepath.Join(root, "src", "a.ts"), f)
		got := apply(source, edits)
		for _, d := range list {
			got += fmt.Sprintf(" %s %s", d.Level, d.Code)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", source, got, want)
		}
	}
}

func TestNamesInAnotherLetterCase(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/Lib/Thing.ts", "src/lib2/a.json", "src/lib2/A.json"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := newBuild(Options{Root: root}, root, &family{})
	for written, want := range map[string]string{
		"src/lib/thing": "src/Lib/Thing.ts", "src/lib/thing.js": "src/Lib/Thing.ts", "SRC/LIB/THING.TS": "src/Lib/Thing.ts",
		"src/lib": "src/Lib", "src/lib2/a.json": "src/lib2/a.json", "src/gone": "", "../x": "", "src/lib/thing/deeper": "",
	} {
		if got := b.spelled(filepath.Join(root, filepath.FromSlash(written)), ".ts"); got != want {
			t.Errorf("%s: got %q, want %q", written, got, want)
		}
	}
	d := letterCase(diag.Position{File: "a.ts"}, "./x", "src/X.ts")
	if d.Level != diag.Error || !strings.Contains(d.Message, "src/X.ts") {
		t.Errorf("got %v", d)
	}
}
