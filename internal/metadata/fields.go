package metadata

import "strings"

// Together joins the fields of a change that are about the same entry of a
// catalog, which is then named once: "entry clock: version 0.1.0 added, license
// MIT added". What is about no entry is one text too.
func Together(fields []string) (out []string) {
	last := "\x00"
	for _, field := range fields {
		label, rest, found := strings.Cut(field, ": ")
		if !found || !strings.HasPrefix(label, "entry ") {
			label, rest = "", field
		}
		switch {
		case label != last:
			out = append(out, field)
		default:
			out[len(out)-1] += ", " + rest
		}
		last = label
	}
	return out
}
