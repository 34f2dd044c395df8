package pipeline

import (
	"context"
	"strings"

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
	for _, path := range plan.Files {
		r.files = append(r.files, FileReport{Path: path})
	}
	for _, change := range plan.Changes {
		r.products = append(r.products, products.File{Path: change.Path, Contents: change.After})
		report := FileReport{Path: change.Path, Changed: true, Fields: change.Fields}
		if r.wantsDiff {
			report.Diff = metadata.Diff(change)
		}
		r.replaceFile(report)
	}
	return nil
}

func (r *run) replaceFile(report FileReport) {
	for i := range r.files {
		if r.files[i].Path == report.Path {
			r.files[i] = report
			return
		}
	}
	r.files = append(r.files, report)
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

func joinWords(words []string) string { return strings.Join(words, ", ") }
