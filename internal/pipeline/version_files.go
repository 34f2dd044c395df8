package pipeline

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
	"omcbuild/internal/versioning"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// raised is the file with the version, before and after.
func (r *run) raised() (before, after []byte, err error) {
	v := r.raising
	data, problem := r.project.ReadFile(v.file)
	if problem != nil {
		return nil, nil, diag.Fail(*problem)
	}
	if r.project.IsLink(v.file) {
		return nil, nil, linked(v.file)
	}
	doc := project.Parse(v.file, data, project.Strict)
	after, ok := versioning.SetVersion(doc, v.next.String())
	if !ok {
		return nil, nil, r.noVersion()
	}
	return data, after, nil
}

func linked(file string) error {
	return diag.Fail(diag.Diagnostic{Code: "linked-file", Position: diag.Position{File: file}, Message: "the file would be changed and is a symbolic link, which is not written through", Hint: "replace the link with the file itself"})
}

// raiseStep puts the file with the next version in place, because sources, and programs
// that make sources, read it; builds the plugin; and puts everything else in place
// together. When that fails, or is interrupted, the file becomes again what it was.
func raiseStep(ctx context.Context, r *run) (err error) {
	v := r.raising
	before, after, err := r.raised()
	if err != nil {
		return err
	}
	if _, err := products.Write(r.project.Root, []products.File{{Path: v.file, Contents: after}}); err != nil {
		return err
	}
	defer func() {
		if v.built != nil && v.built.written {
			return
		}
		v.section, v.files = versioning.Changelog{}, nil
		if now, problem := r.project.ReadFile(v.file); problem != nil || !bytes.Equal(now, after) {
			return // somebody else wrote it meanwhile
		}
		if _, failed := products.Write(r.project.Root, []products.File{{Path: v.file, Contents: before}}); failed != nil {
			err = errors.Join(err, failed)
		}
	}()
	p, err := project.Load(r.project.Root)
	if err != nil {
		return err
	}
	built := newVersionRun(p, v.options, false)
	built.raising, v.built = v, built
	if err = built.do(ctx, slices.Concat(buildSteps(), []step{{name: "files", do: filesStep}}, aloneSteps())); err != nil {
		return err
	}
	r.diagnostics = slices.Clone(built.diagnostics) // all that the run before it found is found again
	if built.written {
		built.listFiles()
	}
	return nil
}

// filesStep adds what no build writes: the changelog and the lockfiles of npm.
func filesStep(_ context.Context, r *run) error {
	r.put(r.lockfiles()...)
	file, err := r.changelog()
	if err == nil && file != nil {
		r.put(*file)
	}
	return err
}

// put adds files to those that will be written. One that is there already, because of a
// marker in it, was the starting point of the new one.
func (r *run) put(files ...products.File) {
	for _, file := range files {
		r.products = append(slices.DeleteFunc(r.products, func(f products.File) bool { return f.Path == file.Path }), file)
	}
}

// planned returns a file as it will be: with the markers in it brought into step.
func (r *run) planned(file string) ([]byte, *diag.Diagnostic) {
	if i := slices.IndexFunc(r.products, func(f products.File) bool { return f.Path == file }); i >= 0 {
		return r.products[i].Contents, nil
	}
	return r.project.ReadFile(file)
}

// lockfiles are the lockfiles of npm beside every package.json that gets the version.
func (r *run) lockfiles() (files []products.File) {
	folders := []string{}
	for _, product := range r.products {
		if path.Base(product.Path) == project.PackageFile {
			folders = append(folders, path.Dir(product.Path))
		}
	}
	if r.raising.file == project.PackageFile {
		folders = append(folders, ".")
	}
	version := r.raising.next.String()
	for _, folder := range folders {
		if !r.saysVersion(path.Join(folder, project.PackageFile), version) {
			continue
		}
		for _, name := range []string{"package-lock.json", "npm-shrinkwrap.json"} {
			file := path.Join(folder, name)
			data, problem := r.planned(file)
			if data == nil && problem == nil {
				continue
			}
			if problem == nil {
				problem = project.Parse(file, data, project.Strict).Problem
			}
			if problem != nil || r.project.IsLink(file) {
				r.raising.found.Add(diag.Diagnostic{Code: "package-lock", Level: diag.Warning, Position: diag.Position{File: file}, Message: "is left as it is, since it cannot be read", Hint: "npm install brings its version into step"})
				continue
			}
			if edited, ok := versioning.SetLockVersion(project.Parse(file, data, project.Strict), version); ok {
				files = append(files, products.File{Path: file, Contents: edited})
			}
		}
	}
	return files
}

// saysVersion reports whether a package.json has the version, as it is or will be.
func (r *run) saysVersion(file, version string) bool {
	if file == r.raising.file {
		return true
	}
	i := slices.IndexFunc(r.products, func(f products.File) bool { return f.Path == file })
	return i >= 0 && project.Parse(file, r.products[i].Contents, project.Strict).String("version") == version
}

// changelog is the changelog with the section of the next version; nil when none is
// wanted.
func (r *run) changelog() (*products.File, error) {
	v := r.raising
	if !v.options.Changelog {
		return nil, nil
	}
	name, err := r.changelogFile()
	if err != nil {
		return nil, err
	}
	old, problem := r.planned(name)
	if problem != nil {
		return nil, diag.Fail(*problem)
	}
	section := versioning.Section{Version: v.next.String(), Before: v.old, Date: v.options.Date}
	if v.last != nil {
		section.Before = v.last.Version.String()
		if len(r.items) > 0 && len(v.unrecorded) == 0 {
			section.Same = "Tools and their parameters are as before."
		}
	}
	servers := 0
	for _, it := range r.items {
		if it.mcp() {
			servers++
		}
	}
	for _, c := range v.changes {
		change := versioning.Change{Change: c.Change}
		if servers > 1 && c.Kind != "server-removed" {
			change.Server = c.Bundle
		}
		section.Changes = append(section.Changes, change)
	}
	v.section = versioning.WriteChangelog(old, section)
	if v.section.Empty {
		v.found.Add(diag.Diagnostic{Code: "changelog-empty", Level: diag.Warning, Position: diag.Position{File: name}, Message: "the section " + section.Version + " says nothing: no earlier release is known to compare with", Hint: "write what is new"})
	}
	return &products.File{Path: name, Contents: v.section.Text}, nil
}

