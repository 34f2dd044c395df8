package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/bundler"
)

// TestSessionsAreLikeBuild saves a module in programs that linking could get wrong. What
// a session makes of them prints what the bundle prints, and fails where that fails.
// Each is a project, the change "path: from -> to", and what Update says of itself: why
// it bundled as a whole, "quick", or its error.
func TestSessionsAreLikeBuild(t *testing.T) {
	const esm = "-- package.json --\n{\"type\":\"module\"}\n"
	tests := map[string]struct{ project, file, from, to, says string }{
		"import by pattern": {esm + "-- src/main.ts --\nconst n = process.argv[2] ?? \"one\";\nimport(`./by/${n}.ts`).then((m) => console.log(m.v));\n" +
			"-- src/by/one.ts --\nexport const v = 1;\n-- src/by/two.ts --\nexport const v = 2;\n",
			"src/by/one.ts", "v = 1", "v = 11", "src/main.ts cannot be linked by itself"},
		"require by pattern": {esm + "-- src/main.ts --\nconst n = process.argv[2] ?? \"one\";\nconsole.log(require(\"./by/\" + n + \".ts\").v);\n" +
			"-- src/by/one.ts --\nexport const v = 1;\n", "src/by/one.ts", "v = 1", "v = 11", "src/main.ts cannot be linked by itself"},
		"a pattern comes in": {esm + "-- src/main.ts --\nconst n = process.argv[2] ?? \"one\";\nimport(\"./one.js\").then((m) => console.log(m.v));\n-- src/one.ts --\nexport const v = 1;\n",
			"src/main.ts", "\"./one.js\"", "`./${n}.ts`", "src/main.ts"},
		"an enum of a circle": {esm + "-- src/main.ts --\nimport \"./a.js\";\n-- src/a.ts --\nimport { b } from \"./b.js\";\nexport enum E { A = 1 }\nconsole.log(b, E.A);\n" +
			"-- src/b.ts --\nimport { E } from \"./a.js\";\nexport const b = E.A;\n", "src/b.ts", "b = E", "b = 10 + E", "src/a.ts is part of a circle of imports"},
		"a function of a circle": {esm + "-- src/main.ts --\nimport { f } from \"./a.js\";\nconsole.log(f());\n-- src/a.ts --\nimport { h } from \"./b.js\";\nexport function f() { return h(); }\n" +
			"-- src/b.ts --\nimport { f } from \"./a.js\";\nexport function h() { return 1; }\nconsole.log(f());\n", "src/b.ts", "return 1", "return 2", "src/a.ts is part of a circle of imports"},
		"sideEffects of the project": {"-- package.json --\n{\"type\":\"module\",\"sideEffects\":false}\n-- src/main.ts --\nimport \"./left.js\";\nconsole.log(1);\n-- src/left.ts --\nconsole.log(\"left\");\n",
			"src/main.ts", "(1)", "(2)", "package.json says with sideEffects"},
		"sideEffects of a package": {esm + "-- src/main.ts --\nimport \"pure\";\nimport { p } from \"pure\";\nconsole.log(1);\n" +
			"-- node_modules/pure/package.json --\n{\"name\":\"pure\",\"version\":\"1.0.0\",\"type\":\"module\",\"exports\":\"./index.js\",\"sideEffects\":false}\n-- node_modules/pure/index.js --\nconsole.log(\"pure\");\nexport const p = 1;\n",
			"src/main.ts", "(1)", "(2)", "node_modules/pure/index.js, which may be left out"},
		"a name of two": {esm + "-- src/main.ts --\nimport { y } from \"./all.js\";\nconsole.log(y);\n-- src/all.ts --\nexport * from \"./one.js\";\nexport * from \"./two.js\";\n" +
			"-- src/one.ts --\nexport const x = 1;\n-- src/two.ts --\nexport const y = 2;\n", "src/one.ts", "x = 1", "y = 1", "ambiguous"},
		"order of names": {esm + "-- src/main.ts --\nimport * as all from \"./all.js\";\nconsole.log(Object.keys(all));\n-- src/all.ts --\nexport * from \"./two.js\";\nexport * from \"./one.js\";\nexport const k = 0;\n" +
			"-- src/one.ts --\nexport const a = 1;\n-- src/two.ts --\nexport const z = 2;\n", "src/one.ts", "a = 1", "a = 3", "src/all.ts exports all of another"},
		"stars": {esm + "-- src/main.ts --\nimport { a, z } from \"./all.js\";\nconsole.log(a, z);\n-- src/all.ts --\nexport * from \"./two.js\";\nexport * from \"./one.js\";\n" +
			"-- src/one.ts --\nexport const a = 1;\n-- src/two.ts --\nexport const z = 2;\n", "src/one.ts", "a = 1", "a = 3", "quick"},
		"namespaces": {esm + "-- src/main.ts --\nimport * as one from \"./b.js\";\nimport * as two from \"./b.js\";\nimport * as dep from \"dep\";\nimport { own } from \"./c.js\";\n" +
			"console.log(one === two, one === own, Reflect.ownKeys(one), \"__esModule\" in one, one, Reflect.ownKeys(dep));\nPromise.all([import(\"./b.js\"), import(\"dep\")]).then(([b, d]) => console.log(b === one, d === dep));\n" +
			"-- src/b.ts --\nexport const z = 1, a = 2;\nexport default 3;\n-- src/c.ts --\nimport * as own from \"./b.js\";\nexport { own };\n" +
			"-- node_modules/dep/package.json --\n{\"name\":\"dep\",\"version\":\"1.0.0\",\"type\":\"module\",\"exports\":\"./index.js\"}\n-- node_modules/dep/index.js --\nexport const y = 1, b = 2;\n",
			"src/b.ts", "z = 1", "z = 5", "quick"},
		"a module of nothing": {esm + "-- src/main.ts --\nimport * as b from \"./b.js\";\nconsole.log(b, Reflect.ownKeys(b));\n-- src/b.ts --\nexport {};\nconsole.log(1);\n", "src/b.ts", "(1)", "(2)", "quick"},
		"an unused name": {esm + "-- src/main.ts --\nimport \"./a.js\";\n-- src/a.js --\nimport { b } from \"./b.js\";\nconsole.log(b);\n-- src/b.js --\nexport const b = 1;\n",
			"src/a.js", "{ b }", "{ b, absent }", "absent"},
		"an unused default": {esm + "-- src/main.ts --\nimport \"./a.js\";\n-- src/a.js --\nimport { b } from \"./b.js\";\nconsole.log(b);\n-- src/b.js --\nexport const b = 1;\n",
			"src/a.js", "{ b }", "absent, { b }", "default"},
		"an unused name of a package": {esm + "-- src/main.ts --\nimport \"./a.js\";\n-- src/a.js --\nimport { b } from \"dep\";\nconsole.log(b);\n" +
			"-- node_modules/dep/package.json --\n{\"name\":\"dep\",\"version\":\"1.0.0\",\"type\":\"module\",\"exports\":\"./index.js\"}\n-- node_modules/dep/index.js --\nexport const b = 1;\n",
			"src/a.js", "{ b }", "{ b, absent }", "absent"},
		"a name in quotes": {esm + "-- src/main.ts --\nimport { \"a-b\" as ab } from \"./b.js\";\nconsole.log(ab);\n-- src/b.ts --\nconst q = 1;\nexport { q as \"a-b\" };\n",
			"src/b.ts", "\"a-b\"", "c", "a-b"},
		"words of the linking": {esm + "-- src/main.ts --\nconst __omcbuild_load = 1;\nconsole.log(__omcbuild_load);\nimport \"./b.js\";\n-- src/b.ts --\nconsole.log(1);\n",
			"src/b.ts", "(1)", "(2)", "src/main.ts has __omcbuild_load in it"},
		"a type": {esm + "-- src/main.ts --\nimport { b, T } from \"./b.js\";\nconst c: T = b;\nconsole.log(c, import.meta.url.length > 0);\n-- src/b.ts --\nexport type T = number;\nexport const b = 1;\n",
			"src/main.ts", "(c", "(c + 1", "quick"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := unpack(t, txtar.Parse([]byte(test.project)))
			o := bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "bridge/x.cjs"}
			s := bundler.NewSession(o)
			defer s.Close()
			rebuilt(t, s)
			if err := s.Prepare(context.Background()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, filepath.FromSlash(test.file))
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), test.from) {
				t.Fatalf("no %q in %s", test.from, text)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), test.from, test.to, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			u, err := s.Update(context.Background(), []string{path})
			plain, plainErr := bundler.Build(context.Background(), o)
			if err != nil || plainErr != nil {
				if err == nil || plainErr == nil || !strings.Contains(err.Error(), test.says) {
					t.Fatalf("the session says %v, Build %v; want %q", err, plainErr, test.says)
				}
				return
			}
			said := u.Reason
			if u.Quick {
				said = "quick"
			}
			if said == "" || !strings.Contains(said, test.says) {
				t.Errorf("the session says %q, want %q", said, test.says)
			}
			if got, want := runAlone(t, u.Result.Outputs), runAlone(t, plain.Outputs); got != want {
				t.Errorf("the session's program prints\n%sand the bundle\n%s", got, want)
			}
		})
	}
}
