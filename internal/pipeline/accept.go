package pipeline

import (
	"slices"

	"omcbuild/internal/diag"
)

// accepted turns errors that the configuration accepts into warnings. Of a server
// that lists nothing nothing is accepted.
func (it *item) accepted(list diag.List) diag.List {
	if it.probe == nil || !it.probe.Listed() {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if slices.Contains(it.bundle.Accept, list[i].Code) {
			it.met = append(it.met, list[i].Code)
			list[i].Level = max(list[i].Level, diag.Warning)
		}
	}
	return list
}

// unmet reports what the configuration accepts and nobody found.
func (it *item) unmet() (list diag.List) {
	for _, code := range it.bundle.Accept {
		if !slices.Contains(it.met, code) {
			list.Add(diag.Diagnostic{Code: "accept-unmet", Level: diag.Warning, Position: it.bundle.Where("accept"),
				Message: code + " is accepted, and was not found", Hint: "remove it from accept, so that it is not overlooked when it comes back"})
		}
	}
	return list
}
