package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"omcbuild/bundler"
	"omcbuild/internal/analysis"
	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

type analyzeOptions struct {
	bundle             string
	html, notices      string
	files, all, minify bool
	top                int
	why                []string
}

func newAnalyze(g *global) *cobra.Command {
	var o analyzeOptions
	c := &cobra.Command{
		Use:   "analyze",
		Short: "Show what is in the bundles: packages, files, duplicates, licences",
		Long: "analyze bundles in memory, from the sources as they are, and shows which packages the bytes come\n" +
			"from, which of them are there twice, and under which licences they stand. --why names the imports\n" +
			"by which a module or a package came in. --notices collects the texts of the licences, which most\n" +
			"of them want passed on. Nothing is written but what --html and --notices ask for.",
		Example: "  omcbuild analyze\n  omcbuild analyze --files --top 10\n  omcbuild analyze --why zod\n  omcbuild analyze --html bundle.html   # a picture, in one file that needs no network\n  omcbuild analyze --notices THIRD_PARTY_NOTICES.txt",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runAnalyze(c.Context(), g, o) },
	}
	f := c.Flags()
	f.StringVar(&o.bundle, "bundle", "", "look at the bundle with this `NAME` alone")
	f.BoolVar(&o.files, "files", false, "list files instead of packages")
	f.IntVar(&o.top, "top", 20, "list at most `N` packages or files")
	f.BoolVar(&o.all, "all", false, "list all packages, files and import chains")
	f.StringArrayVar(&o.why, "why", nil, "show by which imports a `MODULE` or package came in; repeatable")
	f.BoolVar(&o.minify, "minify", false, "look at the bundles as build --minify makes them")
	f.StringVar(&o.html, "html", "", "write a treemap to this `FILE`")
	f.StringVar(&o.notices, "notices", "", "write the licence texts of all packages in the bundles to this `FILE`")
	c.MarkFlagsMutuallyExclusive("all", "top")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		for _, file := range []struct{ flag, name, example string }{{"html", o.html, "bundle.html"}, {"notices", o.notices, "THIRD_PARTY_NOTICES.txt"}} {
			if c.Flags().Changed(file.flag) && file.name == "" {
				return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--" + file.flag + " names no file", Hint: "name one, for example --" + file.flag + " " + file.example})
			}
		}
		return nil
	}
	return c
}

// fewChains is how many import chains are shown without --all.
const fewChains = 5

// analyzeDocument is what --json prints. It holds all packages and files, whatever
// --top says.
type analyzeDocument struct {
	report.Outcome
	Method  string                `json:"method"` // how bytes are counted
	Bundles []*analysis.Bundle    `json:"bundles"`
	Why     []pipeline.BundleWays `json:"why,omitempty"`
	HTML    string                `json:"html,omitempty"`    // path of the page that was written
	Notices string                `json:"notices,omitempty"` // path of the text that was written
}

func runAnalyze(ctx context.Context, g *global, o analyzeOptions) error {
	oneShot()
	bundler.LargeStacks()
	if o.top < 1 {
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--top must be at least 1", Hint: "leave it out, or use --all"})
	}
	p, err := g.load()
	if err != nil {
		return err
	}
	// Node is not needed here, so a machine without it will do.
	machine, _ := thisMachine()
	page, err := g.target(o.html)
	if err != nil {
		return err
	}
	notices, err := g.target(o.notices)
	if err != nil {
		return err
	}
	chains := fewChains
	if o.all {
		chains = 1000
	}
	result, err := pipeline.Analyze(ctx, p, pipeline.AnalyzeOptions{Bundle: o.bundle, Minify: o.minify, Why: o.why, Chains: chains, Page: page, Notices: notices, Machine: machine})
	if err != nil {
		return err
	}
	document := analyzeDocument{Outcome: report.NewOutcome(result.Diagnostics), Method: analysis.Method, Bundles: result.Bundles, Why: result.Ways}
	if document.Bundles == nil {
		document.Bundles = []*analysis.Bundle{}
	}
	if page != "" && document.OK {
		document.HTML = filepath.ToSlash(o.html)
	}
	if notices != "" && document.OK {
		document.Notices = filepath.ToSlash(o.notices)
	}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) { printAnalysis(w, style, o, result) })
}

// target is the absolute path of a file that a flag names, from the folder of -C.
func (g *global) target(name string) (string, error) {
	if name == "" || filepath.IsAbs(name) {
		return name, nil
	}
	return absolute(filepath.Join(g.dir, name))
}
