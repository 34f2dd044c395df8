package bundler

import (
	"strings"
	"testing"
)

func TestMarksStandAtTheStartOfEachOuterFunction(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a declaration":         {`function f(a) { return a; }`, `function f(a) {# return a; }`},
		"an arrow":              {`const f = async (a) => { await a; };`, `const f = async (a) => {# await a; };`},
		"a method":              {`const o = { f(a) { return a; }, get g() { return 1; } };`, `const o = { f(a) {# return a; }, get g() {# return 1; } };`},
		"a class":               {`class A { constructor(private x: B) { super(); } static { go(); } }`, `class A { constructor(private x: B) {# super(); } static { go(); } }`},
		"one within another":    {`function f() { return () => { return 1; }; }`, `function f() {# return () => { return 1; }; }`},
		"a return type":         {`function f(a: A): Promise<B[]> { return a; }`, `function f(a: A): Promise<B[]> {# return a; }`},
		"a block":               {`{ f(); } if (a) { f(); } for (const b of c) { f(); } try { f(); } catch (e) { f(); } switch (a) { case 1: f(); }`, ``},
		"an object":             {`const f = () => ({ a: 1 });`, ``},
		"an expression":         {`const f = (a) => a + 1;`, ``},
		"the type of functions": {`type F = () => { a: string }; interface I { f: () => { readonly b?: number }; g: () => { [key: string]: C } }`, ``},
		"nothing inside":        {`function f() {}`, ``},
		"what cannot be read":   {`function f() { ( }`, ``},
	} {
		got, marked := mark(c.text, "a.ts", "ran")
		number := 0
		for strings.Contains(c.want, "#") {
			c.want = strings.Replace(c.want, "#", `ran("a.ts",`+string(rune('0'+number))+`);`, 1)
			number++
		}
		if c.want == "" {
			c.want = c.text
		}
		if got != c.want || marked != (number > 0) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestOutlinesHoldAllButWhatDidNotRun(t *testing.T) {
	const text = "import { a } from \"./a\";\nconst kept = 1;\nfunction ran() { return a; }\nexport const tool = { name: ran(), handler: () => { return a + kept; } };\n"
	outline, ok := Outline(text, []int{0})
	if !ok {
		t.Fatal("not read")
	}
	for name, c := range map[string]struct {
		old, new string
		same     bool
	}{
		"nothing":                            {"", "", true},
		"a byte order mark":                  {"import", "\ufeffimport", true},
		"within what did not run":            {"a + kept", "\n// new\n  kept - [a, \"}\"].length", true},
		"within what ran":                    {"return a;", "return a + 1;", false},
		"what it is called with":             {"handler: ()", "handler: (b = a())", false},
		"the end of what did not run":        {"a + kept; }", "a; }, other: () => { return kept; }", false},
		"another function":                   {"export const", "function other() { return 1; }\nexport const", false},
		"one function less":                  {"() => { return a + kept; }", "go", false},
		"what it imports":                    {"./a", "./b", false},
		"a value that nothing hands on more": {"a + kept", "a", false},
		"what can be read":                   {"a + kept", "(a", false},
	} {
		now := strings.Replace(text, c.old, c.new, 1)
		if got, fine := Outline(now, []int{0}); (fine && got == outline) != c.same {
			t.Errorf("%s: same outline %v, want %v: %s", name, !c.same, c.same, got)
		}
	}
}
