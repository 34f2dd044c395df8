package surface

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
)

// sourceOf runs the collector over a small repository of ES modules. Node loads
// them itself, so nothing is bundled; the program is the same.
func sourceOf(t *testing.T, repository string, timeout time.Duration) (*Source, error) {
	t.Helper()
	archive := txtar.Parse([]byte(repository))
	root := t.TempDir()
	extra := map[string][]byte{}
	var families []string
	registry := ""
	for _, file := range archive.Files {
		extra[file.Name] = file.Data
		full := filepath.Join(root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(file.Name, "-tools.mjs"):
			families = append(families, file.Name)
		case strings.HasSuffix(file.Name, "registry.mjs"):
			registry = file.Name
		}
	}
	return ReadSource(context.Background(), SourceOptions{
		Node: nodeProgram(t), Bundle: []byte(CollectorSource(families, registry)), FileName: "collector.mjs",
		Extra: extra, Root: root, Timeout: timeout,
	})
}

const shop = `
-- src/tools/cart-tools.mjs --
// "cart_add" is named here, in a comment
const schema = { type: "object", properties: { item: {}, count: {} }, required: ["item"] };
console.log("noise on stdout");
const cartAdd = { description: "", handler() {}, schema,
  name: "cart_add" };
export const cartTools = [cartAdd, { name: "cart_clear", execute: async () => {}, inputSchema: {} }];
export const again = cartAdd;
export const version = "1.0.0";
export const notATool = { name: "x", schema };
-- src/tools/price-tools.mjs --
export const price = { name: "price", callback() {}, parameters: { type: "object" } };
export default [{ name: 'price_list', handler() {}, input: {} }];
-- src/registry.mjs --
import { cartTools } from "./tools/cart-tools.mjs";
import { price } from "./tools/price-tools.mjs";
const elsewhere = { name: "elsewhere", schema: {}, handler() {} };
export const allTools = [...cartTools, { ...price }, elsewhere];
`

func TestReadSourceFindsToolsWhereverTheyAreExported(t *testing.T) {
	source, err := sourceOf(t, shop, 0)
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	want := []SourceTool{
		{Name: "cart_add", File: "src/tools/cart-tools.mjs", Line: 5, Export: "cartTools", Many: true, InAllTools: true,
			Parameters: []Parameter{{"item", &yes}, {"count", &no}}},
		{Name: "cart_clear", File: "src/tools/cart-tools.mjs", Line: 6, Export: "cartTools", Many: true, InAllTools: true, Parameters: []Parameter{}},
		{Name: "price_list", File: "src/tools/price-tools.mjs", Line: 2, Export: "default", Many: true, Parameters: []Parameter{}},
		{Name: "price", File: "src/tools/price-tools.mjs", Line: 1, Export: "price", InAllTools: true, Parameters: []Parameter{}},
	}
	if !reflect.DeepEqual(source.Tools, want) {
		t.Errorf("tools\n got %+v\nwant %+v", source.Tools, want)
	}
	var names []string
	for _, tool := range source.Registered {
		names = append(names, tool.Name)
	}
	if !reflect.DeepEqual(names, []string{"cart_add", "cart_clear", "price", "elsewhere"}) || source.Registry != "src/registry.mjs" {
		t.Errorf("registered %v in %q", names, source.Registry)
	}
	if len(source.Diagnostics) != 0 {
		t.Errorf("diagnostics: %v", source.Diagnostics)
	}
}

