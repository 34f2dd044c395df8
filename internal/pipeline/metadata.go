package pipeline

import (
	"context"
	"path"

	"omcbuild/internal/metadata"
	"omcbuild/internal/products"
	"omcbuild/internal/surface"
)

// metadataStep works out what manifests, counts and markers are to say.
func metadataStep(_ context.Context, r *run) error {
	plan, err := metadata.Plan(r.project, metadata.Facts{Tools: r.toolCounts()})
	if err != nil {
		return err
	}
	r.diagnostics.Add(plan.Diagnostics...)
	r.entry = &plan.Entry
	r.files = fileReports(plan, r.wantsDiff, r.folder)
	for _, change := range plan.Changes {
		r.products = append(r.products, products.File{Path: change.Path, Contents: change.After})
	}
	return nil
}

// metadataReports are the metadata files as they are now: none of them is changed
// when something kept them from being written.
func (r *run) metadataReports() []FileReport {
	if r.readOnly || !r.held && !r.diagnostics.HasErrors() {
		return r.files
	}
	files := []FileReport{}
	for _, file := range r.files {
		files = append(files, FileReport{Path: file.Path})
	}
	return files
}

// fileReports lists the files of a plan, with differences if they are wanted.
// Those name the files as seen from the folder above, so that they can be applied.
func fileReports(plan *metadata.Result, withDiff bool, folder string) []FileReport {
	files := []FileReport{}
	for _, file := range plan.Files {
		report := FileReport{Path: file}
		for _, change := range plan.Changes {
			if change.Path != file {
				continue
			}
			report.Changed, report.Fields = true, change.Fields
			if withDiff {
				change.Path = path.Join(folder, file)
				report.Diff = metadata.Diff(change)
			}
		}
		files = append(files, report)
	}
	return files
}

// toolCounts are the tools of each server: as it listed them, or, when it was
// not run, as its lock file records them.
func (r *run) toolCounts() map[string]int {
	counts := map[string]int{}
	for _, it := range r.items {
		if it.probe != nil {
			counts[it.bundle.Name] = len(it.probe.Surface.Tools)
		} else if lock, err := surface.ReadLock(r.project.Root, it.bundle.LockFile); err == nil {
			counts[it.bundle.Name] = len(lock.Tools)
		}
	}
	return counts
}
