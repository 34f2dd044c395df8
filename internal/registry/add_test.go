package registry_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/registry"
)

// mint is the family that the tests add.
var mint = registry.Family{
	Export: "mintTools", File: "src/tools/mint-tools.ts",
	Neighbours: []string{"src/tools/basil-tools.ts", "src/tools/sage-tools.ts"},
}

const (
	basil = `import { basilTools } from "../tools/basil-tools.js";` + "\n"
	sage  = `import { sageTools } from "../tools/sage-tools.js";` + "\n"
	mints = `import { mintTools } from "../tools/mint-tools.js";` + "\n"
)

// accepted are registries before and after. ‹ and › stand around what is added.
var accepted = map[string]string{
	"in alphabetical order":                        basil + "‹" + mints + "›" + sage + "export const allTools = [\n  ...basilTools,\n  ...sageTools,\n‹  ...mintTools,\n›];\n",
	"after the last import when there is no order": sage + basil + "import { z } from \"zod\";\n‹" + mints + "›export const allTools = [...sageTools, ...basilTools‹, ...mintTools›];\n",
	"among values when types follow":               basil + "‹" + mints + "›" + sage + "import type { ToolDef } from \"../tools/a.js\";\nexport const allTools: ToolDef[] = [...basilTools, ...sageTools‹, ...mintTools›];\n",
	"first of its folder, behind another":          "import * as z from \"zod\";\n‹" + mints + "›" + sage + "export const allTools = [...sageTools‹, ...mintTools›];\n",
	"below a comment about the file":               "/** The tools. */\n‹" + mints + "›" + sage + "export const allTools = [...sageTools‹, ...mintTools›];\n",
	"below an import with a directive":             "// @ts-expect-error has no types\n" + sage + "‹" + mints + "›export const allTools = [...sageTools‹, ...mintTools›];\n",
	"single quotes without semicolons":             "import { basilTools } from '../tools/basil-tools'\n‹import { mintTools } from '../tools/mint-tools'\n›\nexport const allTools = [\n  ...basilTools‹,\n  ...mintTools›\n]\n",
	"braces without spaces and the ending .ts":     "import {basilTools} from '../tools/basil-tools.ts';\n‹import {mintTools} from '../tools/mint-tools.ts';\n›export const allTools = [...basilTools,‹ ...mintTools,›];\n",
	"tabs":                       basil + "‹" + mints + "›export const allTools = [\n\t...basilTools,\n‹\t...mintTools,\n›];\n",
	"carriage returns":           "import { basilTools } from \"../tools/basil-tools.js\";\r\n‹import { mintTools } from \"../tools/mint-tools.js\";\r\n›export const allTools = [\r\n  ...basilTools,\r\n‹  ...mintTools,\r\n›];\r\n",
	"a byte order mark":          "\ufeff" + basil + "‹" + mints + "›export const allTools = [...basilTools‹, ...mintTools›];\n",
	"an empty array":             basil + "‹" + mints + "›export const allTools: ToolDef[] = [‹...mintTools›];\n",
	"an empty array with a word": basil + "‹" + mints + "›export const allTools = [\n  // none ] yet\n‹  ...mintTools,\n›];\n",
	"an empty array of one line": basil + "‹" + mints + "›export const allTools = [/* none */‹ ...mintTools›];\n",
	"no import":                  "‹" + mints + "\n›// All.\nexport const allTools = [‹...mintTools›];\n",
	"no import below a #! line":  "#!/usr/bin/env node\n‹" + mints + "\n›export const allTools = [‹...mintTools›];\n",
	"no import, no semicolon":    "‹import { mintTools } from \"../tools/mint-tools.js\"\n\n›export const allTools = [‹...mintTools›]\n",
	"no line end at the end":     basil + "‹" + mints + "›export const allTools = [...basilTools‹, ...mintTools›]",
	"as const":                   basil + "‹" + mints + "›export const allTools = [...basilTools‹, ...mintTools›] as const;\n",
	"satisfies":                  basil + "‹" + mints + "›export const allTools = [\n  ...basilTools,\n‹  ...mintTools,\n›] as const satisfies readonly ToolDef<[a: string, b: { c: \"]\" }]>[];\n",
	"a type with an arrow":       basil + "‹" + mints + "›export const allTools: Array<{ run: (a: number[]) => [1] }> = [...basilTools‹, ...mintTools›];\n",
	"Object.freeze":              basil + "‹" + mints + "›export const allTools = Object.freeze([...basilTools‹, ...mintTools›]);\n",
	"a comment before the array": basil + "‹" + mints + "›export const allTools = // all\n  [...basilTools‹, ...mintTools›];\n",
	"a comment before a frozen":  basil + "‹" + mints + "›export const allTools = /* all */ (Object.freeze([...basilTools‹, ...mintTools›]));\n",
	"exported below":             basil + "‹" + mints + "›const allTools = [...basilTools‹, ...mintTools›];\nexport { allTools };\n",
	"exported by another name":   basil + "‹" + mints + "›const tools = [...basilTools‹, ...mintTools›];\nexport { a, tools as allTools };\n",
	"another name for an array":  basil + "‹" + mints + "›const tools = [...basilTools‹, ...mintTools›];\nexport const allTools = tools as ToolDef[];\n",
	"tools one by one":           basil + "‹" + mints + "›export const allTools = [\n  one,\n  {\n    name: \"two, three\",\n    run() { return [1, 2]; },\n  },\n‹  ...mintTools,\n›];\n",
	"chosen tools":               basil + "‹" + mints + "›export const allTools = [...basilTools, ...(process.env.A ? [a, b] : [])‹, ...mintTools›];\n",
	"two on a line":              basil + "‹" + mints + "›export const allTools = [\n  ...a, ...b,\n  ...c, ...d,\n‹  ...mintTools,\n›];\n",
	"a bracket on the last line": basil + "‹" + mints + "›export const allTools = [\n  ...a,\n  ...b‹,\n  ...mintTools›];\n",
	"commas in front":            basil + "‹" + mints + "›export const allTools = [\n    ...a\n  , ...b\n‹  , ...mintTools\n›];\n",
	"comments behind elements":   basil + "‹" + mints + "›export const allTools = [\n  ...a, // one\n  ...b,  /* two\n  ] */ // three ]\n‹  ...mintTools,\n›  // ...oldTools,\n];\n",
	"a comment, no comma":        basil + "‹" + mints + "›export const allTools = [\n  ...a,\n  ...b‹,› // [two\n‹  ...mintTools\n›];\n",
	"a comment in a line":        basil + "‹" + mints + "›export const allTools = [...a, ...b /* ] */‹, ...mintTools›];\n",
	"commented out":              basil + "‹" + mints + "›// import { mintTools } from \"../tools/mint-tools.js\";\nexport const allTools = [\n  ...basilTools,\n‹  ...mintTools,\n›  // ...mintTools,\n];\n",
	"a comment behind an import": "import { basilTools } from \"../tools/basil-tools.js\"; // herbs\n‹" + mints + "›export const allTools = [...basilTools‹, ...mintTools›];\n",
	"an import over lines":       "import {\n  basilTools,\n  more,\n} from \"../tools/basil-tools.js\";\n‹" + mints + "›export const allTools = [...basilTools‹, ...mintTools›];\n",
	"decoys": basil + "‹" + mints + "›" + "const s = \"export const allTools = [\";\n// export const allTools = [];\n/* const allTools = [ */\n" +
		"const t = `const allTools = [${[1, `]`].length}`;\nconst r = /allTools = [\\]\"'`]/;\nfunction f() { const allTools = [1]; return allTools; }\n" +
		"export const allTools = [\n  ...basilTools,\n  ...(\"]\".length > 1 ? [`]`, /]/.source] : []),\n‹  ...mintTools,\n›];\nexport const n = allTools.length / 2;\n",
	"an alias of the folder":    "import { basilTools } from \"@/tools/basil-tools\";\n‹import { mintTools } from \"@/tools/mint-tools\";\n›export const allTools = [...basilTools‹, ...mintTools›];\n",
	"the same folder":           "import { a } from \"./a.js\";\nimport { b } from \"./b.js\";\n‹import { mintTools } from \"../tools/mint-tools.js\";\n›export const allTools = [...a, ...b‹, ...mintTools›];\n",
	"the ending of others":      "import { a } from './a.mjs';\n‹import { mintTools } from '../tools/mint-tools.mjs';\n›export const allTools = [...a‹, ...mintTools›];\n",
	"let, assigned once":        basil + "‹" + mints + "›export let allTools = [...basilTools‹, ...mintTools›];\nif (allTools.length == 0 || allTools === undefined) throw 1;\n",
	"attributes of an import":   basil + "‹" + mints + "›import data from \"./data.json\" with { type: \"json\" };\nexport const allTools = [...basilTools, ...data‹, ...mintTools›];\n",
	"two imports on a line":     "import { basilTools } from \"../tools/basil-tools.js\";‹\nimport { mintTools } from \"../tools/mint-tools.js\";› import b from \"b\";\nexport const allTools = [...basilTools‹, ...mintTools›];\n",
	"import() and import.meta":  basil + "‹" + mints + "›export const allTools = [...basilTools, ...(await import(\"./b.js\")).tools, import.meta.url‹, ...mintTools›];\n",
	"imports at the end":        "export const allTools = [...basilTools‹, ...mintTools›];\nimport { basilTools } from \"../tools/basil-tools.js\";‹\nimport { mintTools } from \"../tools/mint-tools.js\";›",
	"an empty array, then push": basil + "‹" + mints + "›export const allTools: ToolDef[] = [‹...mintTools›];\nallTools.push(...basilTools);\n",
}

