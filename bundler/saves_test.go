package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"omcbuild/bundler"
)

var saved = map[string]string{
	"package.json":                  `{"type":"module"}`,
	"src/main.ts":                   "import { a } from \"./a.js\";\nimport data from \"./data.json\";\nimport { one } from \"dep\";\nconst late = await_();\nasync function await_() { return (await import(\"./late.js\")).late; }\nlate.then((l) => console.log(a(), data.n, one, l));\n",
	"src/a.ts":                      "import { b } from \"./b.js\";\nexport type T = string;\nexport const a = (): T => \"a\" + b;\n",
	"src/b.ts":                      "export const b = 1;\nexport const spare = 2;\n",
	"src/late.ts":                   "import type { T } from \"./a.js\";\nimport old from \"./old.cjs\";\nexport const late: T = \"late\" + old.x;\n",
	"src/old.cjs":                   "exports.x = require(\"./b.ts\").b;\n",
	"src/data.json":                 `{"n":5}`,
	"node_modules/dep/package.json": `{"name":"dep","version":"1.0.0","main":"index.js"}`,
	"node_modules/dep/index.js":     "exports.one = 1; exports.two = 2;\n",
	"node_modules/two/package.json": `{"name":"two","version":"1.0.0","type":"module","exports":"./index.js"}`,
	"node_modules/two/index.js":     "export const two = 2;\n",
}

// TestSaves makes changes one after the other in one session. Each is either linked or
// bundled as a whole, and the program does what the bundle of the same sources does.
func TestSaves(t *testing.T) {
	root := writeProject(t, saved)
	o := bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/x.cjs"}
	s := bundler.NewSession(o)
	defer s.Close()
	rebuilt(t, s)
	steps := []struct {
		file, from, to string
		how            string // quick, whole, same, or what the error says
		prints         string
	}{
		{"src/b.ts", "b = 1", "b = 3", "quick", "a3 5 1 late3\n"},
		{"src/b.ts", "b = 3", "b = 3", "same", "a3 5 1 late3\n"},
		{"src/late.ts", "\"late\" +", "\"later\" +", "quick", "a3 5 1 later3\n"},
		{"src/a.ts", "import { b }", "import { b, spare }", "quick", "a3 5 1 later3\n"},
		{"src/a.ts", "+ b", "+ b + spare", "quick", "a32 5 1 later3\n"},
		{"src/late.ts", "import old", "import { a } from \"./a.js\";\nimport old", "quick", "a32 5 1 later3\n"},
		{"src/late.ts", "old.x", "old.x + a()", "quick", "a32 5 1 later3a32\n"},
		{"src/old.cjs", "exports.x =", "exports.x = 1 +", "quick", "a32 5 1 later4a32\n"},
		{"src/data.json", "5", "6", "whole", "a32 6 1 later4a32\n"},
		{"src/b.ts", "export const spare", "const spare", "spare", ""},
		{"src/b.ts", "const spare", "export const spare", "whole", "a32 6 1 later4a32\n"},
		{"src/a.ts", "export const a =", "export const a = = ", "unexpected", ""},
		{"src/b.ts", "b = 3", "b = 4", "unexpected", ""},
		{"src/a.ts", "= = ", "= ", "quick", "a42 6 1 later5a42\n"},
		{"src/b.ts", "export", "import { two } from \"two\";\nexport", "quick", "a42 6 1 later5a42\n"},
		{"src/b.ts", "b = 4", "b = two", "whole", "a22 6 1 later3a22\n"},
		{"src/a.ts", "export type", "import { two } from \"two\";\nexport type", "quick", "a22 6 1 later3a22\n"},
		{"src/a.ts", "+ spare", "+ two", "quick", "a22 6 1 later3a22\n"},
		{"node_modules/two/index.js", "= 2", "= 7", "whole", "a77 6 1 later8a77\n"},
		{"src/a.ts", "+ two", "", "quick", "a7 6 1 later8a7\n"},
		{"src/main.ts", "from \"dep\";", "from \"dep\";\nimport \"./absent.js\";", "absent", ""},
		{"src/main.ts", "\nimport \"./absent.js\";", "", "same", "a7 6 1 later8a7\n"},
		{"src/main.ts", "from \"dep\";", "from \"dep\";\nawait 0;", "whole", "a7 6 1 later8a7\n"},
		{"src/b.ts", "b = two", "b = 0", "whole", "a0 6 1 later1a0\n"},
		{"src/main.ts", "\nawait 0;", "", "whole", "a0 6 1 later1a0\n"},
		{"src/b.ts", "b = 0", "b = 5", "quick", "a5 6 1 later6a5\n"},
		{"src/b.ts", "export", "import.meta.glob(\"*\");\nexport", "import.meta.glob", ""},
		{"src/b.ts", "b = 5", "b = 5", "import.meta.glob", ""},
		{"src/b.ts", "import.meta.glob(\"*\");\n", "", "whole", "a5 6 1 later6a5\n"},
		{"src/b.ts", "b = 5", "b = 6", "quick", "a6 6 1 later7a6\n"},
		{"src/b.ts", "b = 6", "b = 5", "quick", "a5 6 1 later6a5\n"},
		{"src/main.ts", "one, l", "__dirname.length > 0, l", "quick", "a5 6 true later6a5\n"},
	}
	for i, step := range steps {
		if err := s.Prepare(context.Background()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, filepath.FromSlash(step.file))
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), step.from) {
			t.Fatalf("step %d: no %q in %s", i, step.from, text)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), step.from, step.to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		u, err := s.Update(context.Background(), []string{path})
		switch {
		case err != nil && step.prints == "" && strings.Contains(err.Error(), step.how):
			continue
		case err != nil:
			t.Fatalf("step %d: %v", i, err)
		}
		how := "whole"
		if u.Unchanged {
			how = "same"
		} else if u.Quick {
			how = "quick"
		}
		if how != step.how {
			t.Errorf("step %d: %s, want %s (%s)", i, how, step.how, u.Reason)
		}
		if got := runAlone(t, u.Result.Outputs); got != step.prints {
			t.Errorf("step %d: the program prints %q, want %q", i, got, step.prints)
		}
		if got := runAlone(t, build(t, o).Outputs); got != step.prints {
			t.Errorf("step %d: the bundle prints %q, want %q", i, got, step.prints)
		}
	}
}

// A session does not keep what it made before: it lives as long as somebody works.
func TestSessionsDoNotGrow(t *testing.T) {
	root := writeProject(t, saved)
	o := bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/x.cjs"}
	s := bundler.NewSession(o)
	defer s.Close()
	path := filepath.Join(root, "src/b.ts")
	padding := strings.Repeat("// a line of padding, so that what is kept shows\n", 2000) // 100 kB
	save := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			if err := os.WriteFile(path, []byte(padding+"export const b = "+strings.Repeat("1+", i)+"1, spare = `"+padding+"`;\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if i%10 == 0 {
				rebuilt(t, s)
			}
			if err := s.Prepare(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Update(context.Background(), []string{path}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	few, many := save(0, 20), save(20, 220)
	if many > few+8<<20 {
		t.Errorf("after 20 saves %d kB are in use, after 220 %d kB", few>>10, many>>10)
	}
}
