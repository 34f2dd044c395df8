package lint

import (
	"strings"

	"omcbuild/internal/diag"
)

// dialectKeyword finds keywords that another dialect of JSON Schema writes
// differently, so that a 2020-12 validator refuses the schema.
func dialectKeyword() rule[*offer] {
	return rule[*offer]{
		code: "schema-dialect", level: diag.Error,
		meaning: "a schema uses a form of an older dialect that JSON Schema 2020-12 refuses; every request with the tool is refused",
		find: eachTool(func(t *tool, report reporter) {
			for _, s := range t.schemas() {
				for _, node := range s.nodes {
					for _, fault := range oldForms(node.object) {
						report.in(t.label, fault.remedy, "%s has %s", node.path, fault.form)
					}
				}
			}
		}),
	}
}

type oldForm struct{ form, remedy string }

func oldForms(object map[string]any) (found []oldForm) {
	for _, bound := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		if value, ok := object[bound[0]].(bool); ok {
			remedy := "write the bound itself as " + bound[0] + " and leave " + bound[1] + " out"
			if !value {
				remedy = "leave " + bound[0] + " out"
			}
			found = append(found, oldForm{bound[0] + " " + compact(value) + ", the form of draft-04", remedy})
		}
	}
	if _, ok := object["items"].([]any); ok {
		found = append(found, oldForm{"an array of items, the form of draft-07", "name the list prefixItems, and additionalItems items"})
	}
	if value, ok := object["required"].(bool); ok {
		found = append(found, oldForm{"required " + compact(value) + ", the form of draft-03", "list the property in required of the object around it"})
	}
	return found
}

// dialectIgnored finds keywords that mean something elsewhere and nothing in
// 2020-12.
func dialectIgnored() rule[*offer] {
	remedies := map[string]string{
		"additionalItems": "name it items, and the list before it prefixItems",
		"dependencies":    "use dependentRequired or dependentSchemas",
		"divisibleBy":     "name it multipleOf",
		"nullable":        "add \"null\" to the list of types",
		"$recursiveRef":   "name it $dynamicRef",
	}
	return rule[*offer]{
		code: "schema-keyword-ignored", level: diag.Warning,
		meaning: "a schema uses a keyword that JSON Schema 2020-12 does not have, so it has no effect",
		find: eachTool(func(t *tool, report reporter) {
			for _, s := range t.schemas() {
				for _, node := range s.nodes {
					for _, name := range []string{"additionalItems", "dependencies", "divisibleBy", "nullable", "$recursiveRef"} {
						if _, ok := node.object[name]; ok {
							report.in(t.label, remedies[name], "%s has %s, which JSON Schema 2020-12 ignores", node.path, name)
						}
					}
				}
			}
		}),
	}
}

func outputDialect() rule[*offer] {
	return rule[*offer]{
		code: "output-dialect", level: diag.Error,
		meaning: "an output schema declares another dialect than 2020-12; the tool is listed and every call of it fails",
		find: eachTool(func(t *tool, report reporter) {
			if dialect, foreign := declaredDialect(t.output); foreign {
				report.in(t.label, dialectHint, "outputSchema declares the dialect %s", dialect)
			}
		}),
	}
}

// inputDialect speaks once about each dialect: what declares it is the SDK, not the
// single tool.
func inputDialect() rule[*offer] {
	return rule[*offer]{
		code: "input-dialect", level: diag.Warning,
		meaning: "an input schema declares another dialect than 2020-12, which is the one the model's interface reads",
		find: func(o *offer, report reporter) {
			tools := map[string][]string{} // dialect → labels of the tools that declare it
			var order []string
			for _, t := range o.tools {
				if dialect, foreign := declaredDialect(t.input); foreign {
					if tools[dialect] == nil {
						order = append(order, dialect)
					}
					tools[dialect] = append(tools[dialect], t.label)
				}
			}
			for _, dialect := range order {
				first, others := tools[dialect][0], len(tools[dialect])-1
				also := ""
				if others > 0 {
					also = ", and so does that of " + plural(others, "more tool")
				}
				report.in(first, dialectHint, "inputSchema declares the dialect %s%s", dialect, also)
			}
		},
	}
}

const dialectHint = "convert the schema for JSON Schema 2020-12, or leave $schema out; where SDK 1.x adds it, @modelcontextprotocol/server declares 2020-12; where it has to stay, list this code under accept of the bundle"

// declaredDialect returns the dialect that a schema declares, as JSON, and whether
// it is another one than 2020-12.
func declaredDialect(s *schema) (dialect string, foreign bool) {
	if s == nil {
		return "", false
	}
	declared, ok := s.root["$schema"]
	if !ok {
		return "", false
	}
	text, _ := declared.(string)
	_, name, _ := strings.Cut(strings.TrimSuffix(text, "#"), "://")
	return compact(declared), name != "json-schema.org/draft/2020-12/schema"
}
