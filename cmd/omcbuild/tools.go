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

func newTools(g *global) *cobra.Command {
	return &cobra.Command{
		Use:   "tools",
		Short: "Print the tool surface: parameters, annotations, bytes and tokens",
		Long: "tools runs the bundles on disk and prints each tool as the model sees it: its parameters (a\n" +
			"question mark follows an optional one), its annotations, the length of its full name (the API\n" +
			"takes 64 characters), and what it costs in bytes and estimated tokens.",
		Example: "  omcbuild tools\n  omcbuild tools --json",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runTools(c.Context(), g) },
	}
}

func runTools(ctx context.Context, g *global) error {
	p, several, err := g.open()
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	options := pipeline.VerifyOptions{ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine}
	if several != nil {
		return toolsOfAll(ctx, g, several, options)
	}
	result, err := pipeline.Tools(ctx, p, options)
	if err != nil {
		return err
	}
	document := struct {
		report.Outcome
		toolsFields
	}{report.NewOutcome(result.Diagnostics), toolsFields{result.Tools, result.Costs}}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		printTools(w, style, result)
		printMethod(w, style, result)
	})
}

// toolsFields are what --json prints of one plugin.
type toolsFields struct {
	Tools []pipeline.ToolReport `json:"tools"`
	Cost  []pipeline.CostReport `json:"cost"`
}

func printTools(w io.Writer, style report.Style, result *pipeline.VerifyResult) {
	if len(result.Tools) == 0 {
		return
	}
	rows := make([][]string, len(result.Tools))
	for i, t := range result.Tools {
		rows[i] = []string{t.Bundle, t.Name, strings.Join(t.Parameters, " "), strings.Join(t.Hints, " "), fmt.Sprint(t.FullNameLength), fmt.Sprint(t.Bytes), fmt.Sprint(t.Tokens)}
	}
	report.Table(w, style, []string{"server", "tool", "parameters", "annotations", "name", "bytes", "tokens"}, rows, "name", "bytes", "tokens")
	for _, c := range result.Costs {
		line := fmt.Sprintf("%s: %s, %s, about %d tokens, of which %d for the prefix %s", c.Bundle, report.Count(c.Tools, "tool"), report.Bytes(c.Bytes), c.Tokens, c.PrefixTokens, c.Prefix)
		if c.TokensBefore != nil && *c.TokensBefore != c.Tokens {
			line += fmt.Sprintf(" (%+d since the lock file)", c.Tokens-*c.TokensBefore)
		}
		_, _ = fmt.Fprintln(w, report.Printable(line))
	}
}

// printMethod says how the figures of the table came about, if there is one.
func printMethod(w io.Writer, style report.Style, result *pipeline.VerifyResult) bool {
	if result == nil || len(result.Tools) == 0 || len(result.Costs) == 0 {
		return false
	}
	_, _ = fmt.Fprintln(w, style.Dim(result.Costs[0].Method))
	return true
}
