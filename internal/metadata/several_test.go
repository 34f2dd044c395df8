package metadata_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
)

// TestPlanCatalog works on one small repository of several plugins from each
// testdata/several/*.txtar; the head is that of TestPlan. The catalog is planned
// after every plugin, applied, and then in step.
func TestPlanCatalog(t *testing.T) {
	golden(t, "testdata/several", func(t *testing.T, archive *txtar.Archive) string {
		root := t.TempDir()
		for _, f := range archive.Files {
			if f.Name != "want" {
				write(t, root, f.Name, string(f.Data))
			}
		}
		if name, target, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(archive.Comment), "link ")), " -> "); ok {
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		return catalogOutcome(t, root)
	})
}

func catalogOutcome(t *testing.T, root string) string {
	var b strings.Builder
	result, err := planCatalog(t, root)
	var failure *diag.Failure
	if errors.As(err, &failure) {
		fmt.Fprintln(&b, "failed")
		for _, d := range failure.Diagnostics {
			fmt.Fprintf(&b, "%s: %s\n\thint: %s\n", d.Level, d, d.Hint)
		}
		return b.String()
	}
	for _, d := range result.Diagnostics {
		fmt.Fprintf(&b, "%s: %s\n\thint: %s\n", d.Level, d, d.Hint)
	}
	for _, c := range result.Changes {
		fmt.Fprintf(&b, "%s: %s\n%s", c.Path, strings.Join(c.Fields, ", "), metadata.Diff(c))
		write(t, root, c.Path, string(c.After))
	}
	if again, err := planCatalog(t, root); err != nil || len(again.Changes) > 0 {
		t.Errorf("after the plan was applied: %+v, %v", again, err)
	}
	return b.String()
}

// planCatalog plans every plugin, applies that, and plans the catalog.
func planCatalog(t *testing.T, root string) (*metadata.Result, error) {
	t.Helper()
	_, repository, err := project.Open(root)
	if err != nil || repository == nil {
		t.Fatalf("no repository of several: %v", err)
	}
	var entries []metadata.Entry
	for _, m := range repository.Plugins {
		if m.Project == nil {
			t.Fatal(m.Faults)
		}
		plan, err := metadata.Plan(m.Project, metadata.Facts{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range plan.Changes {
			if c.Path == project.CatalogFile {
				t.Errorf("%s: a plan of one plugin changes the catalog", m.Path)
			}
			write(t, m.Project.Root, c.Path, string(c.After))
		}
		entries = append(entries, plan.Entry)
	}
	return metadata.PlanCatalog(root, entries)
}
