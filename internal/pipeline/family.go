package pipeline

import (
	"context"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/scaffold"
)

// FamilyOptions say which family of tools a plugin gets.
type FamilyOptions struct {
	Name     string
	Bundle   string // needed when several bundles have a registry
	DryRun   bool   // write nothing; the files carry their differences
	CacheDir string
}

// FamilyResult is a new family of tools.
type FamilyResult struct {
	Plan        *scaffold.FamilyPlan
	Files       []FileReport
	Diagnostics diag.List
}

// NewFamily writes a family of tools, its test and the two lines that register it,
// together or not at all. It waits for a build of the same project to end.
func NewFamily(ctx context.Context, p *project.Project, o FamilyOptions) (*FamilyResult, error) {
	if !o.DryRun {
		done, err := takeTurn(ctx, o.CacheDir, p.Root)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	plan, err := scaffold.PlanFamily(p, scaffold.FamilyOptions{Name: o.Name, Bundle: o.Bundle})
	if err != nil {
		return nil, err
	}
	result := &FamilyResult{Plan: plan, Diagnostics: slices.Concat(p.Diagnostics, plan.Warnings)}
	var files []products.File
	for _, change := range plan.Changes {
		report := FileReport{Path: change.Path, Changed: true, Fields: []string{change.What}}
		if o.DryRun {
			report.Diff = metadata.Diff(metadata.Change{Path: change.Path, Before: change.Before, After: change.After})
		}
		result.Files = append(result.Files, report)
		files = append(files, products.File{Path: change.Path, Contents: change.After})
	}
	if err := ctx.Err(); err != nil || o.DryRun {
		return result, err
	}
	_, err = products.Write(p.Root, files)
	return result, err
}
