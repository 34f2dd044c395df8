package lint

import (
	"strings"

	"omcbuild/internal/diag"
)

// eachReference calls find for every $ref of a tool.
func eachReference(find func(t *tool, s *schema, at schemaNode, ref string, report reporter)) func(*offer, reporter) {
	return eachTool(func(t *tool, report reporter) {
		for _, s := range t.schemas() {
			for _, node := range s.nodes {
				if ref, ok := node.object["$ref"].(string); ok {
					find(t, s, node, ref, report)
				}
			}
		}
	})
}

func refUnresolved() rule[*offer] {
	return rule[*offer]{
		code: "schema-ref-unresolved", level: diag.Error,
		meaning: "a $ref points to nothing inside its schema; clients do not load other documents",
		find: eachReference(func(t *tool, s *schema, at schemaNode, ref string, report reporter) {
			const hint = "put the definition under $defs of the same schema and refer to it as #/$defs/NAME, or write it out"
			switch _, found := s.lookup(ref); {
			case found:
			case !strings.HasPrefix(ref, "#"):
				report.in(t.label, hint, "%s refers to %q, which is outside the schema", at.path, clip(ref))
			default:
				report.in(t.label, hint, "%s refers to %q, which is not there", at.path, clip(ref))
			}
		}),
	}
}

// refLoop finds references that lead to each other and never to a schema.
func refLoop() rule[*offer] {
	return rule[*offer]{
		code: "schema-ref-loop", level: diag.Error,
		meaning: "a $ref leads back to itself without a schema on the way; validators hang or refuse it",
		find: eachReference(func(t *tool, s *schema, at schemaNode, ref string, report reporter) {
			seen := map[string]bool{}
			for next := ref; !seen[next]; {
				seen[next] = true
				target, _ := s.lookup(next)
				object, _ := target.(map[string]any)
				again, ok := object["$ref"].(string)
				if !ok {
					return
				}
				next = again
			}
			if len(seen) <= maxHops {
				report.in(t.label, "write the definition out", "%s refers to %q, which leads back to itself", at.path, clip(ref))
			}
		}),
	}
}

// maxHops is the longest circle of references that is reported; a longer one is
// reported where it is shorter.
const maxHops = 1000

// refRecursive finds schemas that contain themselves.
func refRecursive() rule[*offer] {
	return rule[*offer]{
		code: "schema-recursive", level: diag.Warning,
		meaning: "a schema contains itself; some clients and models cannot be given such a tool",
		find: eachReference(func(t *tool, s *schema, at schemaNode, ref string, report reporter) {
			target, ok := pointerPath(s, ref)
			if ok && (at.path == target || strings.HasPrefix(at.path, target+"/")) && len(at.object) > 0 && at.path != target {
				report.in(t.label, "limit the depth: describe two or three levels, or take the nested value as a string of JSON", "%s refers to %q, inside which it stands", at.path, clip(ref))
			}
		}),
	}
}

// pointerPath returns the path of the node that a reference means.
func pointerPath(s *schema, ref string) (string, bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	switch {
	case !local:
		return "", false
	case fragment == "":
		return s.member, true
	case strings.HasPrefix(fragment, "/"):
		return s.member + fragment, true
	}
	for _, node := range s.nodes {
		if node.object["$anchor"] == fragment {
			return node.path, true
		}
	}
	return "", false
}
