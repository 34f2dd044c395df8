package lint

import "omcbuild/internal/diag"

// textLimit is the number of bytes after which the client cuts a description or
// the server's instructions.
const textLimit = 2048

func descriptionMissing() rule[*offer] {
	return rule[*offer]{
		code: "description-missing", level: diag.Warning,
		meaning: "a tool has no description; the model has only its name to choose by",
		find: eachTool(func(t *tool, report reporter) {
			if _, present := t.members["description"]; t.members != nil && (!present || t.Description != nil && *t.Description == "") {
				report.in(t.label, "say what the tool returns and when to use it", "has no description")
			}
		}),
	}
}

func descriptionLong() rule[*offer] {
	return rule[*offer]{
		code: "description-long", level: diag.Warning,
		meaning: "a tool's description is over 2 KB; the client cuts it there",
		find: eachTool(func(t *tool, report reporter) {
			if t.Description != nil && len(*t.Description) > textLimit {
				report.in(t.label, "move details to the descriptions of parameters", "the description has %d bytes and is cut after %d", len(*t.Description), textLimit)
			}
		}),
	}
}

func instructionsLong() rule[*offer] {
	return rule[*offer]{
		code: "instructions-long", level: diag.Warning,
		meaning: "the server's instructions are over 2 KB; the client cuts them there",
		find: func(o *offer, report reporter) {
			if length := len(o.Surface.Instructions); length > textLimit {
				report.in("", "keep what helps to choose among the tools", "the instructions have %d bytes and are cut after %d", length, textLimit)
			}
		},
	}
}
