package lint

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"omcbuild/internal/diag"
)

// metaSchema holds schemas against the schema of JSON Schema 2020-12 itself. A
// schema that an older dialect explains is left to that rule.
func metaSchema() rule[*offer] {
	load := sync.OnceValues(compileMetaSchema)
	return rule[*offer]{
		code: "schema-invalid", level: diag.Error,
		meaning: "JSON Schema 2020-12 refuses a schema; every request with the tool is refused",
		find: eachTool(func(t *tool, report reporter) {
			for _, s := range t.schemas() {
				const hint = "correct the schema, or what generates it"
				switch {
				case s.huge:
					report.in(t.label, "describe the value more simply", "%s is too deep or too large to be checked", s.member)
				case slices.ContainsFunc(s.nodes, func(n schemaNode) bool { return len(oldForms(n.object)) > 0 }):
				default:
					compiled, err := load()
					if err != nil {
						report.in(t.label, "", "%s cannot be checked: %v", s.member, err)
						continue
					}
					for _, fault := range violations(compiled, s) {
						report.in(t.label, hint, "%s", fault)
					}
				}
			}
		}),
	}
}

// compileMetaSchema makes the validator. The meta-schema is part of the library;
// nothing is loaded from anywhere else.
func compileMetaSchema() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	return compiler.Compile("https://json-schema.org/draft/2020-12/schema")
}

// maxViolations is how many faults of one schema are reported.
const maxViolations = 5

// violations returns what the meta-schema finds wrong, each with its place. The
// library has been seen to panic on odd input, so that is caught here.
func violations(compiled *jsonschema.Schema, s *schema) (faults []string) {
	defer func() {
		if cause := recover(); cause != nil {
			faults = []string{fmt.Sprintf("%s cannot be checked: the validator gave up (%v)", s.member, cause)}
		}
	}()
	var failed *jsonschema.ValidationError
	if err := compiled.Validate(any(s.root)); !errors.As(err, &failed) {
		return nil
	}
	printer := message.NewPrinter(language.English)
	for _, leaf := range leaves(failed, nil) {
		path := s.member
		for _, step := range leaf.InstanceLocation {
			path += "/" + escapePointer(step)
		}
		faults = append(faults, path+": "+clip(leaf.ErrorKind.LocalizedString(printer)))
	}
	slices.Sort(faults) // the validator looks at members in no order
	faults = slices.Compact(faults)
	return faults[:min(len(faults), maxViolations)]
}

// leaves returns the errors at the ends of an error tree: those that say what is
// wrong and not only where.
func leaves(e *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(found, e)
	}
	if _, choice := e.ErrorKind.(*kind.AnyOf); choice {
		return append(found, likeliest(e))
	}
	for _, cause := range e.Causes {
		found = leaves(cause, found)
	}
	return found
}

// likeliest returns the error of the alternative that was most likely meant: one
// of the right JSON type that is wrong in another way.
func likeliest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	ends := leaves(e.Causes[0], nil)
	for _, cause := range e.Causes[1:] {
		ends = leaves(cause, ends)
	}
	for _, end := range ends {
		if _, wrongType := end.ErrorKind.(*kind.Type); !wrongType {
			return end
		}
	}
	return ends[len(ends)-1]
}
