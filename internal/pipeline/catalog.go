package pipeline

import (
	"context"
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
	return step{
		name: "catalog",
		skip: func(r *run) string {
			within := r.project.Within
			return unless(within != nil && within.Catalog && r.entry != nil, "the plugin is in no catalog of several")
		},
		do: func(ctx context.Context, r *run) error {
			root := r.project.Within.Root
			edit := catalogEdit{cacheDir: r.cacheDir, root: root, readOnly: r.readOnly, withDiff: r.wantsDiff}
			files, found, err := edit.apply(ctx, []metadata.Entry{*r.entry})
			if err != nil {
				return err
			}
			up, err := filepath.Rel(r.project.Root, root)
			if err != nil {
				return err
			}
			up = filepath.ToSlash(up)
			for i := range files {
				files[i].Path = path.Join(up, files[i].Path)
			}
			r.files = append(r.files, files...)
			r.diagnostics.Add(found.Below(up)...)
			return nil
		},
	}
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
	var changed []products.File
	for _, change := range plan.Changes {
		changed = append(changed, products.File{Path: change.Path, Contents: change.After})
	}
	_, err = products.Write(c.root, changed)
	return files, found, err
}
