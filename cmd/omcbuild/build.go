package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"omcbuild/bundler"
	"omcbuild/internal/metadata"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

type buildOptions struct {
	minify, sourcemap, typecheck, noVerify, frozen, update bool
	metafile                                               string
	env                                                    []string
}

func newBuild(g *global) *cobra.Command {
	var o buildOptions
	c := &cobra.Command{
		Use:   "build",
		Short: "Bundle the servers, sync the metadata, run and check each bundle",
		Long: "build bundles every entry point of the project, runs each MCP bundle from an empty folder the\n" +
			"way the real client starts it, compares its tools with the lock file and the sources, and only\n" +
			"then puts bundles, lock files and metadata in place, all together. When anything fails, nothing\n" +
			"changes and the last good bundle stays. At the root of a repository of several plugins this is\n" +
			"done for all of them; those that fail are left as they are.",
		Example: "  omcbuild build\n  omcbuild build --update   # accept a breaking change of the tool surface\n  omcbuild build --frozen   # in CI: fail when bundle, lock file or metadata is stale\n  omcbuild -C plugins/a build   # one of several plugins",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runBuild(c.Context(), g, o) },
	}
	f := c.Flags()
	f.BoolVar(&o.minify, "minify", false, "minify the bundles")
	f.BoolVar(&o.sourcemap, "sourcemap", false, "write a source map beside each bundle")
	f.StringVar(&o.metafile, "metafile", "", "write esbuild's metafile to `FILE`")
	f.BoolVar(&o.typecheck, "typecheck", false, "run the TypeScript compiler of the project too")
	f.BoolVar(&o.noVerify, "no-verify", false, "do not run the bundles; their lock files stay as they are")
	f.BoolVar(&o.frozen, "frozen", false, "change nothing; fail when anything is stale")
	f.BoolVar(&o.update, "update", false, "accept a changed tool surface, breaking changes too")
	envFlag(c, &o.env)
	c.MarkFlagsMutuallyExclusive("frozen", "update")
	c.MarkFlagsMutuallyExclusive("frozen", "no-verify")
	c.MarkFlagsMutuallyExclusive("no-verify", "update") // without a run there is nothing to accept
	return c
}

// buildDocument is what --json prints.
type buildDocument struct {
	report.Outcome
	buildFields
}

// buildFields are what --json prints of one plugin.
type buildFields struct {
	Bundles    []pipeline.BundleReport `json:"bundles"`
	Metadata   []pipeline.FileReport   `json:"metadata"`
	Steps      []pipeline.StepReport   `json:"steps,omitempty"`
	DurationMs int64                   `json:"durationMs"`
}

func runBuild(ctx context.Context, g *global, o buildOptions) error {
	oneShot()
	env, err := parseEnv(o.env)
	if err != nil {
		return err
	}
	p, several, err := g.open()
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil && !o.noVerify {
		return err
	}
	metafile := o.metafile
	if metafile != "" && several != nil {
		return several.Several("--metafile is for one")
	}
	if metafile != "" && !filepath.IsAbs(metafile) {
		if metafile, err = absolute(filepath.Join(g.dir, metafile)); err != nil {
			return err
		}
	}
	options := pipeline.BuildOptions{
		Minify: o.minify, Sourcemap: o.sourcemap, Typecheck: o.typecheck, Metafile: metafile,
		Verify: !o.noVerify, Frozen: o.frozen, Update: o.update, Env: env,
		ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine,
		BeforeBundling: sync.OnceFunc(bundler.LargeStacks),
	}
	if several != nil {
		return buildAll(ctx, g, several, options)
	}
	result, err := pipeline.Build(ctx, p, options)
	if err != nil {
		return err
	}
	document := buildDocument{report.NewOutcome(result.Diagnostics), fieldsOfBuild(result, g.verbose)}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) { printBuild(w, style, g.verbose, o.frozen, result) })
}

func fieldsOfBuild(r *pipeline.BuildResult, verbose bool) buildFields {
	fields := buildFields{Bundles: r.Bundles, Metadata: r.Metadata, DurationMs: r.Duration.Milliseconds()}
	if verbose {
		fields.Steps = r.Steps
	}
	return fields
}

