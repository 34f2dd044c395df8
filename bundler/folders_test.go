package bundler

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/jsscan"
)

// Which functions stand for a folder: those that give back the same one on every way
// and are called and nothing else.
func TestFunctionsThatReturnFolders(t *testing.T) {
	const known = "here"
	cases := map[string]string{
		"const here = () => __dirname; f(join(here(), 'x'))":                                              known,
		"const here = (): string => dirname(fileURLToPath(import.meta.url));":                             known,
		"function here() { return import.meta.dirname; }":                                                 known,
		"let here = function () { return __dirname }":                                                     known,
		"async () => {}; function here(): string { if (x) { return __dirname } return __dirname }":        known,
		"function here() { try { return __dirname } catch (e) { return cwd() } }":                         known,
		"function here() { try { return __dirname } catch { return cwd() } }":                             known,
		"function here() { const f = () => { return 1 }; return __dirname }":                              known,
		"const here = () => typeof __dirname === 'undefined' ? import.meta.dirname : dirname(__filename)": known,
		"function here(x) { return __dirname }":                                                           "",
		"const here = (x) => __dirname":                                                                   "",
		"function here() { return x ? cwd() : __dirname }":                                                "",
		"function here() { if (x) return cwd(); return __dirname }":                                       "",
		"function here() { if (x) return join(__dirname, '..'); return __dirname }":                       "",
		"export const here = () => __dirname":                                                             "",
		"export function here() { return __dirname }":                                                     "",
		"export default function here() { return __dirname }":                                             "",
		"function here() { return __dirname } use(here)":                                                  "",
		"function here() { return __dirname } export { here }":                                            "",
		"function here() { return __dirname } function here() { return cwd() }":                           "",
		"o.here = () => __dirname":                                                                        "",
		"class A { here() { return __dirname } }":                                                         "",
	}
	root := t.TempDir()
	for source, want := range cases {
		o, err := Options{Root: root, Entry: "main.ts", Outfile: "s.cjs"}.check()
		if err != nil {
			t.Fatal(err)
		}
		f, ok := jsscan.Scan(source)
		if !ok {
			t.Fatalf("%s: lost", source)
		}
		b := newBuild(o, root, &family{outfile: o.Outfile, known: map[string]bool{}})
		n := b.neighbours(filepath.Join(o.Root, "mod.ts"), f)
		got := strings.Join(sortedKeys(n.r.returns), " ")
		if got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
		if want == "" && len(n.found) == 0 {
			t.Errorf("%s: nothing is said", source)
		}
	}
}

// Whatever the text, looking for places ends, and changes keep the lines.
func FuzzFolders(f *testing.F) {
	f.Add("const here = () => __dirname; f(join(here(), 'x'))")
	f.Add("function a() { try { return typeof __dirname ? __dirname : dirname(__filename) } catch (e) { return b() } }")
	f.Add("function b() { return join(a(), '..') }\nreadFileSync(new URL('x', import.meta.url)) || require.resolve(`./${x}`)")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		scan, ok := jsscan.Scan(text)
		if !ok {
			return
		}
		o, err := Options{Root: root, Entry: "main.ts", Outfile: "s.cjs"}.check()
		if err != nil {
			t.Fatal(err)
		}
		b := newBuild(o, root, &family{outfile: o.Outfile, known: map[string]bool{}})
		n := b.neighbours(filepath.Join(o.Root, "mod.ts"), scan)
		edits, found := b.elsewhere(filepath.Join(o.Root, "mod.ts"), scan)
		if got := apply(text, append(edits, n.edits...)); strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q (%v)", text, got, found)
		}
		again := b.neighbours(filepath.Join(o.Root, "mod.ts"), scan)
		if !maps.Equal(again.r.returns, n.r.returns) || len(again.found) != len(n.found) {
			t.Errorf("%q: two looks differ", text)
		}
	})
}