// changelogFile is the changelog at the plugin's root, in whatever letter case.
func (r *run) changelogFile() (string, error) {
	entries, err := os.ReadDir(r.project.Root)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if strings.EqualFold(entry.Name(), versioning.ChangelogFile) {
			if r.project.IsLink(entry.Name()) {
				return "", linked(entry.Name())
			}
			return entry.Name(), nil
		}
	}
	return versioning.ChangelogFile, nil
}

// versionFields say what is new in the file with the version.
func (v *raising) versionFields() []string {
	return []string{"version " + v.old + " → " + v.next.String()}
}

// fieldsOf says what is new in a file that no metadata step wrote.
func (r *run) fieldsOf(file string) []string {
	switch {
	case strings.EqualFold(file, versioning.ChangelogFile):
		if r.raising.section.Began {
			return []string{"section " + r.raising.next.String() + " added"}
		}
		return []string{"section " + r.raising.next.String() + " completed"}
	case r.lockOf(file) != nil:
		return []string{"recorded again"}
	case slices.Contains([]string{"package-lock.json", "npm-shrinkwrap.json"}, path.Base(file)):
		return r.raising.versionFields()
	}
	return []string{"built again"}
}

// listFiles lists what a build with the next version changed: the file with the version,
// the metadata, and everything else in the order of its paths.
func (r *run) listFiles() {
	v := r.raising
	v.files = []FileReport{{Path: v.file, Changed: true, Fields: v.versionFields()}}
	for _, file := range r.files {
		if file.Changed {
			v.files = append(v.files, file)
		}
	}
	var others []FileReport
	for _, w := range r.placed {
		if w.Changed && !slices.ContainsFunc(v.files, func(f FileReport) bool { return f.Path == w.Path }) {
			others = append(others, FileReport{Path: w.Path, Changed: true, Fields: r.fieldsOf(w.Path)})
		}
	}
	slices.SortFunc(others, func(a, b FileReport) int { return strings.Compare(a.Path, b.Path) })
	v.files = append(v.files, others...)
}

// planStep says what raiseStep would change. Bundles are not made: those that hold the
// old version are named.
func planStep(_ context.Context, r *run) error {
	v := r.raising
	before, after, err := r.raised()
	if err != nil {
		return err
	}
	planned := *r.project
	if v.file == project.PackageFile {
		planned.Package.Version = v.next.String()
	}
	plan, err := metadata.Plan(&planned, metadata.Facts{Tools: r.toolCounts(), Edited: map[string][]byte{v.file: after}})
	if err != nil {
		return err
	}
	v.files = []FileReport{{Path: v.file, Changed: true, Fields: v.versionFields(), Diff: metadata.Diff(metadata.Change{Path: v.file, Before: before, After: after})}}
	for _, file := range fileReports(plan, true, "") {
		if file.Changed && file.Path != v.file {
			v.files = append(v.files, file)
		}
	}
	if err := r.planCatalog(plan); err != nil {
		return err
	}
	for _, change := range plan.Changes {
		r.products = append(r.products, products.File{Path: change.Path, Contents: change.After})
	}
	more := r.lockfiles()
	file, err := r.changelog()
	if err != nil {
		return err
	}
	if file != nil {
		more = append(more, *file)
	}
	for _, f := range more {
		if old, _ := r.project.ReadFile(f.Path); !bytes.Equal(old, f.Contents) {
			v.files = append(v.files, FileReport{Path: f.Path, Changed: true, Fields: r.fieldsOf(f.Path), Diff: metadata.Diff(metadata.Change{Path: f.Path, Before: old, After: f.Contents})})
		}
	}
	r.planBundles()
	return nil
}

// planCatalog adds the catalog of a repository of several.
func (r *run) planCatalog(plan *metadata.Result) error {
	r.entry = &plan.Entry
	if noCatalog(r) != "" {
		return nil
	}
	catalog, err := metadata.PlanCatalog(r.project.Within.Root, []metadata.Entry{plan.Entry})
	if err != nil {
		return r.aboutCatalog(err)
	}
	for _, file := range fileReports(catalog, true, "") {
		if file.Changed {
			file.Path = path.Join(r.toRepository(), file.Path)
			r.raising.files = append(r.raising.files, file)
		}
	}
	return nil
}

// planBundles names the bundles that hold the version, and their lock files.
func (r *run) planBundles() {
	v := r.raising
	for _, it := range r.items {
		if v.old == "" || len(it.outputs) == 0 {
			continue
		}
		for _, output := range it.outputs {
			if bytes.Contains(output.Contents, []byte(v.old)) {
				v.files = append(v.files, FileReport{Path: output.Path, Changed: true, Fields: []string{"built again"}})
			}
		}
		if lock, err := surface.ReadLock(r.project.Root, it.bundle.LockFile); it.mcp() && err == nil && lock.Server.Version == v.old {
			v.files = append(v.files, FileReport{Path: it.bundle.LockFile, Changed: true, Fields: []string{"recorded again"}})
		}
	}
}
