package surface

import (
	"fmt"

	"omcbuild/internal/diag"
)

// difference compares what the two processes offered. Both ran the same bundle
// in equal folders, so nothing may differ.
func difference(a, b *Conversation) (diag.Diagnostic, bool) {
	if !a.Listed || !b.Listed {
		return diag.Diagnostic{}, false
	}
	tool, what := firstDifference(a.Surface.Tools, b.Surface.Tools, names(a), names(b))
	if what == "" {
		return identityDifference(a, b)
	}
	if a.Generation == b.Generation {
		return diag.Diagnostic{
			Code: "starts-differ", Tool: tool, Message: "two starts list different tools: " + what,
			Hint: "list the same tools at every start, whatever the time, the order of files or the network",
		}, true
	}
	return diag.Diagnostic{
		Code: "generations-differ", Tool: tool, Message: "the two protocol generations list different tools: " + what,
		Hint: "make both lists from the same registry; which one a user gets depends on the client",
	}, true
}

// names says how to call the two sides.
func names(c *Conversation) string {
	if c.Generation == Modern {
		return "with " + statelessVersion
	}
	return "after initialize"
}

func firstDifference(a, b []Tool, nameA, nameB string) (tool, what string) {
	if nameA == nameB {
		nameA, nameB = "at the first start", "at the second"
	}
	inA, inB := byName(a), byName(b)
	for _, t := range a {
		if _, ok := inB[t.Name]; !ok {
			return t.Name, fmt.Sprintf("%s is listed %s and not %s", t.Name, nameA, nameB)
		}
	}
	for _, t := range b {
		if _, ok := inA[t.Name]; !ok {
			return t.Name, fmt.Sprintf("%s is listed %s and not %s", t.Name, nameB, nameA)
		}
	}
	if len(a) != len(b) {
		return "", fmt.Sprintf("%d entries %s and %d %s", len(a), nameA, len(b), nameB)
	}
	for i, t := range a {
		if t.Name != b[i].Name {
			return t.Name, fmt.Sprintf("entry %d is %s %s and %s %s", i+1, t.Name, nameA, b[i].Name, nameB)
		}
		if part := differingPart(t, b[i]); part != "" {
			return t.Name, fmt.Sprintf("the %s of %s is another %s than %s", part, t.Name, nameA, nameB)
		}
	}
	return "", ""
}

func byName(tools []Tool) map[string]bool {
	names := map[string]bool{}
	for _, t := range tools {
		names[t.Name] = true
	}
	return names
}

func differingPart(a, b Tool) string {
	switch {
	case (a.Description == nil) != (b.Description == nil) || a.Description != nil && *a.Description != *b.Description:
		return "description"
	case !Same(a.InputSchema, b.InputSchema):
		return "inputSchema"
	case !Same(a.OutputSchema, b.OutputSchema):
		return "outputSchema"
	case !Same(a.Annotations, b.Annotations):
		return "annotations"
	}
	return ""
}

// identityDifference compares name, version and instructions where both gave them.
func identityDifference(a, b *Conversation) (diag.Diagnostic, bool) {
	for _, part := range []struct{ what, a, b string }{
		{"server name", a.Surface.ServerName, b.Surface.ServerName},
		{"server version", a.Surface.ServerVersion, b.Surface.ServerVersion},
		{"instructions", a.Surface.Instructions, b.Surface.Instructions},
	} {
		if part.a != part.b && part.a != "" && part.b != "" {
			return diag.Diagnostic{
				Code: "identity-differs", Level: diag.Warning,
				Message: fmt.Sprintf("two starts give different %s: %.60q and %.60q", part.what, part.a, part.b),
				Hint:    "give both protocol generations the same serverInfo and instructions",
			}, true
		}
	}
	return diag.Diagnostic{}, false
}