func TestAdd(t *testing.T) {
	for name, marked := range accepted {
		t.Run(name, func(t *testing.T) {
			before, after := unmark(marked)
			edit, err := registry.Add("src/mcp/tool-registry.ts", before, mint)
			if err != nil {
				t.Fatalf("%v\n%s", err, before)
			}
			if edit.Text != after {
				t.Errorf("got\n%q\nwant\n%q", edit.Text, after)
			}
			if _, err := registry.Add("src/mcp/tool-registry.ts", edit.Text, mint); code(err) != "family-exists" {
				t.Errorf("added a second time: %v", err)
			}
		})
	}
}

// unmark returns a registry without and with what stands between the marks.
func unmark(marked string) (before, after string) {
	after = strings.NewReplacer("‹", "", "›", "").Replace(marked)
	for {
		head, rest, found := strings.Cut(marked, "‹")
		before += head
		if !found {
			return before, after
		}
		_, marked, _ = strings.Cut(rest, "›")
	}
}

func code(err error) string {
	var failure *diag.Failure
	if errors.As(err, &failure) && len(failure.Diagnostics) > 0 {
		return failure.Diagnostics[0].Code
	}
	return ""
}

// refused are registries that stay as they are, with the code of the answer and a
// part of it.
var refused = []struct{ name, text, code, says string }{
	{"concat", "export const allTools = [].concat(a, b);", "registry-shape", "one array"},
	{"a call", "export const allTools = collect(a, b);", "registry-shape", "one array"},
	{"a call on the array", "export const allTools = [...a].filter(Boolean);", "registry-shape", "one array"},
	{"a call on the next line", "export const allTools = [...a]\n  .filter(Boolean)", "registry-shape", "one array"},
	{"a call on the array below a comment", "export const allTools = ( // all\n  [...a]).filter(Boolean);", "registry-shape", "one array"},
	{"the last of several below a comment", "export const allTools = ( // all\n  [...a], [...b]);", "registry-shape", "one array"},
	{"an element of it", "export const allTools = [[...a]][0];", "registry-shape", "one array"},
	{"chosen", "export const allTools = x ? [...a] : [...b];", "registry-shape", "one array"},
	{"a wrapper", "export const allTools = defineTools([...a]);", "registry-shape", "one array"},
	{"a map", "export const allTools = { a, b };", "registry-shape", "one array"},
	{"a function", "export function allTools() { return [...a]; }", "registry-shape", "function"},
	{"from another file", "export { allTools } from \"./all.js\";", "registry-shape", "another file"},
	{"everything from another file", "export * from \"./all.js\";", "registry-shape", "does not export"},
	{"imported", "import { allTools } from \"./all.js\";\nexport { allTools };", "registry-shape", "declaration"},
	{"not exported", "const allTools = [...a];", "registry-shape", "does not export"},
	{"CommonJS", "const allTools = [...a];\nmodule.exports = { allTools };", "registry-shape", "does not export"},
	{"empty", "", "registry-shape", "does not export"},
	{"assigned again", "export let allTools = [...a];\nallTools = [...b];", "registry-shape", "more than once"},
	{"destructured", "export const { allTools } = load();", "registry-shape", "does not export"},
	{"in a comment", "// export const allTools = [];\n", "registry-shape", "does not export"},
	{"in a text", "export const text = `export const allTools = [];`;", "registry-shape", "does not export"},
	{"in a block", "{ const allTools = []; }\nexport const other = 1;", "registry-shape", "does not export"},
	{"no source", "export const allTools = [", "registry-shape", "told apart"},
	{"a syntax error", "export const allTools = [...a b];", "syntax", "Expected"},
	{"not UTF-8", "export const allTools = [\"\xff\"];", "registry-shape", "told apart"},
	{"too large", "export const allTools = [];\n" + strings.Repeat("// more\n", 20_000), "registry-shape", "160028 bytes"},
	{"too many brackets", "export const allTools = [];\nx = " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "registry-shape", "nested too deeply"},
	{"too many functions", "export const allTools = [];\nx = " + strings.Repeat("x=>", 20_000) + "1", "registry-shape", "nested too deeply"},
	{"there, by name", "import { mintTools } from \"./elsewhere.js\";\nexport const allTools = [...mintTools];", "family-exists", "mintTools"},
	{"there, by file", "import { herbs } from \"../tools/mint-tools.js\";\nexport const allTools = [...herbs];", "family-exists", "mintTools"},
	{"there, not registered", "import \"../tools/mint-tools\";\nexport const allTools = [];", "family-exists", "mintTools"},
}

