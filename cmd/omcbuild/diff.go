package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

func newDiff(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [REV]",
		Short: "Show what changed for the model since a git revision or a lock file",
		Long: "diff runs the bundles on disk and compares their tools with the lock files of a git revision\n" +
			"(HEAD when none is named) or with one lock file, and proposes the version bump.",
		Example: "  omcbuild diff\n  omcbuild diff v1.2.0\n  omcbuild diff ../old/bridge/mcp-server.tools.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			against := "HEAD"
			if len(args) == 1 {
				against = args[0]
			}
			return runDiff(c.Context(), g, against)
		},
	}
}

func runDiff(ctx context.Context, g *global, against string) error {
	p, err := g.load()
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	result, err := pipeline.Diff(ctx, p, pipeline.DiffOptions{Against: against, Dir: g.dir, CacheDir: cacheDir(), Machine: machine})
	if err != nil {
		return err
	}
	document := struct {
		report.Outcome
		Changes []pipeline.Change `json:"changes"`
		Bump    string            `json:"bump"`
	}{report.NewOutcome(result.Diagnostics), result.Changes, result.Bump}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		for _, change := range result.Changes {
			_, _ = fmt.Fprintln(w, report.Printable(change.String()))
		}
		if len(result.Changes) == 0 {
			_, _ = fmt.Fprintf(w, "no change since %s\n", against)
			return
		}
		_, _ = fmt.Fprintf(w, "%s since %s; version bump: %s\n", report.Count(len(result.Changes), "change"), against, style.Strong(result.Bump))
	})
}