func printBuild(w io.Writer, style report.Style, verbose, frozen bool, r *pipeline.BuildResult) {
	printBuilt(w, style, verbose, r)
	if len(r.Bundles) == 0 {
		_, _ = fmt.Fprintln(w, style.Dim(nothingToBundle))
	}
	failed := r.Diagnostics.HasErrors()
	switch {
	case failed && frozen:
		_, _ = fmt.Fprintln(w, style.Bad("stale")+", nothing was changed")
	case failed:
		_, _ = fmt.Fprintln(w, style.Bad("failed")+", nothing was changed")
	default:
		_, _ = fmt.Fprintf(w, "%s in %s\n", style.Good("done"), report.Duration(r.Duration))
	}
}

// printBuilt lists what a build made.
func printBuilt(w io.Writer, style report.Style, verbose bool, r *pipeline.BuildResult) {
	for _, b := range r.Bundles {
		printBundle(w, style, b)
	}
	printChanged(w, r.Metadata)
	if verbose {
		printSteps(w, style, r.Steps)
	}
}

// printChanged names the metadata files that changed, and what is new in them.
func printChanged(w io.Writer, files []pipeline.FileReport) {
	for _, m := range files {
		if m.Changed {
			printFields(w, report.Printable(m.Path), m.Fields)
		}
	}
}

// printFields says what is new in a file: on one line, or in a catalog of several
// plugins on one for each.
func printFields(w io.Writer, file string, fields []string) {
	groups := metadata.Together(fields)
	if len(groups) == 1 {
		_, _ = fmt.Fprintf(w, "%s  %s\n", file, report.Printable(groups[0]))
		return
	}
	_, _ = fmt.Fprintln(w, file)
	for _, group := range groups {
		_, _ = fmt.Fprintf(w, "  %s\n", report.Printable(group))
	}
}

// printBundle says in one or two lines what stands in a bundle and what it
// offered when it ran.
func printBundle(w io.Writer, style report.Style, b pipeline.BundleReport) {
	if b.Bytes > 0 {
		line := []string{report.Bytes(b.Bytes), report.Bytes(b.GzipBytes) + " gzipped"}
		switch {
		case b.UpToDate:
			line = append(line, "up to date")
		case b.Inputs > 0:
			line = append(line, report.Count(b.Inputs, "input"), fmt.Sprintf("built in %d ms", b.DurationMs))
		}
		_, _ = fmt.Fprintf(w, "%s  %s\n", style.Strong(report.Printable(b.Outfile)), strings.Join(line, ", "))
	}
	if v := b.Verify; v != nil && v.MayFail != "" {
		_, _ = fmt.Fprintf(w, "  %s: not proven, %s\n", report.Printable(b.Name), report.Printable(v.MayFail))
	}
	if v := b.Verify; v != nil && v.Ran {
		_, _ = fmt.Fprintf(w, "  %s: %s, initialize after %d ms, tools/list after %d ms\n", report.Printable(b.Name), report.Count(v.Tools, "tool"), v.InitializeMs, v.ListMs)
		for _, change := range v.Changes {
			_, _ = fmt.Fprintf(w, "  %s\n", report.Printable(change.String()))
		}
		for _, call := range v.Calls {
			_, _ = fmt.Fprintf(w, "  %s answered after %d ms: %s\n", report.Printable(call.Tool), call.DurationMs, report.Printable(call.Text))
		}
	}
}

func printSteps(w io.Writer, style report.Style, steps []pipeline.StepReport) {
	for _, s := range steps {
		note := report.Duration(s.Duration)
		if s.Skipped != "" {
			note = "skipped: " + report.Printable(s.Skipped)
		}
		if s.Note != "" {
			note += ", " + report.Printable(s.Note)
		}
		_, _ = fmt.Fprintln(w, style.Dim(fmt.Sprintf("  %-10s %s", s.Name, note)))
	}
}
