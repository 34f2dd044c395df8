package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// sdkPrograms use of the SDK what the bundler changes.
var sdkPrograms = map[string]string{
	"both sides of the table": `
import { isSpecType, specTypeSchemas } from "@modelcontextprotocol/server";
console.log(Object.keys(specTypeSchemas).join(), Object.isFrozen(specTypeSchemas), Object.isFrozen(isSpecType));
for (const name of Object.keys(isSpecType)) console.log(name, isSpecType[name]({ name: "a", inputSchema: { type: "object" } }), specTypeSchemas[name].safeParse("x").success);
`,
	"one side": `
import { isSpecType } from "@modelcontextprotocol/server";
console.log(Object.keys(isSpecType).length, isSpecType.Tool({ name: "a", inputSchema: { type: "object" } }), isSpecType.Tool({}), isSpecType.OAuthTokens({}));
`,
	"the validator": `
import { DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/_shims";
const valid = new DefaultJsonSchemaValidator().getValidator({ type: "object", properties: { mail: { type: "string", format: "email" } }, required: ["mail"] });
console.log(JSON.stringify([valid({ mail: "a@b.example" }), valid({ mail: "a" }), valid({})]));
`,
	"the validator with an ajv of one's own": `
import { DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/_shims";
import { Ajv } from "@modelcontextprotocol/server/validators/ajv";
const valid = new DefaultJsonSchemaValidator(new Ajv({ strict: false, validateSchema: false })).getValidator({ type: "object", required: ["a", "b"] });
console.log(JSON.stringify(valid({})));
`,
}

// What the bundler leaves out of the SDK, and what it loads late, is there when it is used.
func TestLeanSDKMeansTheSame(t *testing.T) {
	root, err := filepath.Abs("../src")
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range sdkPrograms {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Symlink(filepath.Join(root, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "program.mjs"), []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			want := runNode(t, "", nil, filepath.Join(dir, "program.mjs"))
			result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Source: program, Outfile: "out/program.cjs"})
			if err != nil {
				t.Fatal(err)
			}
			alone := t.TempDir()
			place(t, alone, result.Outputs)
			got := runNode(t, "", nil, filepath.Join(alone, "out", "program.cjs"))
			if want.code != 0 || want.stdout == "" || got.stdout != want.stdout || got.stderr != want.stderr {
				t.Errorf("bundled\n%+v\nin node\n%+v", got, want)
			}
		})
	}
}

var lateAjv = regexp.MustCompile(`\n  "[^"]*/ajvProvider-[^"]*"\(\) \{`)

// A server without forms lists and calls its tools without the validator, and has no schema that nothing uses. Fails when
// the SDK's texts are others than the bundler knows.
func TestLeanSDKLeavesOutWhatIsUnused(t *testing.T) {
	root := serverOfFifty(t, "")
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "server.ts", Outfile: "server.cjs"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(result.Outputs[0].Contents)
	for _, schema := range []string{"OAuthMetadataSchema", "ListTasksResultSchema"} {
		if strings.Contains(text, "var "+schema+" =") {
			t.Errorf("%s is in the bundle", schema)
		}
	}
	broken := lateAjv.ReplaceAllString(text, "$0 throw new Error(\"loaded\");")
	if broken == text {
		t.Fatal("ajv is loaded at the start")
	}
	if tools, refusal := answers(t, []byte(broken)); len(tools) != 50 || refusal == "" {
		t.Errorf("lists %d tools, and a wrong call is told %q", len(tools), refusal)
	}
}
