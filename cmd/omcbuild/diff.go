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
		Args:    atMostOne("revision or lock file", "omcbuild diff v1.2.0"),
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
	p, several, err := g.open()
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	options := pipeline.DiffOptions{Against: against, Dir: g.dir, CacheDir: cacheDir(), Machine: machine}
	if several != nil {
		return diffAll(ctx, g, several, options)
	}
	result, err := pipeline.Diff(ctx, p, options)
	if err != nil {
		return err
	}
	document := struct {
		report.Outcome
		diffFields
	}{report.NewOutcome(result.Diagnostics), diffFields{result.Changes, result.Bump, result.BumpReason}}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) { printChanges(w, style, against, result) })
}

// diffFields are what --json prints of one plugin.
type diffFields struct {
	Changes []pipeline.Change `json:"changes"`
	Bump    string            `json:"bump"`
	Reason  string            `json:"bumpReason,omitempty"`
}

func printChanges(w io.Writer, style report.Style, against string, result *pipeline.DiffResult) {
	for _, change := range result.Changes {
		_, _ = fmt.Fprintln(w, report.Printable(change.String()))
	}
	if len(result.Changes) == 0 {
		_, _ = fmt.Fprintf(w, "no change since %s\n", report.Printable(against))
		return
	}
	reason := ""
	if result.BumpReason != "" {
		reason = " (" + report.Printable(result.BumpReason) + ")"
	}
	_, _ = fmt.Fprintf(w, "%s since %s; version bump: %s%s\n", report.Count(len(result.Changes), "change"), report.Printable(against), style.Strong(result.Bump), reason)
}
