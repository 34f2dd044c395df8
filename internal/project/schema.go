package project

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"omcbuild/internal/diag"
)

//go:embed omcbuild.schema.json
var schemaText []byte

// Schema returns the JSON Schema (2020-12) of omcbuild.jsonc.
func Schema() []byte { return bytes.Clone(schemaText) }

// schemaName is an absolute URL: the validator would join a relative one to the
// working directory, whose name may hold anything.
const schemaName = "embedded:///omcbuild.schema.json"

// validate checks the configuration against its schema. The diagnostics stand
// in the order of the file.
func validate(doc *Document) diag.List {
	compiled, known, err := compileSchema()
	if err != nil {
		return diag.List{{Code: "internal-error", Message: "the embedded schema is broken: " + err.Error()}}
	}
	clean := doc.Value.Clone()
	clean.Standardize()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(clean.Pack()))
	if err != nil {
		return diag.List{{Code: "invalid-json", Position: doc.Position(), Message: "not valid JSON: " + err.Error()}}
	}
	var failed *jsonschema.ValidationError
	if !errors.As(compiled.Validate(value), &failed) {
		return nil
	}
	v := violations{doc: doc, known: known}
	v.collect(failed)
	sortByPlace(v.list)
	return v.list
}

// sortByPlace orders what was found in one file as the file is read.
func sortByPlace(list diag.List) {
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
}

func compileSchema() (*jsonschema.Schema, any, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return nil, nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaName, parsed); err != nil {
		return nil, nil, err
	}
	compiled, err := compiler.Compile(schemaName)
	return compiled, parsed, err
}
