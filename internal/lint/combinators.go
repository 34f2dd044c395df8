package lint

import "omcbuild/internal/diag"

// rootCombinator finds alternatives at the root of an input schema.
func rootCombinator() rule[*offer] {
	return rule[*offer]{
		code: "schema-root-combinator", level: diag.Error,
		meaning: "an input schema has anyOf, oneOf or allOf at its root; the model's interface refuses the request, or the client drops the tool",
		find: eachTool(func(t *tool, report reporter) {
			if t.input == nil {
				return
			}
			for _, name := range []string{"anyOf", "oneOf", "allOf"} {
				if _, ok := t.input.root[name]; ok {
					report.in(t.label, "make one object of it: all properties optional, the combinations checked in the handler; a union as input becomes an object with a kind",
						"inputSchema has %s at its root", name)
				}
			}
		}),
	}
}
