package bundler_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

//go:embed testdata/mixed.project
var mixedProject []byte

// mixed unpacks the project of testdata that has something of everything.
func mixed(t *testing.T) (root string, o bundler.Options) {
	t.Helper()
	root = unpack(t, txtar.Parse(mixedProject))
	return root, bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/server.cjs", External: []string{"helper"}, ToolVersion: "1"}
}

func build(t *testing.T, o bundler.Options) *bundler.Result {
	t.Helper()
	result, err := bundler.Build(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// The same project gives the same bytes wherever it lies, also through a link, and
// whatever the working directory is.
func TestBytesDependOnContentsAlone(t *testing.T) {
	for _, variant := range []bundler.Options{{}, {Minify: true}, {Sourcemap: true, Metafile: true}} {
		var first *bundler.Result
		for i := range 4 {
			root, o := mixed(t)
			o.Minify, o.Sourcemap, o.Metafile = variant.Minify, variant.Sourcemap, variant.Metafile
			switch i {
			case 1:
				t.Chdir(root)
			case 2:
				t.Chdir(t.TempDir())
			case 3:
				link := filepath.Join(t.TempDir(), "link")
				if err := os.Symlink(root, link); err != nil {
					t.Fatal(err)
				}
				o.Root = link
			}
			result := build(t, o)
			if first == nil {
				first = result
				continue
			}
			for n, out := range result.Outputs {
				if !bytes.Equal(out.Contents, first.Outputs[n].Contents) || out.Path != first.Outputs[n].Path {
					t.Errorf("%+v: output %d differs in place %d", variant, n, i)
				}
			}
			if !bytes.Equal(result.Metafile, first.Metafile) {
				t.Errorf("%+v: metafile differs in place %d", variant, i)
			}
			stamps := [2][]byte{}
			stamps[0], _ = json.Marshal(first.Stamp)
			stamps[1], _ = json.Marshal(result.Stamp)
			if !bytes.Equal(stamps[0], stamps[1]) {
				t.Errorf("%+v: stamp differs in place %d", variant, i)
			}
		}
	}
}

func TestResultTellsWhatWentIn(t *testing.T) {
	_, o := mixed(t)
	o.Metafile = true
	result := build(t, o)
	var lines []string
	for _, in := range result.Inputs {
		if in.Bytes == 0 {
			t.Errorf("%s has no size", in.Path)
		}
		lines = append(lines, in.Path+" "+in.Package)
	}
	want := "node_modules/zod/external.js zod,node_modules/zod/index.js zod,src/greet.ts ,src/main.ts ,src/query.sql "
	if got := strings.Join(lines, ","); got != want {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(result.Externals, ","); got != "helper" {
		t.Errorf("externals: %s", got)
	}
	if got := strings.Join(result.Saved.Zod, ","); got != "src/main.ts" {
		t.Errorf("lean: %s", got)
	}
	text := string(result.Outputs[0].Contents)
	if strings.Contains(text, "a language nobody speaks") {
		t.Error("all of zod is in the bundle")
	}
	o.AsWritten = true
	if plain := build(t, o); !strings.Contains(string(plain.Outputs[0].Contents), "a language nobody speaks") || len(plain.Saved.Zod) > 0 {
		t.Error("the import of zod was changed although it should stay as written")
	}
	if strings.Contains(text, "unused") || strings.Contains(text, "__toCommonJS") {
		t.Error("the entry's exports are in the bundle")
	}
	if !strings.Contains(text, "wörld") || !strings.Contains(text, "/*! kept words */") {
		t.Error("text is not kept as written")
	}
	if !json.Valid(result.Metafile) || bytes.Contains(result.Metafile, []byte("omcbuild-external")) {
		t.Error("the metafile is not fit to read")
	}
	if got, want := runAlone(t, result.Outputs), "hello wörld a string select 1 note function\n"; got != want {
		t.Errorf("it prints %q", got)
	}
}

// A stack trace through the source map names the line of the source, although lines
// stand before the bundle's code.
func TestSourceMapPointsToTheSource(t *testing.T) {
	for _, wait := range []string{"", "await 0;"} {
		root := t.TempDir()
		write(t, filepath.Join(root, "src", "main.ts"), "interface A { b: 1 }\n\nconsole.log(import.meta.url.length > 0);"+wait+"\nimport('helper').catch(() => {}); throw new Error(\"here\");\n")
		result := build(t, bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "out/a.cjs", External: []string{"helper"}, Sourcemap: true})
		dir := t.TempDir()
		place(t, dir, result.Outputs)
		if len(result.Outputs) != 2 || result.Outputs[1].Path != "out/a.cjs.map" || result.Outputs[1].Mode != 0o644 {
			t.Fatal("no source map")
		}
		out, _ := exec.Command("node", "--enable-source-maps", filepath.Join(dir, "out", "a.cjs")).CombinedOutput()
		if !strings.Contains(string(out), filepath.Join("src", "main.ts")+":4:41") {
			t.Errorf("%q: got %s", wait, out)
		}
	}
}

func TestModuleKeepsItsExports(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "lib.ts"), "export const answer: number = 42; export default () => answer;")
	result := build(t, bundler.Options{Root: root, Entry: "lib.ts", Outfile: "lib.cjs", Kind: bundler.KindModule})
	dir := t.TempDir()
	place(t, dir, result.Outputs)
	write(t, filepath.Join(dir, "use.mjs"), `import { answer } from "./lib.cjs"; import lib from "./lib.cjs"; console.log(answer, lib.default());`)
	out, err := exec.Command("node", filepath.Join(dir, "use.mjs")).CombinedOutput()
	if err != nil || string(out) != "42 42\n" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	root := t.TempDir()
	cases := map[string]bundler.Options{
		"absolute path":           {Root: "here", Entry: "a.ts", Outfile: "a.cjs"},
		"cannot be read":          {Root: filepath.Join(root, "gone"), Entry: "a.ts", Outfile: "a.cjs"},
		"an entry or a source":    {Root: root, Outfile: "a.cjs"},
		"has either":              {Root: root, Entry: "a.ts", Source: "x", Outfile: "a.cjs"},
		"outfile \"../a.cjs\"":    {Root: root, Entry: "a.ts", Outfile: "../a.cjs"},
		"outfile \"\"":            {Root: root, Entry: "a.ts"},
		"entry \"../a.ts\"":       {Root: root, Entry: "../a.ts", Outfile: "a.cjs"},
		"loader \"yaml\"":         {Root: root, Entry: "a.ts", Outfile: "a.cjs", Loader: map[string]string{".x": "yaml"}},
		"target \"chrome9\"":      {Root: root, Entry: "a.ts", Outfile: "a.cjs", Target: "chrome9"},
		"target \" node\"":        {Root: root, Entry: "a.ts", Outfile: "a.cjs", Target: "node20, node"},
		"asset pattern \"../*\"":  {Root: root, Entry: "ok.ts", Outfile: "a.cjs", Assets: []string{"../*"}},
		"define value":            {Root: root, Entry: "ok.ts", Outfile: "a.cjs", Define: map[string]string{"A": "not an expression !"}},
		"would both be copied to": {Root: root, Entry: "ok.ts", Outfile: "a.cjs", Assets: []string{"*/same.txt"}},
	}
	write(t, filepath.Join(root, "ok.ts"), "console.log(1)")
	write(t, filepath.Join(root, "x", "same.txt"), "")
	write(t, filepath.Join(root, "y", "same.txt"), "")
	for want, o := range cases {
		_, err := bundler.Build(context.Background(), o)
		var failure *diag.Failure
		if !errors.As(err, &failure) {
			t.Errorf("%s: got %v", want, err)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestDefine(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.ts"), "declare const __VERSION__: string; console.log(__VERSION__, process.env.MODE)")
	result := build(t, bundler.Options{Root: root, Entry: "a.ts", Outfile: "a.cjs", Define: map[string]string{"__VERSION__": `"1.2.3"`, "process.env.MODE": `"x"`}})
	if got := runAlone(t, result.Outputs); got != "1.2.3 x\n" {
		t.Errorf("got %q", got)
	}
}

func TestCancelledBuildEnds(t *testing.T) {
	_, o := mixed(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("interrupted")
	cancel(cause)
	if _, err := bundler.Build(ctx, o); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// Many builds at once do not disturb each other.
func TestBuildsRunSideBySide(t *testing.T) {
	_, o := mixed(t)
	want := build(t, o).Outputs[0].Contents
	done := make(chan []byte)
	for range 4 {
		go func() {
			result, err := bundler.Build(context.Background(), o)
			if err != nil {
				done <- []byte(err.Error())
				return
			}
			done <- result.Outputs[0].Contents
		}()
	}
	for range 4 {
		if got := <-done; !bytes.Equal(got, want) {
			t.Error("a build gave other bytes")
		}
	}
}
