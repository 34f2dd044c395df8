package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"omcbuild/bundler"
)

// write makes a project of files by their paths.
func writeProject(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var anatomical = map[string]string{
	"src/main.ts": "// first\nimport { a } from \"./a.js\";\nimport addon from \"addon\";\nimport { join } from \"node:path\"; import { T } from \"dep\"; import { U } from \"./a.js\";\n" +
		"console.log(a, addon, join(\"a\", \"b\"), import.meta.url, await import(\"./late.js\"), 1 as T | U);\n",
	"src/a.ts":                             "export const a = require(\"dep\");\nexport const unused = 1;\n",
	"src/late.ts":                          "import \"@scope/dep\";\nexport const late = 1;\n",
	"node_modules/dep/index.js":            "/*! dep is free */\nmodule.exports = { \"// src/a.ts\": `\n// src/a.ts\n` };\n",
	"node_modules/dep/package.json":        `{ "name": "dep", "version": "1.0.0" }`,
	"node_modules/@scope/dep/i.js":         "console.log(1);\n",
	"node_modules/@scope/dep/package.json": `{ "name": "@scope/dep", "main": "i.js" }`,
}

func TestBytesOfTheGraphAddUp(t *testing.T) {
	root := writeProject(t, anatomical)
	for name, o := range map[string]bundler.Options{
		"plain": {}, "minified": {Minify: true}, "with a source map": {Sourcemap: true},
		"with a header": {Header: bundler.HeaderText, HeaderSource: "globalThis.x = 1"}, "without": {Header: bundler.HeaderNone},
	} {
		o.Root, o.Entry, o.Outfile, o.External, o.Graph = root, "src/main.ts", "out/main.cjs", []string{"addon"}, true
		result, err := bundler.Build(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, m := range result.Graph.Modules {
			sum += m.Kept
		}
		for _, p := range result.Graph.Rest {
			if p.Bytes <= 0 {
				t.Errorf("%s: %s has %d bytes", name, p.Name, p.Bytes)
			}
			sum += p.Bytes
		}
		if total := int64(len(result.Outputs[0].Contents)); sum != total {
			t.Errorf("%s: the parts have %d bytes, the bundle %d", name, sum, total)
		}
	}
}

func TestGraphSaysWhereImportsStand(t *testing.T) {
	root := writeProject(t, anatomical)
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "out/main.cjs", External: []string{"addon"}, Graph: true})
	if err != nil {
		t.Fatal(err)
	}
	g := result.Graph
	if g.Entry != "src/main.ts" {
		t.Errorf("the entry is %q", g.Entry)
	}
	got := map[string]string{}
	for _, m := range g.Modules {
		for _, i := range m.Imports {
			got[g.Place(m.Path, i).String()] = i.Kind + " " + i.Specifier + " " + i.Module + i.External + " " + m.Package
		}
	}
	if n := len(g.Modules[slices.IndexFunc(g.Modules, func(m bundler.Module) bool { return m.Path == g.Entry })].Imports); n != 4 {
		t.Errorf("the entry has %d imports, want 4 without those of types", n)
	}
	for at, want := range map[string]string{
		"src/main.ts:2:19": "import ./a.js src/a.ts ",
		"src/main.ts:3:19": "import addon addon ",
		"src/main.ts:5:69": "dynamic import ./late.js src/late.ts ",
		"src/a.ts:1:26":    "require dep node_modules/dep/index.js ",
		"src/late.ts:1:8":  "import @scope/dep node_modules/@scope/dep/i.js ",
	} {
		if got[at] != want {
			t.Errorf("%s: got %q, want %q (all: %q)", at, got[at], want, got)
		}
	}
}
