package bundler_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

func TestLocateFindsTheSource(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"src/main.ts":  "import { deep } from \"./deep.js\";\n\nconsole.log(deep());\n",
		"src/deep.ts":  "interface Shape { a: number }\n\nexport function deep(): Shape {\n  throw new Error(\"lost\");\n}\n",
		"package.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, minify := range []bool{false, true} {
		r, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/out.cjs", Sourcemap: true, Minify: minify})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Outputs[0].Contents
		at := bytes.Index(text, []byte("throw "))
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		column := at - bytes.LastIndexByte(text[:at], '\n')
		got, ok := bundler.Locate(r.Outputs[1].Contents, "bridge/out.cjs", diag.Position{Line: line, Column: column})
		if want := (diag.Position{File: "src/deep.ts", Line: 4, Column: 3}); !ok || got != want {
			t.Errorf("minify %v: %v %v, want %v", minify, got, ok, want)
		}
		for _, nowhere := range []int{0, 1, 1_000_000} {
			if got, ok := bundler.Locate(r.Outputs[1].Contents, "bridge/out.cjs", diag.Position{Line: nowhere}); ok {
				t.Errorf("line %d is said to come from %v", nowhere, got)
			}
		}
	}
}

func FuzzLocate(f *testing.F) {
	f.Add([]byte(`{"sources":["../a.ts"],"mappings":";AAAA,CACC;A;gB"}`), 2, 3)
	f.Add([]byte(`{"sources":[],"mappings":"AAgggggggggB"}`), 1, 0)
	f.Fuzz(func(t *testing.T, text []byte, line, column int) {
		if got, ok := bundler.Locate(text, "bridge/out.cjs", diag.Position{Line: line, Column: column}); ok && got.File == "" {
			t.Errorf("a place in no file: %v", got)
		}
	})
}
