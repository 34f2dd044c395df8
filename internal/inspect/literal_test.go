package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/jsscan"
	"omcbuild/internal/project"
)

// reading makes a script of a text, in a repository with a package.json.
func reading(t testing.TB, code string) *script {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"package.json":       `{ "name": "p", "version": "1.2.3", "dependencies": { "a": "1", "b": "2" } }`,
		"scripts/build.mjs":  code,
		"scripts/other.json": `{ "x": [1, true] }`,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	repo := &repository{root: root, scripts: map[string]*script{}, documents: map[string]*project.Document{}, work: newBudget(t.Context())}
	return repo.script("scripts/build.mjs")
}

// TestExported reads what "export default" says. The wanted text is JSON, or
// begins with "it " and says why it is not known.
func TestExported(t *testing.T) {
	cases := []struct{ code, want string }{
		{`export default "a\x41\u{42}\n"`, `"aAB\n"`},
		{`export default 'it''s'`, `"it"`},
		{"const n = 'x'; export default `src/${n}/${1}.ts`", `"src/x/1.ts"`},
		{"export default `plain`", `"plain"`},
		{`export default [1, -2, !0, !1, null, undefined, true,]`, ""},
		{`export default { a: 1, "b-c": [true], ["d"]: null, 5: "e" }`, `{"a":1,"b-c":[true],"d":null,"5":"e"}`},
		{`const b = { x: 1, y: 2 }; const z = 3; export default { ...b, y: "last", z }`, `{"x":1,"y":2,"y":"last","z":3}`},
		{`const list = ["a"]; export default [...list, ...["b"], "c"]`, `["a","b","c"]`},
		{`export default ("a" + "b" as string)`, `"ab"`},
		{`export default { a: ["x"] as const, b: { c: 1 } } satisfies Options`, `{"a":["x"],"b":{"c":1}}`},
		{`import pkg from "../package.json" with { type: "json" }; export default pkg.version`, `"1.2.3"`},
		{`import { version } from "../package.json"; export default version`, `"1.2.3"`},
		{`const { version: v } = require("../package.json"); export default v`, `"1.2.3"`},
		{`import fs from "fs"; const p = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8")); export default JSON.stringify(p.version)`, `"\"1.2.3\""`},
		{`export default Object.keys(require("../package.json").dependencies)`, `["a","b"]`},
		{`export default Object.keys(require("../package.json").peerDependencies || {})`, `[]`},
		{`export default require("./other.json").x`, `it comes from scripts/other.json; values are taken from build scripts, their configuration and package.json alone`},
		{`import { join, dirname } from "path"; export default join(dirname("a/b/c.ts"), "..", "d.ts")`, `"a/d.ts"`},
		{`module.exports = { a: 1 };`, `{"a":1}`},
		{`export default 1 + 2 + "3"`, `it is computed`},
		{`export default "" || "src/a.ts"`, `"src/a.ts"`},
		{`export default "" ?? "src/a.ts"`, `""`},
		{`export default 1 + "3"`, `"13"`},
		{`const config = { a: 1 }; export default config;`, `{"a":1}`},
		{`export default defineConfig({ a: 1 })`, `{"a":1}`},
		{`export default (options) => ({ a: 1 })`, `{"a":1}`},
		{`export default async () => { const x = 2; return { a: x }; }`, `{"a":2}`},
		{`export default function () { return { a: 1 } }`, `{"a":1}`},
		{`let a = "x"; export default a`, `"x"`},

		{`let a = "x"; a = "y"; export default a`, "it is computed: a is changed by the program"},
		{`const a = ["x"]; a.push("y"); export default a`, "it is computed: a is changed by the program"},
		{`const o = { x: 1, y: 2 }; o.x = 2; export default o.x`, "it is computed: o.x is changed by the program"},
		{`const o = { x: 1, y: 2 }; if (p) o.x = 2; export default o.y`, "2"},
		{`const o = { x: { z: [] } }; o.x.z.push(1); export default o.x`, "it is computed: o.x is changed by the program"},
		{`const a = 1; { const a = 2; } export default a`, "it is computed: a is declared in several places"},
		{`function f(a) {} const a = 1; export default a`, "it is computed: a is a parameter of a function"},
		{`const a = b; const b = a; export default a`, "it refers to itself"},
		{`export default process.env.OUT || "dist"`, `it is computed: process.env.OUT || "dist"`},
		{`export default x ? "a" : "b"`, `it is computed: x ? "a" : "b"`},
		{`export default glob.sync("*.ts")`, `it is computed: glob.sync("*.ts")`},
		{`import { entries } from "./entries.js"; export default entries`, "it comes from ./entries.js"},
		{`export default ["a"].map((x) => x + ".ts")`, "it is computed with map()"},
		{`export default /x/g`, "it is a regular expression: /x/g"},
		{`export default () => { if (a) return 1; return 2; }`, "it is computed: a function that returns in several places"},
		{`const a = 1`, "it exports nothing by default"},
	}
	for _, c := range cases {
		s := reading(t, c.code)
		if s == nil {
			t.Errorf("%s: cannot be scanned", c.code)
			continue
		}
		v := s.exported().returned()
		got, ok := v.json()
		if !ok {
			got = v.why
		}
		if got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.code, got, c.want)
		}
	}
}

