package bundler

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"omcbuild/internal/jsscan"
)

func rewritten(t *testing.T, text string, edits func(*jsscan.File) []edit) string {
	t.Helper()
	f, ok := jsscan.Scan(text)
	if !ok {
		t.Fatalf("%s: cannot be scanned", text)
	}
	f = f.Plain()
	changes := edits(f)
	for i, e := range changes {
		changes[i].start, changes[i].end = f.Widen(e.start, e.end)
	}
	return apply(text, changes)
}

func TestProgramQuestions(t *testing.T) {
	const meta, argv = "import.meta.url", "process.argv[1]"
	cases := []struct{ source, entry, other string }{
		{"if (require.main === module) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (module == require.main) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (require.main !== module) stop()", "if (!__omcbuild_meta.main) stop()", "if (!false) stop()"},
		{"log(require.main.filename, a.require.main === module)", "", ""},
		{"if (!module.parent) run()", "", "if (!module) run()"},
		{"log(module.parent.filename, my.module.parent)", "", ""},
		{"if (import.meta.main) run()", "", "if (false) run()"},
		{"if (" + argv + " === fileURLToPath(" + meta + ")) run()", "", "if (process.argv[1] === null == fileURLToPath(import.meta.url)) run()"},
		{"if (" + meta + " != `file://${" + argv + "}`) stop()", "", "if (import.meta.url !== null != `file://${process.argv[1]}`) stop()"},
		{"const a = " + argv + "; if (ready && a == __filename) run()", "", "const a = process.argv[1]; if (ready && a === null == __filename) run()"},
		{"const here = fileURLToPath(" + meta + ")\nconst it = " + argv + "\nif (here === it) run()", "",
			"const here = fileURLToPath(import.meta.url)\nconst it = process.argv[1]\nif (here === null == it) run()"},
		{"if (process.mainModule == module) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (" + argv + "?.endsWith('/main.js')) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (process.argv?.[1]!.endsWith(\"main.mts\")) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (" + argv + ".endsWith('other.js') || " + argv + ".endsWith(name)) run()", "", ""},
		{"process.argv [1] ||= 'x'; process.argv [1] ??= y", "", ""},
		{"process.argv [1] = 'x'; process.argv[2]; my.process.argv [1]", "", ""},
		{"if ((import.meta as any).main || import.meta['main']) run()", "", "if (false || false) run()"},
		{"if (import.meta?.main) run(); const { main } = import.meta", "", "if (false) run(); const { main } = { ...import.meta, main: false }"},
		{"const m = import.meta; if (m.main) run()", "", "const m = { ...import.meta, main: false }; if (m.main) run()"},
		{"if ((require.main as any) === module) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (require['main'] === (module as any)) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (Object.is(require.main, module) || Object.is(module, require.main)) run()", "if (__omcbuild_meta.main || __omcbuild_meta.main) run()", "if (false || false) run()"},
		{"if (process.argv.at(1) === __filename) run()", "if (__omcbuild_program === __filename) run()", "if (process.argv.at(1) === null == __filename) run()"},
		{"if (process.argv.slice(1)[0] === __filename) run()", "if (__omcbuild_program === __filename) run()", "if (process.argv.slice(1)[0] === null == __filename) run()"},
		{"if (process.argv.includes(__filename)) run()", "", "if (false) run()"},
		{"const [, s] = process.argv; if (s === __filename) run()", "", "const [, s] = process.argv; if (s === null == __filename) run()"},
		{"if (" + meta + ".endsWith(" + argv + ")) run()", "", "if (false) run()"},
		{"if (path.basename(" + meta + ").endsWith(path.basename(" + argv + "))) run()", "", "if (false) run()"},
		{"if (isMain(import.meta)) run(); isMainModule(" + meta + ")", "", "if (false) run(); false"},
		{"import began from 'es-main'; if (began(import.meta)) run()", "", "import began from 'es-main'; if (false) run()"},
		{"if (/main\\.[jt]s$/.test(" + argv + ")) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (basename(" + argv + ") === 'main.js') run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		{"if (" + argv + ".includes('main')) run()", "if (__omcbuild_meta.main) run()", "if (false) run()"},
		// What compares something else stays.
		{"f(import.meta); isMain(x); /./.test(" + argv + "); basename(" + argv + ") === 'x.js'", "", ""},
		{"if (" + argv + " === 'serve') run(" + meta + ")", "", ""},
		{"const b = " + argv + " === x || " + meta + " === y", "", ""},
		{"const folder = dirname(" + meta + "); if (folder === " + argv + ") run()", "", ""},
		{"if (x === " + argv + ") { y = " + meta + " }", "", ""},
		{"const f = () => " + argv + " >= " + meta + "; a <= b", "", ""},
		{"'require.main === module' // " + argv + " === " + meta, "", ""},
	}
	for _, c := range cases {
		for entry, want := range map[bool]string{true: c.entry, false: c.other} {
			if want == "" {
				want = c.source
			}
			if entry && c.source[0] != '\'' { // the program's path is the bundle's own
				want = strings.ReplaceAll(want, argv, "__omcbuild_program")
			}
			got := rewritten(t, c.source, func(f *jsscan.File) []edit { return programQuestions(f, "src/main.ts", entry) })
			if got != want {
				t.Errorf("entry %v: %s\ngot  %s\nwant %s", entry, c.source, got, want)
			}
		}
	}
}

// Scanning never fails on odd ends.
func TestProgramQuestionsAtTheEdges(t *testing.T) {
	for _, text := range []string{"", "=", "==", "===", "!=", "= =", "require.main", "require.main ===", "=== require.main", "module", "x === ", "=== process.argv[1]"} {
		f, ok := jsscan.Scan(text)
		if !ok {
			t.Fatalf("%q: cannot be scanned", text)
		}
		for _, entry := range []bool{true, false} {
			programQuestions(f, "src/main.ts", entry)
		}
	}
}

func TestRequireThroughParameters(t *testing.T) {
	for source, want := range map[string]string{
		"(function (factory) {})(function (require, exports) { require('./a') })":     "(function (factory) {})(function (__omcbuild_require, exports) { require('./a') })",
		"factory(require, exports); (require, exports) => require('./a')":             "factory(require, exports); (__omcbuild_require, exports) => require('./a')",
		"define(['require'], function (require, exports, module) { require('./a') })": "define(['require'], function (__omcbuild_require, exports, module) { require('./a') })",
		"[function (require, module, exports) { require('./a') }]":                    "",
		"var v = factory(require, exports); if (v) {}":                                "",
	} {
		if want == "" {
			want = source
		}
		if got := rewritten(t, source, throughParameters); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", source, got, want)
		}
	}
}

