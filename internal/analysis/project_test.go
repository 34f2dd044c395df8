package analysis_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/analysis"
	"omcbuild/internal/diag"
)

// hostile is what a file or package may be called to break out of a page.
const hostile = `"><img src=x onerror=alert(1)>'&amp;` + "\u2028\u202e`${1}"

// files are a small program with a package twice, names to be afraid of, and folders.
func files() map[string]string {
	return map[string]string{
		"package.json": `{ "name": "shop", "version": "1.2.0", "license": "MIT" }`,
		"src/main.js": `import "./deep/er/a.js"; import "./deep/er/b.js"; import "dep"; import "evil"; import("zod");` + "\n" +
			`import ` + jsString("./"+hostile+".js") + `; import "./<` + `/script><script>alert(2)<` + `/script>.js"; import "./__proto__/constructor.js"; import "./gone.js";` + "\n",
		"src/deep/er/a.js":       `console.log("` + strings.Repeat("a, the largest file. ", 300) + `");`,
		"src/deep/er/b.js":       `console.log("b");`,
		"src/gone.js":            ``,
		"src/" + hostile + ".js": `console.log("hostile");`,
		"src/<" + "/script><script>alert(2)<" + "/script>.js": `console.log("ends the script");`,
		"src/__proto__/constructor.js":                        `console.log("prototype");`,
		"node_modules/dep/package.json":                       `{ "version": "1.0.0", "license": "ISC" }`,
		"node_modules/dep/LICENSE":                            "ISC",
		"node_modules/dep/index.js":                           `/*! dep */ exports.z = require("zod"); exports.a = require("./lib/a");`,
		"node_modules/dep/lib/a.js":                           `exports.a = "a"`,
		"node_modules/dep/node_modules/zod/package.json":      `{ "version": "3.0.0", "license": "MIT" }`,
		"node_modules/dep/node_modules/zod/index.js":          `exports.old = "old zod"`,
		"node_modules/zod/package.json":                       `{ "version": "4.0.0", "license": "MIT" }`,
		"node_modules/zod/index.js":                           `exports.z = "zod"`,
		"node_modules/evil/package.json":                      `{ "version": "</script><b>1</b>", "license": "<img src=x onerror=alert(3)>" }`,
		"node_modules/evil/index.js":                          `exports.evil = 1`,
	}
}

func jsString(s string) string { return "'" + escapeSingle(s) + "'" }

func escapeSingle(s string) string {
	out := ""
	for _, r := range s {
		switch r {
		case '\'':
			out += `\'`
		case '\u2028':
			out += `\u2028`
		default:
			out += string(r)
		}
	}
	return out
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// describe bundles src/main.js of a project and looks at the bundle.
func describe(t *testing.T, files map[string]string) (*analysis.Bundle, *bundler.Result, diag.List) {
	t.Helper()
	root := writeFiles(t, files)
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "src/main.js", Outfile: "out/main.cjs", Graph: true, Metafile: true})
	if err != nil {
		t.Fatal(err)
	}
	b, list := analysis.Describe(analysis.Source{Name: "shop", Root: root, Result: result})
	return b, result, list
}
