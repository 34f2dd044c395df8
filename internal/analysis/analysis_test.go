package analysis_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/analysis"
)

// What is said of files is what esbuild's own report says, and all of it adds up.
func TestBytesAddUp(t *testing.T) {
	b, result, _ := describe(t, files())
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct {
				BytesInOutput int64 `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal(result.Metafile, &meta); err != nil {
		t.Fatal(err)
	}
	counted := meta.Outputs["out/main.cjs"].Inputs
	var byFile, byPackage, byLicense int64
	for _, f := range b.Files {
		if counted[f.Path].BytesInOutput != f.Bytes {
			t.Errorf("%s: %d bytes, and esbuild counts %d", f.Path, f.Bytes, counted[f.Path].BytesInOutput)
		}
		byFile += f.Bytes
	}
	for _, p := range b.Packages {
		byPackage += p.Bytes
	}
	for _, l := range b.Licenses {
		byLicense += l.Bytes
	}
	if want := b.Bytes - b.RestBytes(); byFile != want || byPackage != want || byLicense != want || b.Bytes != int64(len(result.Outputs[0].Contents)) {
		t.Errorf("files %d, packages %d, licences %d; want %d", byFile, byPackage, byLicense, want)
	}
	if len(b.Files)+b.Unused != b.Inputs || b.Unused != 1 {
		t.Errorf("%d files, %d unused, %d inputs", len(b.Files), b.Unused, b.Inputs)
	}
}

func TestDuplicatesNameTheirImporters(t *testing.T) {
	b, _, _ := describe(t, files())
	if len(b.Duplicates) != 1 {
		t.Fatalf("got %+v", b.Duplicates)
	}
	d := b.Duplicates[0]
	got := []string{}
	for _, c := range d.Copies {
		for _, p := range c.Importers {
			got = append(got, c.Folder+" "+c.Version+" by "+p.File+" "+p.Kind)
		}
	}
	want := []string{"node_modules/dep/node_modules/zod 3.0.0 by node_modules/dep/index.js require", "node_modules/zod 4.0.0 by src/main.js dynamic import"}
	slices.Sort(got)
	if !slices.Equal(got, want) || !d.Majors || d.Extra >= d.Bytes {
		t.Errorf("got %q, majors %v, extra %d of %d", got, d.Majors, d.Extra, d.Bytes)
	}
}

func TestWhy(t *testing.T) {
	b, _, _ := describe(t, files())
	for asked, want := range map[string]string{
		"zod":                 "src/main.js>node_modules/zod/index.js | src/main.js>node_modules/dep/index.js>node_modules/dep/node_modules/zod/index.js",
		"node_modules/zod":    "src/main.js>node_modules/zod/index.js",
		"dep/lib":             "src/main.js>node_modules/dep/index.js>node_modules/dep/lib/a.js",
		"lib/a.js":            "src/main.js>node_modules/dep/index.js>node_modules/dep/lib/a.js",
		"./src/deep/er/":      "src/main.js>src/deep/er/a.js | src/main.js>src/deep/er/b.js",
		`src\deep\er\b.js`:    "src/main.js>src/deep/er/b.js",
		"src/main.js":         "",
		"__proto__":           "none",
		"constructor.js":      "src/main.js>src/__proto__/constructor.js",
		"a.js":                "src/main.js>src/deep/er/a.js | src/main.js>node_modules/dep/index.js>node_modules/dep/lib/a.js",
		"ib/a.js":             "none",
		"":                    "none",
		"../../../etc/passwd": "none",
	} {
		got := "none"
		if w := b.Why(asked, 10); w != nil {
			got = ways(w)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", asked, got, want)
		}
	}
	if w := b.Why("zod", 1); len(w.Chains) != 1 || w.More != 1 {
		t.Errorf("got %d chains and %d more", len(w.Chains), w.More)
	}
}

func ways(w *analysis.Ways) string {
	var lines []string
	for _, chain := range w.Chains {
		way := []string{chain[0].File}
		for _, step := range chain {
			way = append(way, step.Imports)
		}
		lines = append(lines, strings.Join(way, ">"))
	}
	return strings.Join(lines, " | ")
}

func TestLicences(t *testing.T) {
	for manifest, want := range map[string]string{
		`{"license":"MIT"}`:                                       "MIT permissive",
		`{"license":" MIT "}`:                                     "MIT permissive",
		`{"license":{"type":"Apache 2.0"}}`:                       "Apache-2.0 permissive",
		`{"licenses":[{"type":"MIT"},{"type":"GPL-2.0"}]}`:        "MIT OR GPL-2.0 permissive",
		`{"license":"(MIT OR GPL-3.0-or-later)"}`:                 "(MIT OR GPL-3.0-or-later) permissive",
		`{"license":"MIT AND GPL-3.0-only"}`:                      "MIT AND GPL-3.0-only copyleft",
		`{"license":"MPL-2.0"}`:                                   "MPL-2.0 copyleft",
		`{"license":"LGPL-2.1-or-later"}`:                         "LGPL-2.1-or-later copyleft",
		`{"license":"GPL-2.0-only WITH Classpath-exception-2.0"}`: "GPL-2.0-only WITH Classpath-exception-2.0 copyleft",
		`{"license":"BUSL-1.1"}`:                                  "BUSL-1.1 other",
		`{"license":"SEE LICENSE IN TERMS.md"}`:                   "SEE LICENSE IN TERMS.md unknown",
		`{"license":"UNLICENSED"}`:                                "UNLICENSED unknown",
		`{"license":42}`:                                          "not declared unknown",
		`{"license":[["MIT"]]}`:                                   "not declared unknown",
		`{}`:                                                      "not declared unknown",
		`{"license":"` + strings.Repeat("(MIT OR ISC) AND ", 20) + `MIT"}`: "(MIT OR ISC) AND (MIT OR ISC) AND (MIT OR ISC) AND (MIT OR … unknown",
	} {
		project := files()
		project["node_modules/dep/package.json"] = manifest
		b, _, list := describe(t, project)
		i := slices.IndexFunc(b.Packages, func(p analysis.Package) bool { return p.Folder == "node_modules/dep" })
		l := b.Packages[i].License
		if got := l.Label() + " " + string(l.Class); got != want || l.File != "LICENSE" {
			t.Errorf("%s: got %q, %q; want %q", manifest, got, l.File, want)
		}
		warned := false
		for _, d := range list {
			warned = warned || d.File == "node_modules/dep/package.json"
		}
		if warned != (l.Class == analysis.Copyleft || l.Class == analysis.Unknown) {
			t.Errorf("%s: %q", manifest, list)
		}
	}
}

// A folder that is linked into the project is a package of its own, whose licence is the
// business of its owner.
func TestLinkedFolderIsAPackage(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"src/main.js":               `import "lib";`,
		"packages/lib/index.js":     `console.log("lib");`,
		"packages/lib/package.json": `{ "name": "lib", "version": "0.0.1", "license": "GPL-3.0-only" }`,
		"node_modules/.keep":        "",
	})
	if err := os.Symlink("../packages/lib", filepath.Join(root, "node_modules", "lib")); err != nil {
		t.Fatal(err)
	}
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "src/main.js", Outfile: "out/main.cjs", Graph: true})
	if err != nil {
		t.Fatal(err)
	}
	b, list := analysis.Describe(analysis.Source{Name: "shop", Root: root, Result: result})
	if p := b.Packages[0]; p.Name != "lib" || p.Folder != "packages/lib" || p.Version != "0.0.1" || p.License.Class != analysis.Copyleft || len(list) > 0 {
		t.Errorf("got %+v and %q", p, list)
	}
	if w := b.Why("lib", 5); w == nil || ways(w) != "src/main.js>packages/lib/index.js" {
		t.Errorf("got %+v", w)
	}
}
