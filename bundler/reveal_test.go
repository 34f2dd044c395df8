package bundler

import (
	"strings"
	"testing"
)

func TestRevealShowsWhatAModuleKeepsToItself(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"forgotten", "const bye = tool({ name: 'bye' });\nexport const all = [];", "bye"},
		{"with a type", "import * as z from 'zod';\nconst bye: Tool<string, number> = { a };\nlet c = 1", "bye c"},
		{"exported", "export const a = 1;\nconst b = 2;\nexport { b };\nconst c = 3;\nexport default c;", ""},
		{"used", "const a = 1;\nexport const all = [a];\nconst b = { ...{} };\nall.push(b);", ""},
		{"used in shorthand", "const a = 1;\nexport const all = { a };", ""},
		{"spread", "const base = {};\nexport const a = { ...base };", ""},
		{"in a template", "const a = 1;\nexport const b = `${a}`;", ""},
		{"asked for a member only", "const a = tool({ run() { return a.name + a?.name } });\nexport type A = typeof a;\nx.a = { b, a: 1 };\nexport {};", "a"},
		{"within a function", "export function f() { const a = 1 }\nexport const g = () => { let b = 2 };\nfor (const c of d) {}", ""},
		{"declared", "declare const VERSION: string;\nconst enum E { A }\nexport {};", ""},
		{"twice", "var a = 1;\nvar a = 2;\nexport {};", ""},
		{"in words", "// const a = 1\nexport const b = 'const a = 1', c = /const a = 1/;", ""},
		{"without semicolons", "const f = () => 1\nconst a = 2\nexport const b = f", "a"},
		{"after an asynchronous start", "const a = await import('x');\nexport {}", "a"},
		{"no module", "const a = 1;\nmodule.exports = {};", ""},
		{"no module, with import()", "const a = 1;\nimport('x'); x.import = 1;", ""},
		{"old TypeScript module", "import x = require('x');\nconst a = 1;\nexport = x;", ""},
		{"lost", "const a = (1;\nexport {};", ""},
	} {
		var list []string
		for _, name := range strings.Fields(test.want) {
			list = append(list, name+" as _"+name)
		}
		want := ""
		if len(list) > 0 {
			want = "\nexport { " + strings.Join(list, ", ") + " };\n"
		}
		if got := reveal(test.text, "_"); got != want {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}
