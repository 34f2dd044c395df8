package bundler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/jsscan"
)

func TestVisibleRequires(t *testing.T) {
	const made = "const require = createRequire(import.meta.url);"
	cases := []struct{ from, to string }{
		{made + " require('a')", "const __omcbuild_require = createRequire(import.meta.url); require('a')"},
		{"const load = createRequire(import.meta.url); load('a'); load(b); load.resolve('c')", "const load = createRequire(import.meta.url); require('a'); load(b); load.resolve('c')"},
		{"import { createRequire as make } from 'module'; var r = make(__filename); r('a')", "import { createRequire as make } from 'module'; var r = make(__filename); require('a')"},
		{"let r: NodeJS.Require = module.createRequire(fileURLToPath(import.meta.url)); r('a')", "let r: NodeJS.Require = module.createRequire(fileURLToPath(import.meta.url)); require('a')"},
		{"createRequire(import.meta.url)('a')", "require('a')"},
		{"m.createRequire(import.meta.url)('a')", "require('a')"},
		{"__require('a'), __require2('b'), x.__require('c')", "require('a'), require('b'), x.__require('c')"},
		// left alone
		{"const r = createRequire(elsewhere); r('a')", "const r = createRequire(elsewhere); r('a')"},
		{"const r = createRequire(new URL('x', import.meta.url)); r('a')", "const r = createRequire(new URL('x', import.meta.url)); r('a')"},
		{"export " + made, "export " + made},
		{"// " + made, "// " + made},
		{"'" + made + "'", "'" + made + "'"},
		{"function __require(x) {}", "function __require(x) {}"},
		{"createRequire(", "createRequire("},
	}
	for _, c := range cases {
		f, _ := jsscan.Scan(c.from)
		if got := apply(c.from, visibleRequires(f)); got != c.to {
			t.Errorf("%s\ngot  %s\nwant %s", c.from, got, c.to)
		}
	}
}

