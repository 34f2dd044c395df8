package lint

import "omcbuild/internal/diag"

// outputShape finds output schemas that strict clients refuse, and all tools
// with them.
func outputShape() rule[*offer] {
	return rule[*offer]{
		code: "output-shape", level: diag.Error,
		meaning: "outputSchema is no object schema; clients of the first SDK generation then drop every tool of the server",
		find: eachTool(func(t *tool, report reporter) {
			if t.OutputSchema == nil {
				return
			}
			const hint = "describe the structured result as an object, or leave outputSchema out"
			switch {
			case t.output == nil:
				report.in(t.label, hint, "outputSchema is %s and must be an object with type \"object\"", jsonType(t.OutputSchema))
			case t.output.root["type"] == nil:
				report.in(t.label, hint, "outputSchema has no type and must have type \"object\"")
			case t.output.root["type"] != "object":
				report.in(t.label, hint, "outputSchema has type %s and must have type \"object\"", compact(t.output.root["type"]))
			}
		}),
	}
}
