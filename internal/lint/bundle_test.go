package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"omcbuild/internal/diag"
)

const shebangLine = "#!/usr/bin/env node\n"

func TestBundleRules(t *testing.T) {
	const stub = `throw Error('Dynamic require of "' + x + '" is not supported')`
	guarded := "var r = ((x) => typeof require !== \"undefined\" ? require : function(x) { " + stub + " });\n"
	for _, test := range []struct{ name, file, text, want string }{
		{"a good one", "s.cjs", shebangLine + "\"use strict\";\nconst fs = require(\"fs\");\n", ""},
		{"a module without a first line", "m.mjs", "export const a = 1;\n", ""},
		{"empty", "s.cjs", "", "error bundle-empty s.cjs: the bundle is empty"},
		{"nothing but a first line", "s.cjs", shebangLine + " \n", "error bundle-empty s.cjs: the bundle is empty"},
		{"byte order mark", "s.cjs", "\ufeff" + shebangLine + "x\n", "error bundle-bom s.cjs:1:1: begins with a byte order mark"},
		{"byte order mark alone", "s.cjs", "\ufeffx\n", "error bundle-bom s.cjs:1:1: begins with a byte order mark"},
		{"two first lines", "s.cjs", shebangLine + shebangLine + "x\n", "error shebang-twice s.cjs:2:1: has a second line of #!; the program cannot start"},
		{"two with space between", "s.cjs", shebangLine + "\n  " + shebangLine + "x\n", "error shebang-twice s.cjs:3:3: has a second line of #!; the program cannot start"},
		{"a later string with #!", "s.cjs", shebangLine + "const a = `\n#!/bin/sh\n`;\n", ""},
		{"first line after a blank one", "s.cjs", "\n" + shebangLine + "x\n", "error shebang-place s.cjs:2:1: has its line of #! after other text"},
		{"another program", "s.cjs", "#!/usr/bin/env bun\nx\n", "warning shebang-program s.cjs:1:1: begins with #!/usr/bin/env bun"},
		{"an absolute program", "s.cjs", "#!/usr/local/bin/node\nx\n", "warning shebang-program s.cjs:1:1: begins with #!/usr/local/bin/node"},
		{"first line with CR", "s.cjs", "#!/usr/bin/env node\r\nx\n", "error shebang-crlf s.cjs:1:1: its first line ends in CR LF"},
		{"other lines with CR", "s.cjs", shebangLine + "x\ny\r\n", "warning bundle-crlf s.cjs:3:2: has CR line ends"},
		{"stub in a module", "m.mjs", "import x from 'x';\n" + guarded, `error require-stub m.mjs:2:87: holds a require that only throws ("Dynamic require of \"")`},
		{"stub in a module named .js", "m.js", "import{a}from\"x\";\n" + stub, `error require-stub m.js:2:14: holds a require that only throws ("Dynamic require of \"")`},
		{"guarded stub where require exists", "s.cjs", guarded, ""},
		{"guarded stub in a script named .js", "s.js", guarded, ""},
		{"bare stub", "s.cjs", "function f(x) { " + stub + " }\n", `error require-stub s.cjs:1:30: holds a require that only throws ("Dynamic require of \"")`},
		{"stub of another bundler", "s.cjs", "throw new Error('Could not dynamically require \"' + p)", `error require-stub s.cjs:1:18: holds a require that only throws ("Could not dynamically require")`},
		{"guard too far away", "s.cjs", "typeof require;" + strings.Repeat(" ", stubGuard) + stub, `error require-stub s.cjs:1:629: holds a require that only throws ("Dynamic require of \"")`},
		{"empty context", "s.cjs", "function webpackEmptyContext(req) {}\n", "warning require-context-empty s.cjs:1:10: holds an empty require of webpack"},
		{"fixed folder", "s.cjs", "var __dirname = \"/Users/anna/lib\";\n", `error fixed-dirname s.cjs:1:5: fixes __dirname = "/Users/anna/lib"`},
		{"fixed file on Windows", "s.cjs", "const __filename='C:\\\\src\\\\a.js'\n", `error fixed-dirname s.cjs:1:7: fixes __filename='C:\\src\\a.js'`},
		{"folder taken from where it runs", "s.cjs", "const __dirname = path.dirname(url); x.__dirname = \"\"\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines []string
			for _, d := range CheckBundle(BundleInput{File: test.file, Text: []byte(test.text)}) {
				lines = append(lines, fmt.Sprintf("%s %s %s", d.Level, d.Code, d))
				if d.Hint == "" {
					t.Errorf("%s has no hint", d.Code)
				}
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestHostPaths(t *testing.T) {
	hosts := []string{"/Users/anna", "/Users/anna/my plugin/", "/build", "/", "relative", ""}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", `a("/Users/annabel/x", "/Userss", "see /build/ or /build", "//Users")`, nil},
		{"folder", "// made in\n// /Users/anna/other/a.js\n", []string{"s.cjs:2:4: holds /Users/anna, a folder of this machine"}},
		{"the longest on a line", `"/Users/anna/my plugin/src/a.ts"`, []string{"s.cjs:1:2: holds /Users/anna/my plugin, a folder of this machine"}},
		{"in a URL", `"file:///Users/anna/my%20plugin/a"`, []string{"s.cjs:1:9: holds /Users/anna/my%20plugin, a folder of this machine"}},
		{"exactly", `"/Users/anna"`, []string{"s.cjs:1:2: holds /Users/anna, a folder of this machine"}},
		{"folder of one part", `"/build/.cache/x"`, []string{"s.cjs:1:2: holds /build, a folder of this machine"}},
		{"part of a longer path", `"/mnt/build/x", "/x/Users/anna/y"`, nil},
		{"once per line", "'/Users/anna/a'+'/Users/anna/b'", []string{"s.cjs:1:2: holds /Users/anna, a folder of this machine"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range CheckBundle(BundleInput{File: "s.cjs", Text: []byte(test.text), HostPaths: hosts}) {
				got = append(got, d.String())
				if d.Code != "host-path" || d.Level != diag.Error {
					t.Errorf("%+v", d)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzCheckBundle(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbf#!\r\n#!\n__dirname='/x'"), "/home/x")
	f.Add([]byte("#!"), "//")
	f.Add([]byte("Dynamic require of \""), "C:\\x")
	f.Fuzz(func(t *testing.T, text []byte, host string) {
		for _, d := range CheckBundle(BundleInput{File: "a.js", Text: text, HostPaths: []string{host}}) {
			if d.Code == "" || d.Message == "" || d.Hint == "" || d.Line > 1+strings.Count(string(text), "\n") {
				t.Fatalf("%+v", d)
			}
		}
	})
}