// Paths that begin in the registry's own folder keep their dot.
func TestAddBesideAndBelow(t *testing.T) {
	for file, want := range map[string]string{
		"src/tools/index.ts": `import { mintTools } from "./mint-tools.js";`,
		"src/registry.ts":    `import { mintTools } from "./tools/mint-tools.js";`,
		"index.ts":           `import { mintTools } from "./src/tools/mint-tools.js";`,
		"lib/a/index.ts":     `import { mintTools } from "../../src/tools/mint-tools.js";`,
	} {
		known := strings.ReplaceAll(want, "mint", "basil")
		for _, text := range []string{known + "\nexport const allTools = [...basilTools];", "export const allTools = [];"} {
			edit, err := registry.Add(file, text, mint)
			if err != nil || edit.Import != want {
				t.Errorf("%s: got %v, %v", file, edit, err)
			}
		}
	}
}

func TestAddRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			_, err := registry.Add("src/mcp/tool-registry.ts", c.text, mint)
			if code(err) != c.code || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.says)) {
				t.Fatalf("got %q %v, want %s with %q", code(err), err, c.code, c.says)
			}
			var failure *diag.Failure
			if errors.As(err, &failure); c.code == "registry-shape" && c.name != "too large" {
				for _, line := range []string{`import { mintTools } from "../tools/mint-tools.js"`, "...mintTools,"} {
					if !strings.Contains(failure.Diagnostics[0].Hint, line) {
						t.Errorf("the hint lacks %s: %s", line, failure.Diagnostics[0].Hint)
					}
				}
			}
		})
	}
}

