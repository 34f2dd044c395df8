package pipeline

import (
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/schemadiff"
)

// accepted turns errors that the configuration accepts into warnings, and warnings
// into notes. Of a server that lists nothing nothing is accepted.
func (it *item) accepted(list diag.List) diag.List {
	if it.probe == nil || !it.probe.Listed() {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if slices.Contains(it.bundle.Accept, list[i].Code) {
			it.met = append(it.met, list[i].Code)
			list[i].Level = min(list[i].Level+1, diag.Note)
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

// unraised reminds of the version when breaking changes are accepted and it is the one
// that is recorded with the tools they break.
func (r *run) unraised(it *item) diag.List {
	version := r.project.Package.Version
	if it.lock == nil || version == "" || it.lock.Server.Version != version {
		return nil
	}
	var changes []schemadiff.Change
	for _, c := range it.changes {
		changes = append(changes, c.Change)
	}
	if schemadiff.Worst(changes) != schemadiff.Breaking {
		return nil
	}
	part := schemadiff.Bump(changes, version)
	return diag.List{{Code: "version-unraised", Level: diag.Warning, Position: diag.Position{File: project.PackageFile},
		Message: "breaking changes are accepted, and the version is " + version + " as before",
		Hint:    "raise the " + part + " version with omcbuild version " + part + ", unless that was done since the last release"}}
}
