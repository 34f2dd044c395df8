package bundler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/bundler"
)

// A bundle one folder deeper or higher than before changes every path to a file beside
// a module. All of them are found, wherever the bundle lies.
func TestFilesAreFoundAtAnyDepth(t *testing.T) {
	for _, fixture := range []string{"assets", "version-ways", "own-manifests", "folder-functions", "workers", "wasm-beside"} {
		archive, err := txtar.ParseFile("testdata/" + fixture + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, f := range archive.Files {
			if f.Name == "want/stdout" {
				want = string(f.Data)
			}
		}
		for _, outfile := range []string{"server.cjs", "bridge/server.cjs", "src/server.cjs", "a/b/c/d/server.cjs"} {
			o := fixtureOptions(t, unpack(t, archive), archive)
			o.Outfile = outfile
			result, err := bundler.Build(context.Background(), o)
			if err != nil {
				t.Errorf("%s to %s: %v", fixture, outfile, err)
				continue
			}
			if got := runAlone(t, result.Outputs); got != want {
				t.Errorf("%s to %s: got\n%swant\n%s", fixture, outfile, got, want)
			}
		}
	}
}

// Megabytes of generated data and code are bundled like anything else.
func TestLargeInputs(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "data.json"), `{"text":"`+strings.Repeat("0123456789", 1<<20)+`"}`)
	var code strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&code, "export const value%d = [import.meta.url.length, \"%d\", /%d/];\n", i, i, i)
	}
	write(t, filepath.Join(root, "table.ts"), code.String())
	write(t, filepath.Join(root, "long.ts"), "export const long = ["+strings.Repeat("1,", 1<<20)+"__dirname.length];")
	write(t, filepath.Join(root, "main.ts"), "import data from './data.json'; import * as table from './table'; import { long } from './long';\n"+
		"console.log(data.text.length, Object.keys(table).length, long.length);")
	result := build(t, bundler.Options{Root: root, Entry: "main.ts", Outfile: "out/server.cjs"})
	if got := runAlone(t, result.Outputs); got != "10485760 50000 1048577\n" {
		t.Errorf("got %q", got)
	}
}
