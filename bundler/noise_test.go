package bundler

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noiseBuild is a build of a project in which src/m/mod.ts names files beside itself.
func noiseBuild(t testing.TB) (b *build, module string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"src/main.ts", "src/m/mod.ts", "src/m/q.sql", "src/m/d/b.txt", "src/m/w.ts", "src/m/d.json"} {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("0"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o, err := Options{Root: root, Entry: "src/main.ts", Outfile: "s.cjs"}.check()
	if err != nil {
		t.Fatal(err)
	}
	return newBuild(o, root, &family{outfile: o.Outfile, known: map[string]bool{}}), filepath.Join(o.Root, "src", "m", "mod.ts")
}

// repaired is what becomes of a module's text, and the codes of what was found.
func repaired(b *build, module, text string) (string, string) {
	file := &loaded{text: text}
	b.repair(module, file)
	var codes []string
	for _, d := range file.found {
		codes = append(codes, d.Code)
	}
	return file.text, strings.Join(codes, " ")
}

// Commas at the end of lists, types, parentheses and marks of TypeScript change nothing.
func TestNoiseChangesNothing(t *testing.T) {
	b, module := noiseBuild(t)
	const dir = "s.assets/src/m/"
	for text, want := range map[string]string{
		`readFileSync(new URL("./q.sql", import.meta.url,))`:                                 `readFileSync(new URL("./` + dir + `q.sql", import.meta.url,))`,
		`readFileSync(new URL("./q.sql", (import.meta.url)))`:                                `readFileSync(new URL("./` + dir + `q.sql", (import.meta.url)))`,
		`readFileSync(new URL("q.sql", new URL(import.meta.url)))`:                           `readFileSync(new URL("./` + dir + `q.sql", new URL(import.meta.url)))`,
		`readFileSync(new URL("./q.sql", pathToFileURL(__filename)))`:                        `readFileSync(new URL("./` + dir + `q.sql", pathToFileURL(__filename)))`,
		`readFileSync((new URL("./q.sql", import.meta.url)))`:                                `readFileSync((new URL("./` + dir + `q.sql", import.meta.url)))`,
		`createRequire(import.meta.url,)("./d.json",)`:                                       `require("./d.json",)`,
		`const r = createRequire(import.meta.url as string,); r("./d.json",)`:                `const r = createRequire(import.meta.url as string,); require("./d.json",)`,
		`join(dirname(fileURLToPath(import.meta.url,),), "q.sql",)`:                          `join(__dirname, "` + dir + `q.sql",)`,
		`join((__dirname), ("q.sql"))`:                                                       `join(__dirname, "` + dir + `q.sql")`,
		`join(import.meta.dirname!, "q.sql" as const)`:                                       `join(__dirname, "` + dir + `q.sql" as const)`,
		`const { dirname: d } = (import.meta); join(d as string, "q.sql")`:                   `const { dirname: d } = (import.meta); join(__dirname, "` + dir + `q.sql")`,
		`new Worker(new URL("./w.ts", import.meta.url,),)`:                                   `new Worker(new URL("./` + dir + `w.cjs", import.meta.url,),)`,
		`path.resolve(fileURLToPath(import.meta.url), "..", "q.sql",)`:                       `path.resolve(__dirname, "` + dir + `q.sql",)`,
		`const here = dirname(__filename,); path?.join(here!, "q.sql",)`:                     `const here = dirname(__filename,); path?.join(__dirname, "` + dir + `q.sql",)`,
		`spawn(process.execPath, [path.join(__dirname, "w.ts",),],)`:                         `spawn(process.execPath, [path.join(__dirname, "` + dir + `w.cjs",),],)`,
		`f(require.resolve("./q.sql",))`:                                                     `f(__dirname + "/` + dir + `q.sql")`,
		"f(fileURLToPath(`${path.dirname(import.meta.url)}/q.sql`))":                         `f(__dirname + "/` + dir + `q.sql")`,
		`f(fileURLToPath(path.dirname(import.meta.url) + "/q.sql"))`:                         `f(__dirname + "/` + dir + `q.sql")`,
		`f(fileURLToPath(import.meta.url + "/../q.sql"))`:                                    `f(__dirname + "/` + dir + `q.sql")`,
		`f(new URL(import.meta.url + "/../q.sql"))`:                                          `f(new URL(new URL("./` + dir + `q.sql", import.meta.url).href))`,
		"f(new URL(`${dirname(import.meta.url)}/d/${x}`))":                                   "f(new URL(`${new URL(\"./" + dir + "d\", import.meta.url).href}/${x}`))",
		`f(fileURLToPath(dirname(import.meta.url) + "/d/") + x)`:                             `f(__dirname + "/` + dir + `d/" + x)`,
		`f(fileURLToPath(import.meta.url + ""))`:                                             "",
		"f(fileURLToPath(`${import.meta.url}`))":                                             "",
		"f(`${import.meta.url}`, import.meta.url + \"\", `${__filename}`)":                   "",
		"f(path.resolve(`${__dirname}/q.sql`))":                                              `f(__dirname + "/` + dir + `q.sql")`,
		`const here = import.meta.url; f(fileURLToPath(here + "/../q.sql"), here + "/../d")`: `const here = import.meta.url; f(__dirname + "/` + dir + `q.sql", new URL("./` + dir + `d", import.meta.url).href)`,
		`register("./w.ts", import.meta.url)`:                                                `register("./` + dir + `w.cjs", import.meta.url)`,
		`module.register("./w.ts", pathToFileURL(__filename),)`:                              `module.register("./` + dir + `w.cjs", pathToFileURL(__filename),)`,
		`register("w", import.meta.url); register(` + "`./${x}`" + `, import.meta.url)`:      "",
	} {
		if want == "" {
			want = text
		}
		if got, codes := repaired(b, module, text); got != want || codes != "" {
			t.Errorf("%s\ngot  %s %s\nwant %s", text, got, codes, want)
		}
	}
}

// Whatever is written around the ways to name a file, what becomes of it parses.
func TestWhatIsRewrittenParses(t *testing.T) {
	b, module := noiseBuild(t)
	random := rand.New(rand.NewPCG(7, 11))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	var expression func(depth int) string
	expression = func(depth int) string {
		if depth == 0 {
			return pick("import.meta.url", "import.meta.dirname", "__dirname", "__filename", "import.meta", "require.main", "module", `"./q.sql"`, `"/d/b.txt"`,
				`"w.ts"`, `""`, `".."`, "x", "process.argv[1]", "`./${x}.js`", "here", "1")
		}
		a, c := expression(depth-1), expression(random.IntN(depth))
		return pick("("+a+")", a+" + "+c, "`${"+a+"}`", "`${"+a+"}/q.sql`", "`${"+a+"}/d/${"+c+"}`", "("+a+" as any)", "("+a+")!", "("+a+")?.main", "("+a+")[\"main\"]",
			"join("+a+", "+c+",)", "join("+a+")", "path.resolve("+a+", \"q.sql\")", "dirname("+a+")", "fileURLToPath("+a+",)", "pathToFileURL("+a+")", "new URL("+c+", "+a+")",
			"new URL("+a+").href", "require.resolve("+a+")", "import.meta.resolve("+a+")", "import("+a+")", "require("+a+")", "createRequire("+a+")("+c+")", "(0, path.join)("+a+", "+c+")",
			a+" === "+c, "isMain("+a+")", "("+a+").replace(/[^/]*$/, \"q.sql\")", "("+a+").endsWith("+c+")", "Object.is("+a+", "+c+")", "register("+c+", "+a+")", "process.argv.slice("+c+")[0]",
			"[..."+"("+a+"),]", "{ a: "+a+" }", "basename("+a+")", "realpathSync("+a+")", "/b|q/.test("+a+")", "("+a+")?.[0]", "f(async () => await ("+a+"))")
	}
	rewritten := 0
	for range 3000 {
		text := pick("const here = ", "export const y = ", "f(", "if (", "const { main, dirname: here } = ", "z = x\nf(") + expression(1+random.IntN(4))
		text += strings.Repeat(")", strings.Count(text[:min(len(text), 8)], "f(")&1)
		if strings.HasPrefix(text, "if (") {
			text += ") f()"
		}
		text += "\nf(join(here, \"q.sql\"))\n"
		if _, err := Plain("mod.ts", text); err != nil {
			continue
		}
		got, _ := repaired(b, module, text)
		if got != text {
			rewritten++
		}
		if _, err := Plain("mod.ts", got); err != nil {
			t.Errorf("%s\nbecame %s\n%v", text, got, err)
		}
	}
	if rewritten < 60 {
		t.Errorf("only %d texts were rewritten", rewritten)
	}
}

// What asks whether a module is the program in a way that is not known is said, with its
// line, where the module is only imported.
func TestOpenQuestionsAreSaid(t *testing.T) {
	b, module := noiseBuild(t)
	for text, want := range map[string]string{
		`if (same(import.meta.url, process.argv[1])) run()`:            "program-question",
		`runAsMain(import.meta, () => run())`:                          "",
		`mainGuard(import.meta)`:                                       "program-question",
		`f(process.argv[1] === fileURLToPath(import.meta.url))`:        "",
		`if (process.argv[1] && pathToFileURL(import.meta.url)) run()`: "",
	} {
		if _, codes := repaired(b, module, text); codes != want {
			t.Errorf("%s: got %q, want %q", text, codes, want)
		}
		if _, codes := repaired(b, b.entry, text); codes != "" {
			t.Errorf("%s: in the entry %q", text, codes)
		}
	}
}
