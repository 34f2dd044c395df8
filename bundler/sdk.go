package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
	"omcbuild/internal/lazyregexp"
)

// While it is loaded, the MCP SDK builds a schema for everything that its protocol
// knows, which takes longer than the rest of a server, and it loads the validator ajv
// for answers that only servers with forms get. Neither has an effect that could be
// noticed later. So
//
//   - each schema is marked as one that may be left out where nothing uses it,
//   - the table of all schemas is filled where it is used,
//   - ajv is loaded by the first schema that it is given.
//
// A text that is not the one known here stays as it is.

// sdkFile matches the modules of the SDK that are looked at: those of schemas, those
// that have the table, and those that choose the validator.
var sdkFile = lazyregexp.New(`/@modelcontextprotocol/(?:(core/dist/(?:schemas|auth)-[\w-]+\.mjs|sdk/dist/esm/(?:types|shared/auth)\.js)|((?:server|client)/dist/src-[\w-]+\.mjs)|(?:server|client)/dist/shimsNode\.mjs)$`)

// leanSDK makes a module of the SDK lean. Lines stay where they are.
func leanSDK(path, text string) string {
	if !strings.Contains(path, "/@modelcontextprotocol/") {
		return text
	}
	switch kind := sdkFile.FindStringSubmatch(path); {
	case kind == nil:
		return text
	case kind[1] != "":
		return unusedSchemas(text)
	case kind[2] != "":
		return lateTable(text)
	}
	return sdkValidator.ReplaceAllString(text, lateValidator)
}

var sdkValidator = lazyregexp.New(`^import \{ (\w+) as AjvJsonSchemaValidator \} from ("\./ajvProvider-[\w-]+\.mjs");\n`)

// lateValidator stands for the class, with its one method. What it is made with, an ajv
// of the program's own, is kept for the class.
const lateValidator = "class AjvJsonSchemaValidator { #made; #given; constructor(...given) { this.#given = given; } " +
	"getValidator(schema) { return (this.#made ??= new (require(${2}).${1})(...this.#given)).getValidator(schema); } }\n"

// sdkTable is how the SDK fills the table of its schemas.
const sdkTable = `for (const key of SPEC_SCHEMA_KEYS) register(key, schemas_exports[key]);
for (const [key, schema] of Object.entries(authSchemas)) register(key, schema);
`

// lateTable fills the table when one of its two sides is used.
func lateTable(text string) string {
	sides := []string{"const specTypeSchemas = Object.freeze(_specTypeSchemas);", "const isSpecType = Object.freeze(_isSpecType);"}
	for _, once := range append(sides, sdkTable) {
		if strings.Count(text, once) != 1 {
			return text
		}
	}
	const name = "__omcbuild_registered"
	loops := strings.TrimSuffix(sdkTable, "\n")
	text = strings.Replace(text, sdkTable,
		"function "+name+"(side) { if (Object.keys(side).length === 0) { "+loops+" } return Object.freeze(side); }\n", 1)
	for _, side := range sides {
		text = strings.Replace(text, side, strings.Replace(side, "Object.freeze", "/* @__PURE__ */ "+name, 1), 1)
	}
	return text
}

// unusedSchemas marks the schemas of a module, each a constant at its top level, as
// calls without effects.
func unusedSchemas(text string) string {
	f, ok := jsscan.Scan(text)
	if !ok {
		return text
	}
	var edits []edit
	for i := range f.Tokens {
		if !f.Is(i, "const") || f.Tokens[i].Parens > 0 || !f.Is(i+2, "=") || !isSchema(f, i+3) {
			continue
		}
		end := i + 3
		for end < len(f.Tokens) && (f.Tokens[end].Parens > 0 || !f.Is(end, ";")) {
			if f.Is(end, "await") || f.Tokens[end].Parens == 0 && (f.Is(end, ",") || endsBefore(f, end)) {
				return text
			}
			end++
		}
		if end == len(f.Tokens) {
			return text
		}
		start, stop := f.Tokens[i+3].Start, f.Tokens[end].Start
		edits = append(edits, edit{start, start, "/* @__PURE__ */ (() => "}, edit{stop, stop, ")()"})
	}
	return apply(text, edits)
}

// endsBefore reports whether an expression of names and calls, without a semicolon, has
// ended before the name at token i.
func endsBefore(f *jsscan.File, i int) bool {
	return f.Kind(i) == jsscan.Ident && (f.Kind(i-1) == jsscan.Ident || f.Is(i-1, ")"))
}

// isSchema reports whether an expression that begins at token i is made by zod: of its
// namespace, or of another schema.
func isSchema(f *jsscan.File, i int) bool {
	name := f.Source(i)
	return f.Is(i+1, ".") && f.Kind(i) == jsscan.Ident && (name == "z" || strings.HasSuffix(name, "Schema"))
}
