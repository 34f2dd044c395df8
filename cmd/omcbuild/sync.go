package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

func newSync(g *global) *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "sync",
		Short: "Bring manifests, versions, counts and markers into step with package.json",
		Long: "sync reads name, version, description, author, licence, links and keywords from package.json and\n" +
			"brings plugin.json, marketplace.json, .mcp.json, counts and version markers into step. Unknown\n" +
			"keys, key order and formatting stay. Tool counts come from the lock files.",
		Example: "  omcbuild sync\n  omcbuild sync --check   # print what would change, exit 1 when anything would",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runSync(c.Context(), g, check) },
	}
	c.Flags().BoolVar(&check, "check", false, "change nothing; print a unified diff and exit 1 when anything would change")
	return c
}

func runSync(ctx context.Context, g *global, check bool) error {
	p, several, err := g.open()
	if err != nil {
		return err
	}
	options := pipeline.SyncOptions{Check: check, CacheDir: cacheDir()}
	if several != nil {
		return syncAll(ctx, g, several, options)
	}
	result, err := pipeline.Sync(ctx, p, options)
	if err != nil {
		return err
	}
	document := struct {
		report.Outcome
		Metadata []pipeline.FileReport `json:"metadata"`
	}{report.NewOutcome(result.Diagnostics), result.Metadata}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		if printSynced(w, style, check, result.Metadata) == 0 && !result.Diagnostics.HasErrors() {
			_, _ = fmt.Fprintln(w, style.Good("in step")+", nothing to change")
		}
	})
}

// printSynced names the files that were changed, or with check shows what would
// change, and returns how many there are.
func printSynced(w io.Writer, style report.Style, check bool, files []pipeline.FileReport) int {
	changed := 0
	for _, m := range files {
		if !m.Changed {
			continue
		}
		changed++
		if check {
			printDiff(w, m.Diff)
		} else {
			printFields(w, style.Strong(report.Printable(m.Path)), m.Fields)
		}
	}
	return changed
}

// printDiff writes a difference of texts that nobody has looked at yet. Line
// ends stay as they are in the files.
func printDiff(w io.Writer, diff string) {
	for line := range strings.Lines(diff) {
		text := strings.TrimRight(line, "\r\n")
		_, _ = fmt.Fprint(w, report.Printable(text), line[len(text):])
	}
}