func TestReadSourceFindsToolsThatNothingUses(t *testing.T) {
	source, err := sourceOf(t, `-- src/x-tools.mjs --
const tool = (name, more) => ({ name, schema: {}, handler() {}, ...more });
const kept = tool("kept", { description: "" });
const forgotten = tool("forgotten", { description: "" });
const others = [tool("other", { description: "" }), kept, 3];
export const xTools = [kept];
export { forgotten as omcbuildHidden_forgotten, others as omcbuildHidden_others, tool as omcbuildHidden_tool, kept as omcbuildHidden_kept };
const bare = tool("bare"), settings = { name: "x", description: "" };
export { bare as omcbuildHidden_bare, settings as omcbuildHidden_settings };
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []SourceTool{
		{Name: "forgotten", File: "src/x-tools.mjs", Line: 3, Export: "forgotten", Parameters: []Parameter{}},
		{Name: "other", File: "src/x-tools.mjs", Line: 4, Export: "others", Many: true, Parameters: []Parameter{}},
	}
	if len(source.Tools) != 1 || !reflect.DeepEqual(source.Hidden, want) {
		t.Errorf("tools %+v, hidden\n got %+v\nwant %+v", source.Tools, source.Hidden, want)
	}
}

func TestReadSourceNamesTheFileThatSpoilsTheImport(t *testing.T) {
	good := "-- src/a-tools.mjs --\nexport const a = { name: \"a\", schema: {}, handler() {} };\n"
	later := "-- src/z-tools.mjs --\nexport const z = { name: \"z\", schema: {}, handler() {} };\n"
	for _, test := range []struct {
		name, file, want string
		tools            []string
	}{
		{"throws", `throw new TypeError("no database");`, "src/m-tools.mjs: cannot be imported, so its tools are not counted: no database", []string{"a", "z"}},
		{"throws nothing sensible", `throw { get message() { throw 1 } };`, "src/m-tools.mjs: cannot be imported", []string{"a", "z"}},
		{"does not parse", `export const = 1;`, "src/m-tools.mjs: cannot be imported", []string{"a", "z"}},
		{"exits", `process.exit(3);`, "the process ended with exit code 3 during the import", []string{"a"}},
		{"exits as if all were well", `process.exit(0);`, "the import ends the process or waits", []string{"a"}},
		{"waits for ever", `await new Promise(() => {});`, "src/m-tools.mjs: cannot be imported", []string{"a"}},
		{"throws later", `queueMicrotask(() => { throw new RangeError("late") }); await new Promise((r) => setTimeout(r, 1000));`, "RangeError: late", []string{"a"}},
		{"has a getter that throws", `export const x = { get name() { throw new Error("no") }, schema: {}, handler() {} };`, "", []string{"a", "z"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source, err := sourceOf(t, good+"-- src/m-tools.mjs --\n"+test.file+"\n"+later, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range source.Tools {
				got = append(got, tool.Name)
			}
			if !reflect.DeepEqual(got, test.tools) {
				t.Errorf("tools %v, want %v", got, test.tools)
			}
			if text := diag.Fail(source.Diagnostics...).Error(); !strings.Contains(text, test.want) || (test.want == "") != (text == "") || strings.Contains(text, "\n") {
				t.Errorf("diagnostics %q, want one with %q", text, test.want)
			}
		})
	}
}

func TestReadSourceEndsAnImportThatNeverReturns(t *testing.T) {
	t.Parallel() // the time is what Node may need to start on a busy machine
	source, err := sourceOf(t, "-- b-tools.mjs --\nfor (;;) {}\n", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if text := diag.Fail(source.Diagnostics...).Error(); text != "b-tools.mjs: cannot be imported, so its tools are not counted: the import did not return within 5s" {
		t.Errorf("got %s", text)
	}
}

func TestReadSourceReportsARegistryWithoutAllTools(t *testing.T) {
	source, err := sourceOf(t, "-- registry.mjs --\nexport const tools = [];\n", 0)
	if err != nil || source.Registry != "" || len(source.Diagnostics) != 1 || source.Diagnostics[0].Code != "registry-export" ||
		!strings.Contains(source.Diagnostics[0].Message, "exports no array named allTools") || !strings.Contains(source.Diagnostics[0].Hint, "as allTools") {
		t.Errorf("%v, %+v", err, source)
	}
}

func TestReadSourceFailsWhenNothingRuns(t *testing.T) {
	node := nodeProgram(t)
	for name, o := range map[string]SourceOptions{
		"no program":   {Node: filepath.Join(t.TempDir(), "node"), Bundle: []byte("")},
		"broken":       {Node: node, Bundle: []byte("let let;")},
		"says nothing": {Node: node, Bundle: []byte("")},
	} {
		_, err := ReadSource(context.Background(), o)
		var failure *diag.Failure
		if !errors.As(err, &failure) || failure.Diagnostics[0].Code != "source-run" || failure.Diagnostics[0].Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadSource(ended, SourceOptions{Node: node, Bundle: []byte("")}); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

func TestReadSourceKeepsOutOfTheWayOfOthers(t *testing.T) {
	program := []byte(`require("fs").writeFileSync("left.txt", ""); console.log("\nomcbuild-source:result " + JSON.stringify({finished: true,
		tools: [{name: process.env.EXTRA, file: Object.keys(process.env).filter((n) => n !== "EXTRA").sort().join()}]}));`)
	source, err := ReadSource(context.Background(), SourceOptions{Node: nodeProgram(t), Bundle: program, Env: []string{"EXTRA=1"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := source.Tools[0], "HOME,NO_COLOR,OMCBUILD_PROCESS,PATH,TMPDIR"; got.Name != "1" || got.File != want {
		t.Errorf("environment %s, want %s", got.File, want)
	}
	if _, err := os.Stat("left.txt"); err == nil {
		t.Error("the collector must not run in the folder of the caller")
	}
}

func TestCollectorAsksEverySchemaLibraryForItsParameters(t *testing.T) {
	library := filepath.Join("..", "..", "src", "node_modules", "zod")
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("the TypeScript workspace is not installed: %v", err)
	}
	library, err := filepath.Abs(library)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]string{
		"zod 4 object":    `z4.object({ a: z4.string(), b: z4.number().optional(), c: z4.boolean().default(true) })`,
		"zod 3 object":    `z3.object({ a: z3.string(), b: z3.number().optional(), c: z3.boolean().default(true) })`,
		"zod 4 refined":   `z4.object({ a: z4.string(), b: z4.any().optional(), c: z4.unknown().optional() }).refine(() => true)`,
		"zod 3 refined":   `z3.object({ a: z3.string(), b: z3.any(), c: z3.number().nullish() }).refine(() => true)`,
		"zod 4 piped":     `z4.object({ a: z4.string(), b: z4.number().optional(), c: z4.string().optional() }).transform((x) => x)`,
		"zod 4 raw shape": `{ a: z4.string(), b: z4.number().optional(), c: z4.string().optional() }`,
		"zod 3 raw shape": `{ a: z3.string(), b: z3.number().optional(), c: z3.string().optional() }`,
		"zod mini":        `mini.object({ a: mini.string(), b: mini.optional(mini.number()), c: mini.optional(mini.string()) })`,
		"JSON Schema":     `{ type: "object", properties: { a: {}, b: {}, c: {} }, required: ["a"] }`,
	}
	var group errgroup.Group
	for name, schema := range schemas {
		group.Go(func() error {
			repository := fmt.Sprintf("-- x-tools.mjs --\nimport * as z4 from %q;\nimport * as z3 from %q;\nimport * as mini from %q;\nexport const x = { name: \"x\", handler() {}, schema: %s };\n",
				library+"/v4/index.js", library+"/v3/index.js", library+"/v4-mini/index.js", schema)
			source, err := sourceOf(t, repository, 0)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if len(source.Tools) != 1 {
				return fmt.Errorf("%s: %+v", name, source)
			}
			got := ""
			for _, parameter := range source.Tools[0].Parameters {
				got += fmt.Sprintf("%s=%v ", parameter.Name, *parameter.Required)
			}
			if got != "a=true b=false c=false " {
				return fmt.Errorf("%s: %s", name, got)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

func TestCollectorLeavesOpenWhatItCannotTell(t *testing.T) {
	source, err := sourceOf(t, `-- x-tools.mjs --
const standard = { "~standard": { version: 1, vendor: "other", validate() {} }, kind: "object" };
export const x = { name: "x", handler() {}, schema: standard };
export const y = { name: "y", handler() {}, schema: { a: 1 } };
`, 0)
	if err != nil || len(source.Tools) != 2 || source.Tools[0].Parameters != nil || source.Tools[1].Parameters != nil {
		t.Errorf("%v %+v", err, source)
	}
}
