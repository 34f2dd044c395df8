package bundler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// deepSources are what is before, at and behind the middle of a source, repeated.
var deepSources = map[string][3]string{
	"not": {"!", "x", ""}, "minus": {"- ", "x", ""}, "typeof": {"typeof ", "x", ""}, "await": {"await\n", "x", ""}, "new": {"new ", "x", ""},
	"parentheses": {"(", "x", ")"}, "lists": {"[", "x", "]"}, "objects": {"{a:", "x", "}"}, "templates": {"`${", "x", "}`"}, "tagged": {"", "x", "``"},
	"members": {"", "x", ".a"}, "lines": {"", "x", "\n.a"}, "calls": {"", "x", "()"}, "arguments": {"", "x", ".a(1, 2)"}, "indexes": {"", "x", "[0]"}, "optional": {"", "x", "?.a"},
	"else": {"a?b:", "x", ""}, "then": {"a?", "x", ":b"}, "objects chosen": {"a?{}:", "x", ""}, "assignments": {"a=", "x", ""}, "arrows": {"a=>", "x", ""}, "powers": {"a**", "x", ""},
	"functions": {"function(){return ", "x", "}"}, "classes": {"class{a=", "x", "}"}, "parents": {"class extends ", "x", "{}"}, "as": {"", "x", " as any"}, "elements": {"<a>", "x", "</a>"},
	"; blocks": {"{", "x", "}"}, "; if": {"if(a)", "x", ""}, "; else if": {"if(a)b;else ", "x", ""}, "; else if with blocks": {"if (a) { b; } else ", "x", ""},
	"; for": {"for(;;)", "x", ""}, "; while": {"while (a)\n", "x", ""}, "; do": {"do ", "x", ";while(1);"}, "; try": {"try{", "x", "}finally{}"}, "; named": {"function a(){", "x", "}"},
	"; types": {"let y:A<", "x", ">"}, "; namespaces": {"namespace a {", "x", "}"}, "; patterns": {"[", "x", "]=[]"},
}

func deepSource(name string, levels int) string {
	parts, before := deepSources[name], "export const y = "
	if strings.HasPrefix(name, "; ") {
		before = "export const y = 1; "
	}
	return before + strings.Repeat(parts[0], levels) + parts[1] + strings.Repeat(parts[2], levels) + ";\n"
}

func buildWith(t *testing.T, name, text string) error {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "main.ts"), "import * as deep from './"+name+"';\nconsole.log(deep);\n")
	write(t, filepath.Join(root, name), text)
	_, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "main.ts", Outfile: "out.cjs"})
	return err
}

// What is nested without end would end the program, not only the build.
func TestNestingIsBounded(t *testing.T) {
	for name := range deepSources {
		err := buildWith(t, "deep.tsx", "// "+name+"\n"+deepSource(name, 60_000))
		if err == nil || !strings.HasPrefix(err.Error(), "deep.tsx:2") && name != "await" && name != "lines" && name != "; while" || !strings.Contains(err.Error(), "is nested more than 20000 levels deep") {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
	list := strings.Repeat("[", 60_000) + strings.Repeat("]", 60_000)
	for name, text := range map[string]string{
		"deep.json": `{ "a": "]]", "b": ` + list + "}", "deep.css": strings.Repeat("a{", 60_000) + strings.Repeat("}", 60_000),
		"package.json": `{ "a": ` + list + "}", "tsconfig.json": `{ "a": ` + list + "}", "node_modules/a/package.json": `{ "a": ` + list + "}",
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "main.ts"), "import 'a'; import './deep.json'; import './deep.css';")
		write(t, filepath.Join(root, "deep.json"), "{}")
		write(t, filepath.Join(root, "deep.css"), "")
		write(t, filepath.Join(root, "node_modules", "a", "index.js"), "")
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
		_, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "main.ts", Outfile: "out.cjs"})
		if err == nil || !strings.Contains(err.Error(), name+":1:") || !strings.Contains(err.Error(), "is nested more than") {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
}

// However long a source is, it is bundled when it is flat.
func TestFlatSourcesAreNotDeep(t *testing.T) {
	const many = 25_000
	lines := func(format string) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"list":          "export default [" + strings.Repeat("[(1), -a.b], ", many) + "]; const a = { b: 1 };",
		"object":        "export default {" + lines("a%d: { b: !1, c: x => x.y },\n") + "}",
		"statements":    "let a = { b: 1 }\n" + strings.Repeat("a.b = !a.b\n", many) + "export { a }",
		"declarations":  lines("export const a%d = typeof 1\n"),
		"functions":     lines("export function f%d(a = {}) { return a.b ? 1 : 2 }\n"),
		"methods":       "export class A {" + lines("m%d() { return !this }\n") + "}",
		"fields":        "export class A {" + lines("f%d = !1\n") + "}",
		"interface":     "export interface A {" + lines("f%d: string[]\n") + "}",
		"union":         "export type A =" + lines("| \"a%d\"\n") + "; export const a = 1",
		"sum":           "export default ''" + strings.Repeat(" + 'a'", many),
		"cases":         "export function f(a) { switch (a) {" + lines("case %d:\n") + "return 1; } }",
		"ifs":           "export function f(a) {" + lines("if (a === %d) { f(a.b) }\n") + "}",
		"strings":       "export default [" + strings.Repeat("'(', ", many) + "]",
		"string":        "export default '" + strings.Repeat("({[", many) + "'",
		"comment":       "/*" + strings.Repeat("( ", many) + "*/ export {}",
		"pattern":       "export default /" + strings.Repeat(`\(`, many) + "/",
		"template":      "export default `" + strings.Repeat("${1} a. ", 10_000) + "`",
		"words":         "export default `" + strings.Repeat("word ", many) + "`",
		"else if":       "export function f(a) {" + strings.Repeat("if (a) f(); else ", 2000) + "f() }",
		"some elements": "const React: any = 1; export default [<a>" + strings.Repeat("<b>c</b>\n", 4000) + "</a>]",
	} {
		if err := buildWith(t, "flat.tsx", text); err != nil {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
	if err := buildWith(t, "flat.json", `{ "a": "`+strings.Repeat(`\"[`, many)+`", "b": [`+strings.Repeat("[{}],", many)+"1] }"); err != nil {
		t.Errorf("JSON: %.200v", err)
	}
}
