package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/project"
	"omcbuild/internal/report"
	"omcbuild/internal/scaffold"
)

// above is what --json prints of the repository that a new plugin lies in.
type above struct {
	Catalog  string `json:"catalog"` // path of the catalog, as seen from here
	Exists   bool   `json:"exists"`
	Problem  string `json:"problem,omitempty"` // why it cannot be read
	Listed   bool   `json:"listed"`            // whether it lists the plugin already
	Write    string `json:"write"`             // the entry to add to plugins, or without a catalog the whole of it
	Workflow string `json:"workflow"`          // path where a workflow runs
}

// seenFrom names the files of the repository as seen from the current folder.
func seenFrom(a *scaffold.Above) *above {
	if a == nil {
		return nil
	}
	near := func(folder, file string) string {
		full := filepath.Join(folder, filepath.FromSlash(file))
		here, err := os.Getwd()
		if err == nil {
			here, err = filepath.EvalSymlinks(here)
		}
		if relative, far := filepath.Rel(here, full); err == nil && far == nil {
			full = relative
		}
		return filepath.ToSlash(full)
	}
	return &above{near(a.Root, project.CatalogFile), a.Catalog, a.Broken, a.Listed, a.Write, near(a.Top, ".github/workflows/build.yml")}
}

func printAbove(w io.Writer, style report.Style, a *above) {
	if a == nil {
		return
	}
	catalog := report.Printable(a.Catalog)
	_, _ = fmt.Fprintln(w, style.Strong("left to the root of the repository:"))
	switch {
	case a.Listed:
		_, _ = fmt.Fprintf(w, "  %s lists the plugin already\n", catalog)
	case a.Problem != "":
		_, _ = fmt.Fprintf(w, "  %s has to be corrected first: %s; then add to plugins:\n", catalog, report.Printable(a.Problem))
	case a.Exists:
		_, _ = fmt.Fprintf(w, "  %s does not list the plugin yet; add to plugins:\n", catalog)
	default:
		_, _ = fmt.Fprintf(w, "  %s is not there yet; write:\n", catalog)
	}
	if !a.Listed {
		for line := range strings.Lines(a.Write) {
			_, _ = fmt.Fprintf(w, "    %s\n", report.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	_, _ = fmt.Fprintf(w, "  %s, one workflow for all plugins; GitHub runs no other. docs/monorepo.md of omcbuild shows it\n", report.Printable(a.Workflow))
}
