package surface

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLineOfName(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       int
	}{
		{"member", "const a = {\n  name: \"echo\",\n};", 2},
		{"quoted member", "const a = {\n  'name' : 'echo' };", 2},
		{"member after another mention", "log('echo');\ncall({ name: 'echo' })", 2},
		{"only a mention", "\n\nserver.tool('echo', {})", 3},
		{"template", "x\nname: `echo`", 2},
		{"comment", "// name: 'echo'\n/* name: \"echo\"\n */ const name = 1;", 0},
		{"comment between", "name: /* the name */ 'echo'", 1},
		{"regular expression", "const r = /[/'\"]name: 'echo'/g;\nname: 'echo'", 2},
		{"division", "const r = a / b; name: 'echo' / 2", 1},
		{"apostrophe in a comment", "// don't\nname: 'echo'", 2},
		{"unclosed quote", "const a = 'oops\nname: 'echo'", 2},
		{"escaped quote", `const a = 'it\'s "x'` + "\nname: 'echo'", 2},
		{"template with lines", "const a = `\n\n'echo'\n`;\nname: 'echo'", 5},
		{"other name", "name: 'echo_all'", 0},
		{"built from parts", "name: PREFIX + '_echo'", 0},
		{"unclosed everything", "name: `echo", 1},
		{"escape at the end", "'\\", 0},
		{"empty", "", 0},
	} {
		if got := lineOfName(literalsOf(test.text), "echo", 0); got != test.want {
			t.Errorf("%s: line %d, want %d", test.name, got, test.want)
		}
	}
}

func TestLineOfNameTellsToolsOfOneNameApart(t *testing.T) {
	literals := literalsOf("log('echo');\nconst a = { name: 'echo' };\nconst b = { name: 'echo' };")
	for before, want := range []int{2, 3, 3} {
		if got := lineOfName(literals, "echo", before); got != want {
			t.Errorf("after %d others: line %d, want %d", before, got, want)
		}
	}
}

func TestLocateStaysInsideTheRoot(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.ts")
	if err := os.WriteFile(outside, []byte("name: 'a'"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "link.ts")); err != nil {
		t.Fatal(err)
	}
	s := Source{Tools: []SourceTool{{Name: "a", File: "link.ts"}, {Name: "a", File: "../outside.ts"}, {Name: "a", File: "none.ts"}, {Name: "a", File: "."}}}
	s.Locate(root)
	s.Locate(filepath.Join(root, "none"))
	for _, tool := range s.Tools {
		if tool.Line != 0 {
			t.Errorf("%s: line %d from outside the root", tool.File, tool.Line)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	for _, seed := range []string{"'a'/\"b\"/`c`", "/* /", "//", "/[/]/", "`${'a'}`", "return /'/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range literalsOf(text) {
			if l.line < 1 {
				t.Fatalf("%+v", l)
			}
		}
	})
}