// The registries of this repository: its own, the template's and the tests'.
func TestAddToOurRegistries(t *testing.T) {
	for _, file := range []string{"src/mcp/tool-registry.ts", "plugin-template/files/src/mcp/tool-registry.ts", "cmd/omcbuild/testdata/plugin/src/mcp/tool-registry.ts"} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		edit, err := registry.Add("src/mcp/tool-registry.ts", string(text), mint)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := strings.Replace(edit.Text, "\n"+edit.Import, "", 1); got == edit.Text || !strings.Contains(got, edit.Spread) {
			t.Errorf("%s: got\n%s", file, edit.Text)
		}
	}
}

// Whatever the file, nothing panics, and what is accepted is the file with two
// pieces of text put in.
func FuzzAdd(f *testing.F) {
	for _, marked := range accepted {
		before, _ := unmark(marked)
		f.Add(before)
	}
	for _, c := range refused {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		edit, err := registry.Add("src/mcp/tool-registry.ts", text, mint)
		if err != nil {
			if code(err) == "" {
				t.Fatalf("%q: %v is no failure", text, err)
			}
			return
		}
		rest := edit.Text
		for _, c := range []byte(text) { // every byte of the file is still there, in order
			i := strings.IndexByte(rest, c)
			if i < 0 {
				t.Fatalf("%q became %q", text, edit.Text)
			}
			rest = rest[i+1:]
		}
		if strings.Count(edit.Text, edit.Spread)-strings.Count(text, edit.Spread) != 1 || strings.Count(edit.Text, edit.Import)-strings.Count(text, edit.Import) != 1 {
			t.Fatalf("%q became %q", text, edit.Text)
		}
		if more := len(edit.Text) - len(text); more > 2*(len(edit.Import)+len(edit.Spread))+len(text) {
			t.Fatalf("%q became %d bytes longer", text, more)
		}
	})
}