func TestVariablesThatRequire(t *testing.T) {
	f, _ := jsscan.Scan("const a = createRequire(import.meta.url), b = mod.createRequire(__filename); let c = createRequire(other); d = 1")
	got := strings.Join(sortedKeys(loadersOf(f)), " ")
	if got != "a b require" {
		t.Errorf("got %s", got)
	}
}

// Whatever the text, the answers keep its lines.
func FuzzProgramQuestions(f *testing.F) {
	f.Add("if (require.main === module || process.argv[1] !== import.meta.url) run()\n")
	f.Add("a === module.parent ? `${process.argv[1] == __filename}` : import.meta.main")
	f.Fuzz(func(t *testing.T, text string) {
		scan, ok := jsscan.Scan(text)
		if !ok {
			return
		}
		for _, entry := range []bool{true, false} {
			got := apply(text, append(programQuestions(scan, "src/main.ts", entry), throughParameters(scan)...))
			if strings.Count(got, "\n") != strings.Count(text, "\n") {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

// A plugin's folder is often a symbolic link, and the path that node is given then is
// not the one that the bundle has. An entry that starts only as the program starts.
func TestProgramThroughALink(t *testing.T) {
	for name, question := range map[string]string{
		"url":     "import.meta.url === pathToFileURL(process.argv[1]!).href",
		"text":    "import.meta.url === `file://${process.argv[1]}`",
		"path":    "fileURLToPath(import.meta.url) === process.argv[1]",
		"real":    "realpathSync(process.argv[1]!) === import.meta.filename",
		"name":    "process.argv[1]?.endsWith('main.js')",
		"import":  "argv[1] === fileURLToPath(import.meta.url)",
		"main":    "import.meta.main",
		"require": "require.main === module",
		"waiting": "await Promise.resolve(process.argv[1]) === __filename",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			source := "import { fileURLToPath, pathToFileURL } from 'node:url'; import { realpathSync } from 'node:fs'; import { argv } from 'process';\n" +
				"console.log([argv, fileURLToPath, pathToFileURL, realpathSync].length); if (" + question + ") console.log('started');\n"
			writeSource(t, filepath.Join(dir, "plugin", "src", "main.ts"), source)
			built, err := Build(t.Context(), Options{Root: filepath.Join(dir, "plugin"), Entry: "src/main.ts", Outfile: "bridge/server.cjs"})
			if err != nil {
				t.Fatal(err)
			}
			writeSource(t, filepath.Join(dir, "plugin", "bridge", "server.cjs"), string(built.Outputs[0].Contents))
			if err := os.Symlink("plugin", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{"plugin/bridge/server.cjs", "link/bridge/server.cjs"} {
				out, err := exec.Command("node", filepath.Join(dir, way)).CombinedOutput()
				if err != nil || !strings.Contains(string(out), "started") {
					t.Errorf("%s: %v %s", way, err, out)
				}
			}
			out, _ := exec.Command("node", "-e", "require("+strconv.Quote(filepath.Join(dir, "link", "bridge", "server.cjs"))+")").CombinedOutput()
			if strings.Contains(string(out), "started") {
				t.Errorf("required by another program: %s", out)
			}
		})
	}
}

func writeSource(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
