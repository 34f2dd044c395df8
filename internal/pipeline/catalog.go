package pipeline

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
)

// catalogStep brings the entry of one of several plugins into step, when the
// plugin is built or synced by itself. It is done for a run that only looks, too,
// so that all that is stale is named.
func catalogStep() step {
	return step{name: "catalog", skip: noCatalog, do: func(ctx context.Context, r *run) error {
		root := r.project.Within.Root
		edit := catalogEdit{cacheDir: r.cacheDir, root: root, readOnly: r.readOnly, withDiff: r.wantsDiff}
		files, found, err := edit.apply(ctx, []metadata.Entry{*r.entry})
		if err != nil {
			return r.aboutCatalog(err)
		}
		for i := range files {
			files[i].Path = path.Join(r.toRepository(), files[i].Path)
		}
		r.files = append(r.files, files...)
		r.diagnostics.Add(found.Below(r.toRepository())...)
		return nil
	}}
}

// catalogFirstStep finds out whether the catalog can be edited, before anything
// is written.
func catalogFirstStep() step {
	return step{
		name: "catalog first",
		skip: func(r *run) string { return cmp.Or(unless(!r.readOnly, "nothing is written"), noCatalog(r)) },
		do: func(_ context.Context, r *run) error {
			return r.aboutCatalog(catalogEdit{root: r.project.Within.Root}.possible([]metadata.Entry{*r.entry}))
		},
	}
}

func noCatalog(r *run) string {
	within := r.project.Within
	return unless(within != nil && within.Catalog && r.entry != nil, "the plugin is in no catalog of several")
}

// toRepository is the way from the plugin to the root of its repository.
func (r *run) toRepository() string {
	up, err := filepath.Rel(r.project.Root, r.project.Within.Root)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(up)
}

// aboutCatalog names the files of a failure as seen from the plugin.
func (r *run) aboutCatalog(err error) error {
	var failure *diag.Failure
	if errors.As(err, &failure) {
		return diag.Fail(failure.Diagnostics.Below(r.toRepository())...).Because(err)
	}
	return err
}

// catalogEdit says how to bring the catalog of a repository into step.
type catalogEdit struct {
	cacheDir, root     string
	readOnly, withDiff bool
}

// apply compares the catalog with the entries and writes it. Whoever edits it
// takes a turn, reads it then and not before, and so keeps what others wrote.
// Turns of plugins are taken first: nobody who has the catalog waits for one.
func (c catalogEdit) apply(ctx context.Context, entries []metadata.Entry) ([]FileReport, diag.List, error) {
	if !c.readOnly {
		done, err := takeTurn(ctx, c.cacheDir, filepath.Join(c.root, filepath.FromSlash(project.CatalogFile)))
		if err != nil {
			return nil, nil, err
		}
		defer done()
	}
	plan, err := metadata.PlanCatalog(c.root, entries)
	if err != nil {
		return nil, nil, err
	}
	files, found := fileReports(plan, c.withDiff, ""), plan.Diagnostics
	if c.readOnly {
		return files, append(found, drift(files)...), nil
	}
	_, err = products.Write(c.root, contents(plan))
	return files, found, err
}

// possible returns what would keep apply from writing, before anything is written.
func (c catalogEdit) possible(entries []metadata.Entry) error {
	plan, err := metadata.PlanCatalog(c.root, entries)
	if err != nil {
		return err
	}
	return products.Check(c.root, contents(plan))
}

func contents(plan *metadata.Result) (files []products.File) {
	for _, change := range plan.Changes {
		files = append(files, products.File{Path: change.Path, Contents: change.After})
	}
	return files
}