// A module src/m/mod.ts that names files beside itself: what becomes of the text.
func TestNeighboursAreRewritten(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"src/m/mod.ts", "src/m/a.txt", "src/m/d/b.txt", "src/m/work.ts", "src/top.txt"} {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const out = "s.assets/src/"
	cases := []struct{ from, to, codes string }{
		{`f(join(__dirname, "a.txt"))`, `f(join(__dirname, "` + out + `m/a.txt"))`, ""},
		{`f(path.join(__dirname, "d", "b.txt"))`, `f(path.join(__dirname, "` + out + `m/d/b.txt"))`, ""},
		{`f(path.resolve(__dirname, "../top.txt"))`, `f(path.resolve(__dirname, "` + out + `top.txt"))`, ""},
		{`f(p.default.join(__dirname, "a.txt"))`, `f(p.default.join(__dirname, "` + out + `m/a.txt"))`, ""},
		{"f(join(__dirname,\n\"d\",\n\"b.txt\"))", "f(join(__dirname, \"" + out + "m/d/b.txt\"\n\n))", ""},
		{`f(__dirname + "/a.txt")`, `f(__dirname + "/` + out + `m/a.txt")`, ""},
		{`f(__dirname + "/d" + "/b.txt")`, `f(__dirname + "/` + out + `m/d/b.txt")`, ""},
		{"f(`${__dirname}/d/b.txt`)", "f(`${__dirname}/" + out + "m/d/b.txt`)", ""},
		{"f(`${__dirname}/d/${x}`)", "f(`${__dirname}/" + out + "m/d/${x}`)", ""},
		{`f(__dirname + "/d/" + x)`, `f(__dirname + "/` + out + `m/d/" + x)`, ""},
		{`f(join(__dirname, "d", x))`, `f(join(__dirname, "` + out + `m/d", x))`, ""},
		{`f(new URL("a.txt", import.meta.url))`, `f(new URL("./` + out + `m/a.txt", import.meta.url))`, ""},
		{`f(new URL("d/", import.meta.url))`, `f(new URL("./` + out + `m/d/", import.meta.url))`, ""},
		{"f(new URL(`./d/${x}.txt`, import.meta.url))", "f(new URL(`./" + out + "m/d/${x}.txt`, import.meta.url))", ""},
		{"f(new URL(`./d/b${x}`, import.meta.url))", "f(new URL(`./" + out + "m/d/b${x}`, import.meta.url))", ""},
		{`f(new URL("./d/" + x + ".txt", import.meta.url))`, `f(new URL("./` + out + `m/d/" + x + ".txt", import.meta.url))`, ""},
		{`const r = new URL("..", import.meta.url); f(new URL("top.txt", r))`, `const r = new URL("..", import.meta.url); f(new URL("./` + out + `top.txt", import.meta.url))`, ""},
		{"f(new URL(`https://a.example/${x}`, import.meta.url))", "", ""},
		{"f(new URL(`/d/${x}`, import.meta.url))", "", ""},
		{`f(fileURLToPath(new URL("./a.txt", import.meta.url)))`, `f(fileURLToPath(new URL("./` + out + `m/a.txt", import.meta.url)))`, ""},
		{`f(join(fileURLToPath(new URL(".", import.meta.url)), "a.txt"))`, `f(join(__dirname, "` + out + `m/a.txt"))`, ""},
		{`f(join(dirname(fileURLToPath(import.meta.url)), "a.txt"))`, `f(join(__dirname, "` + out + `m/a.txt"))`, ""},
		{`f(join(path.dirname(__filename), "a.txt"))`, `f(join(__dirname, "` + out + `m/a.txt"))`, ""},
		{`f(normalize(join(import.meta.dirname, "a.txt")))`, `f(normalize(join(__dirname, "` + out + `m/a.txt")))`, ""},
		{`const R = join(__dirname, ".."); f(join(R, "top.txt"))`, `const R = join(__dirname, ".."); f(join(__dirname, "` + out + `top.txt"))`, ""},
		{`const __dirname = process.cwd(); f(join(__dirname, "a.txt"))`, `const __dirname = process.cwd(); f(join(__dirname, "a.txt"))`, ""},
		{`const __dirname = q(); f(join(import.meta.dirname, "a.txt"))`, `const __dirname = q(); f(join(import.meta.dirname, "` + out + `m/a.txt"))`, ""},
		{`new Worker(join(__dirname, "work.js"))`, `new Worker(join(__dirname, "` + out + `m/work.cjs"))`, ""},
		{`readFileSync(join(__dirname, "work.ts"))`, `readFileSync(join(__dirname, "` + out + `m/work.ts"))`, ""},
		{`fork(require.resolve("./work.ts"))`, `fork(__dirname + "/` + out + `m/work.cjs")`, ""},
		{`require(join(__dirname, "work"))`, `require("./work")`, ""},
		{`import(new URL("./work.js", import.meta.url).href)`, `import("./work.js".href)`, ""},
		// nothing to do
		{`if (process.argv[1] === fileURLToPath(import.meta.url)) main()`, "", ""},
		{`join(o.__dirname, "a.txt")`, "", ""},
		{`({ __dirname: 1 })`, "", ""},
		{`new URL("https://a.example/x", import.meta.url)`, "", ""},
		{`new URL("a.txt", base)`, "", ""},
		{`// join(__dirname, "a.txt")`, "", ""},
		// cannot be followed
		{`f(join(__dirname, x))`, "", "asset-unfollowed"},
		{`f(join(__dirname, "..", x))`, "", "asset-unfollowed"},
		{`f(join(__dirname, "a.txt", x))`, "", "asset-unfollowed"},
		{`f(new URL(x, import.meta.url))`, "", "asset-unfollowed"},
		{"f(new URL(`${x}/b.txt`, import.meta.url))", "", "asset-unfollowed"},
		{"f(new URL(`./${x}.txt`, import.meta.url))", "", "asset-unfollowed"},
		{`f(new URL(x + "/b.txt", import.meta.url))`, "", "asset-unfollowed"},
		{"const r = new URL('..', import.meta.url); f(new URL(`m/d/${x}`, r))", "", "asset-unfollowed"},
		{`f(__dirname)`, "", "asset-unfollowed"},
		{`f(join(__dirname, "gone.txt"))`, "", "asset-missing"},
		{`f(join(__dirname, "other.cjs"))`, "", ""}, // another bundle
		{`f(join(__dirname, "../../../.."))`, "", "asset-unfollowed"},
		{`f(join(__dirname, "../../../../../../../../../etc/hosts"))`, "", "asset-outside"},
	}
	for _, c := range cases {
		if c.to == "" {
			c.to = c.from
		}
		c.to = strings.Replace(c.to, `"./work.js".href`, `"./work.js"`, 1)
		o, err := Options{Root: root, Entry: "src/main.ts", Outfile: "s.cjs", Beside: []string{"other.cjs"}}.check()
		if err != nil {
			t.Fatal(err)
		}
		b := newBuild(o, root, &family{outfile: o.Outfile, known: map[string]bool{}})
		f, ok := jsscan.Scan(c.from)
		if !ok {
			t.Fatalf("%s: lost", c.from)
		}
		n := b.neighbours(filepath.Join(o.Root, "src", "m", "mod.ts"), f)
		var codes []string
		for _, d := range n.found {
			codes = append(codes, d.Code)
		}
		if got := apply(c.from, n.edits); got != c.to || strings.Join(codes, " ") != c.codes {
			t.Errorf("%s\ngot  %s %v\nwant %s %s", c.from, got, codes, c.to, c.codes)
		}
	}
}

// What is imported runs at the start or later, guarded or not.
func TestSitesOfImports(t *testing.T) {
	cases := []struct {
		text            string
		atLoad, guarded bool
	}{
		{`import x from "p"`, true, false},
		{`import "p"`, true, false},
		{`export * from "p"`, true, false},
		{`const x = require("p")`, true, false},
		{`function f() { return require("p") }`, false, false},
		{`const f = () => require("p")`, false, false},
		{`class A { m(): void { require("p") } }`, false, false},
		{`try { require("p") } catch {}`, true, true},
		{`function f() { try { return require("p") } catch {} }`, false, true},
		{`await import("p")`, true, false},
		{`import("p").catch(() => {})`, true, true},
		{`import("p").then((m) => m.x).catch(() => {})`, true, true},
		{`import("p").then((m) => m.x, () => {})`, true, true},
		{`import("p").then((m) => m.x)`, true, false},
		{`async function f() { await import("p") }`, false, false},
		{`require.resolve("p")`, true, false},
		{`import type { A } from "p"; function f() { return require("p") }`, false, false},
		{`import type * as A from "p"; function f() { return require("p") }`, false, false},
		{`export type { A } from "p"; function f() { return require("p") }`, false, false},
		{`import type from "p"`, true, false},
		{`import type, { b } from "p"`, true, false},
		{`import { type A, b } from "p"`, true, false},
		{`f("p")`, true, false}, // not found: the worst is assumed
	}
	for _, c := range cases {
		f, _ := jsscan.Scan(c.text)
		r := &reach{scans: map[string]*jsscan.File{"a.ts": f}}
		got := r.sites("a.ts", "p")
		if len(got) != 1 || got[0].atLoad != c.atLoad || got[0].guarded != c.guarded {
			t.Errorf("%s: got %+v", c.text, got)
		}
	}
}
