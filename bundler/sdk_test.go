package bundler

import (
	"strings"
	"testing"
)

func TestUnusedSchemas(t *testing.T) {
	cases := []struct{ from, to string }{
		{"const ASchema = z.string();", "const ASchema = /* @__PURE__ */ (() => z.string())();"},
		{"export const BSchema = ASchema.extend({\n  a: z.lazy(() => { return 1; }) })\n  .strict();\nnext();",
			"export const BSchema = /* @__PURE__ */ (() => ASchema.extend({\n  a: z.lazy(() => { return 1; }) })\n  .strict())();\nnext();"},
		{"const VERSION = \"1\"; const isA = (v) => ASchema.safeParse(v).success;", "const VERSION = \"1\"; const isA = (v) => ASchema.safeParse(v).success;"},
		{"function f() { const ASchema = z.string(); }", "function f() { const ASchema = z.string(); }"},
		{"const ASchema = z.string(), BSchema = z.number();", "const ASchema = z.string(), BSchema = z.number();"},
		{"const a = z.string();\nconst b = z.object(await c);", "const a = z.string();\nconst b = z.object(await c);"},
		{"const a = z.string()", "const a = z.string()"},
		{"const a = z.string()\nconst b = z.number()\nnext();", "const a = z.string()\nconst b = z.number()\nnext();"},
		{"const a = z.string\nnext();", "const a = z.string\nnext();"},
		{"const a = z.string(", "const a = z.string("},
	}
	for _, c := range cases {
		if got := unusedSchemas(c.from); got != c.to {
			t.Errorf("%s\ngot  %s\nwant %s", c.from, got, c.to)
		}
	}
}

func TestLeanSDKLeavesAlone(t *testing.T) {
	const schema, validator = "const ASchema = z.string();", "import { n as AjvJsonSchemaValidator } from \"./ajvProvider-D.mjs\";\n"
	table := "const specTypeSchemas = Object.freeze(_specTypeSchemas);\nconst isSpecType = Object.freeze(_isSpecType);\n"
	for _, c := range []struct{ path, text string }{
		{"/p/node_modules/other/core/dist/schemas-D.mjs", schema},
		{"/p/node_modules/@modelcontextprotocol/core/dist/index.mjs", schema},
		{"/p/node_modules/@modelcontextprotocol/server/dist/shimsBrowser.mjs", validator},
		{"/p/node_modules/@modelcontextprotocol/server/dist/shimsNode.mjs", "// " + validator},
		{"/p/node_modules/@modelcontextprotocol/server/dist/src-D.mjs", table},
		{"/p/node_modules/@modelcontextprotocol/server/dist/src-D.mjs", sdkTable + table + table},
	} {
		if got := leanSDK(c.path, c.text); got != c.text {
			t.Errorf("%s became %s", c.path, got)
		}
	}
}

func TestLeanSDKKeepsLines(t *testing.T) {
	for path, text := range map[string]string{
		"/@modelcontextprotocol/core/dist/schemas-D.mjs":     "const ASchema = z\n  .string();\n",
		"/@modelcontextprotocol/server/dist/src-D.mjs":       sdkTable + "\nconst specTypeSchemas = Object.freeze(_specTypeSchemas);\nconst isSpecType = Object.freeze(_isSpecType);\n",
		"/@modelcontextprotocol/server/dist/shimsNode.mjs":   "import { n as AjvJsonSchemaValidator } from \"./ajvProvider-D.mjs\";\nrest\n",
		"/@modelcontextprotocol/sdk/dist/esm/shared/auth.js": "export const ASchema = z.string();\n",
	} {
		got := leanSDK(path, text)
		if got == text || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%s: %q became %q", path, text, got)
		}
	}
}