// TestPathsStayWhatTheyAre reads paths that are put together: inside becomes
// relative to the root, outside stays outside.
func TestPathsStayWhatTheyAre(t *testing.T) {
	cases := []struct{ code, want string }{
		{`path.join(__dirname, "../src/a.ts")`, "src/a.ts"},
		{`path.resolve(__dirname, "..", "src/a.ts")`, "src/a.ts"},
		{`resolve("src/a.ts")`, "src/a.ts"},
		{`path.resolve(process.cwd(), "src/a.ts")`, "src/a.ts"},
		{`fileURLToPath(new URL("../src/a.ts", import.meta.url))`, "src/a.ts"},
		{`new URL("./a.ts", import.meta.url).pathname`, "scripts/a.ts"},
		{`path.join(import.meta.dirname, "a.ts")`, "scripts/a.ts"},
		{`path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "a.ts")`, "a.ts"},
		{"`${__dirname}/../a.ts`", "a.ts"},
		{`path.join(__dirname, "../../a.ts")`, "outside"},
		{`"/etc/passwd"`, "outside"},
		{`"../a.ts"`, "outside"},
		{`"C:/a.ts"`, "outside"},
		{`"~/a.ts"`, "outside"},
		{`"src\\a.ts"`, "src/a.ts"},
	}
	for _, c := range cases {
		v := reading(t, "export default "+c.code).exported()
		got, ok := inside(".", v.text)
		if v.kind != text {
			got = v.why
		} else if !ok {
			got = "outside"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.code, got, c.want)
		}
	}
}

// TestReadingEnds gives the reader files whose values grow with each name, or
// nest without end.
func TestReadingEnds(t *testing.T) {
	grow := "const v0 = ['x', 'y'];"
	word := "const w0 = 'xxxxxxxx';"
	last := "0"
	for i := 1; i < 50; i++ {
		n := strings.Repeat("i", i)
		grow += "const v" + n + " = [...v" + last + ", ...v" + last + "];"
		word += "const w" + n + " = w" + last + " + w" + last + ";"
		last = n
	}
	for name, code := range map[string]string{
		"lists":    grow + "export default v" + last,
		"texts":    word + "export default w" + last,
		"brackets": "export default " + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000),
		"objects":  "export default " + strings.Repeat("{a:", 20_000) + "1" + strings.Repeat("}", 20_000),
		"arrows":   "export default " + strings.Repeat("x=>", 50_000) + "1",
		"patterns": strings.Repeat("const {", 30_000) + strings.Repeat("}", 30_000),
		"calls":    "import * as esbuild from 'esbuild';" + strings.Repeat("for (const x of [1,2,3]) {", 300) + "esbuild.build({})" + strings.Repeat("}", 300),
	} {
		s := reading(t, code)
		if s == nil {
			continue
		}
		v := s.exported().returned()
		if out, _ := v.json(); len(out) > 1<<20 {
			t.Errorf("%s: the value has %d bytes", name, len(out))
		}
		for i := range s.file.Tokens {
			if _, open := s.bundlerCall(i); open > 0 {
				if n := len(s.contexts(i)); n > maxContexts {
					t.Errorf("%s: a call is read %d times", name, n)
				}
			}
		}
	}
}

func FuzzExported(f *testing.F) {
	for _, seed := range []string{
		`export default defineConfig((o) => ({ entry: ["a", ...b], x: { ...y }, "z": ` + "`a${b}c`" + `, f() { return 1 } }))`,
		`for (const { a, b: [c] } of Object.entries(x)) esbuild.build({ ...a, entryPoints: [c] })`,
		`const f = async ({ a }, b = 1) => { await build({ a, b }) }; f({ a: 1 }, 2); [1].map(f)`,
		`import pkg, { a as b } from "../package.json"; module.exports = pkg?.["x"]!.y ?? (1 as number) satisfies T`,
		`export default new URL("../x", import.meta.url).pathname + path.join(__dirname, ...a)`,
		`export default function* ( {`, "export default `${", `export default [,,...,`, `const{`, `=>`, `x.map((`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 4096 {
			return
		}
		file, ok := jsscan.Scan(code)
		if !ok {
			return
		}
		p := emptyPlan(t)
		s := newScript(p.repo, "build.mjs", file)
		p.buildScript(step{folder: ".", pkg: p.root, scripts: []string{"build"}}, s)
		if v := s.exported().returned(); v.kind == unknown && v.why == "" {
			t.Errorf("a value is unknown without a reason")
		}
		for _, b := range p.builds {
			for _, o := range b.outputs {
				if _, ok := inside(".", o.file); !ok {
					t.Errorf("an output lies outside: %q", o.file)
				}
			}
		}
	})
}
