package lint

import (
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// propertiesEmpty finds a server whose tools all take nothing, which is what a
// schema library of the wrong version makes of them.
func propertiesEmpty() rule[*offer] {
	return rule[*offer]{
		code: "properties-empty", level: diag.Warning,
		meaning: "no tool of the server lists a parameter, as happens with two copies or a wrong version of the schema library",
		find: func(o *offer, report reporter) {
			for _, t := range o.tools {
				if names, _ := t.input.properties(); len(names) > 0 {
					return
				}
			}
			if len(o.tools) > 1 {
				report.in("", "see whether two copies or two major versions of the schema library are in the bundle",
					"none of the %d tools lists a parameter", len(o.tools))
			}
		},
	}
}

// requiredUnknown finds required parameters that are not described.
func requiredUnknown() rule[*offer] {
	return rule[*offer]{
		code: "required-unknown", level: diag.Warning,
		meaning: "a schema requires a property that it does not describe; the model has to guess it",
		find: eachTool(func(t *tool, report reporter) {
			for _, s := range t.schemas() {
				_, schemas := s.properties()
				for _, name := range s.required() {
					if _, described := schemas[name]; !described {
						report.in(t.label, "describe the property, or do not require it", "%s requires %s and does not describe it", s.member, clip(name))
					}
				}
			}
		}),
	}
}

// defaults calls find for each parameter of a tool that has a default.
func defaults(find func(t *tool, name string, required bool, report reporter)) func(*offer, reporter) {
	return eachTool(func(t *tool, report reporter) {
		names, schemas := t.input.properties()
		for _, name := range names {
			property, _ := schemas[name].(map[string]any)
			if _, ok := property["default"]; ok {
				find(t, name, slices.Contains(t.input.required(), name), report)
			}
		}
	})
}

func requiredDefault() rule[*offer] {
	return rule[*offer]{
		code: "required-default", level: diag.Error,
		meaning: "a parameter is required and has a default; the schema is that of the result of parsing, not of the input",
		find: defaults(func(t *tool, name string, required bool, report reporter) {
			if required {
				report.in(t.label, "serve the input form of the schema (in zod 4: io \"input\"), or make the parameter optional and say its default in the description",
					"%s is required and has a default", clip(name))
			}
		}),
	}
}

func parameterDefault() rule[*offer] {
	return rule[*offer]{
		code: "parameter-default", level: diag.Warning,
		meaning: "a parameter has a default; some clients insist on being given such parameters",
		find: defaults(func(t *tool, name string, required bool, report reporter) {
			if !required {
				report.in(t.label, "make it optional without a default, and say in the description what is used when it is left out", "%s has a default", clip(name))
			}
		}),
	}
}

// parameterDescription finds parameters that a model has to guess from their
// names.
func parameterDescription() rule[*offer] {
	return rule[*offer]{
		code: "parameter-description", level: diag.Note,
		meaning: "a parameter has no description; the model has to guess what it is for",
		find: eachTool(func(t *tool, report reporter) {
			var bare []string
			names, schemas := t.input.properties()
			for _, name := range names {
				property, ok := schemas[name].(map[string]any)
				if text, _ := property["description"].(string); ok && text == "" && property["$ref"] == nil {
					bare = append(bare, clip(name))
				}
			}
			if len(bare) > 0 {
				report.in(t.label, "describe the value, its unit and what is used when it is left out", "no description of %s", strings.Join(bare, ", "))
			}
		}),
	}
}
