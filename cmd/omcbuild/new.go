package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
	"omcbuild/internal/surface"
)

// familyOptions are the flags of new family.
type familyOptions struct {
	bundle string
	dryRun bool
}

func newNew(g *global) *cobra.Command {
	c := &cobra.Command{
		Use:   "new",
		Short: "Add something to a plugin: a family of tools",
		Long: "new writes the files of a further part of the plugin and names it where it has to be named. What it\n" +
			"knows is family: a file with tools that belong together, its test, and its lines in the registry. A\n" +
			"whole plugin is made by init; a further tool of a family is written by hand in that family's file.",
		Example: "  omcbuild new family weather",
		Args:    nothingSuch,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newFamily(g))
	return c
}

// nothingSuch refuses to add what new does not know, and says how a further tool
// is added.
func nothingSuch(c *cobra.Command, args []string) error {
	if len(args) > 0 && (args[0] == "tool" || args[0] == "tools") {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "new adds no single tool",
			Hint: "write it in a family's file with defineTool and name it in that family's array; omcbuild new family NAME adds a family with a first tool"})
	}
	return noSuchCommand(c, args)
}

func newFamily(g *global) *cobra.Command {
	var o familyOptions
	c := &cobra.Command{
		Use:   "family NAME",
		Short: "Add a family of tools: its file, its test and the two lines in the registry",
		Long: "new family writes NAME-tools.ts and its test where the other families are, and adds the import and\n" +
			"the spread to the file that exports allTools, in the style of that file. The first tool is called\n" +
			"NAME_greet; it works, and is there to be changed. Nothing is overwritten: a name that is taken, or a\n" +
			"registry that cannot be extended safely, is refused and nothing is written. The next build lists the tool.",
		Example: "  omcbuild new family weather             # src/tools/weather-tools.ts, tool weather_greet\n" +
			"  omcbuild new family weather --dry-run   # print what would change",
		Args: justOne("new family", "omcbuild new family weather"),
		RunE: func(c *cobra.Command, args []string) error { return runNewFamily(c.Context(), g, args[0], o) },
	}
	c.Flags().StringVar(&o.bundle, "bundle", "", "the server that gets the family, by its `NAME` in the configuration; needed when several have a registry")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "change nothing; print a unified diff")
	return c
}

func runNewFamily(ctx context.Context, g *global, name string, o familyOptions) error {
	p, err := g.load()
	if err != nil {
		return err
	}
	result, err := pipeline.NewFamily(ctx, p, pipeline.FamilyOptions{Name: name, Bundle: o.bundle, DryRun: o.dryRun, CacheDir: cacheDir()})
	if err != nil {
		return err
	}
	plan := result.Plan
	document := struct {
		report.Outcome
		Family   string                `json:"family"`
		Bundle   string                `json:"bundle"`
		Tool     string                `json:"tool"`
		FullName string                `json:"fullName"` // as the model sees it
		Room     int                   `json:"room"`     // characters that a name may be longer
		Files    []string              `json:"files"`
		Changes  []pipeline.FileReport `json:"changes"` // to these files, in words or, with --dry-run, as differences
	}{report.NewOutcome(result.Diagnostics), plan.Name, plan.Bundle, plan.Tool, plan.FullName, plan.Room, nil, result.Files}
	for _, file := range result.Files {
		document.Files = append(document.Files, file.Path)
	}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		for _, file := range result.Files {
			if o.dryRun {
				printDiff(w, file.Diff)
			} else {
				_, _ = fmt.Fprintf(w, "%s  %s\n", style.Strong(report.Printable(file.Path)), strings.Join(file.Fields, ", "))
			}
		}
		if !o.dryRun {
			_, _ = fmt.Fprintf(w, "the model sees %s: %d of %d characters, %d left\n", report.Printable(plan.FullName), len(plan.FullName), surface.NameLimit, plan.Room)
			_, _ = fmt.Fprintln(w, style.Dim("next: "+report.Printable(g.command())+" build"))
		}
	})
}
