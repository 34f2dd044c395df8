package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
	"omcbuild/internal/versioning"
)

type versionOptions struct {
	tag, dryRun, noChangelog, minify, sourcemap bool
	env                                         []string
}

func newVersion(g *global) *cobra.Command {
	var o versionOptions
	c := &cobra.Command{
		Use:   "version [patch|minor|major|auto|X.Y.Z]",
		Short: "Raise the version everywhere, and tag it",
		Long: "version raises a part of the plugin's version, or sets the version named: in package.json, the\n" +
			"manifests, the lockfile of npm, the markers, and the bundles, which are built again and run. It begins a\n" +
			"section of CHANGELOG.md with what changed for the model since the last release, and what stood under\n" +
			"Unreleased. All files are put in place together, or none. build --frozen passes afterwards.\n\n" +
			"auto raises what the changes since the last tag ask for: major for breaking ones, minor for new tools and\n" +
			"parameters, patch for anything else. Below 1.0.0 a breaking change raises the minor version.\n\n" +
			"Without --tag files are changed, and nothing is committed. With it everything has to be committed before;\n" +
			"the changed files are then committed as \"NAME VERSION\", and the commit gets the annotated tag\n" +
			"NAME--vVERSION, which the client expects. --tag alone tags the version that is there, when nothing is\n" +
			"stale. What verify --plugin or package refuses is not tagged. Hooks and signing are as git has them.\n" +
			"Nothing is pushed.",
		Example: "  omcbuild version auto               # what the changes ask for\n  omcbuild version minor --dry-run    # show what would change\n  omcbuild version 1.3.0-beta.1\n  omcbuild version patch --tag        # commit and tag as well\n  omcbuild version --tag              # tag what is committed\n  omcbuild -C plugins/a version patch # one of several plugins",
		Args:    atMostOne("version", "omcbuild version minor"),
		RunE:    func(c *cobra.Command, args []string) error { return runVersion(c.Context(), g, o, args) },
	}
	f := c.Flags()
	f.BoolVar(&o.tag, "tag", false, "commit the changed files and tag them; without a version, tag what is committed")
	f.BoolVar(&o.dryRun, "dry-run", false, "change nothing; show what would change")
	f.BoolVar(&o.noChangelog, "no-changelog", false, "leave CHANGELOG.md alone")
	f.BoolVar(&o.minify, "minify", false, "the bundles are built with --minify")
	f.BoolVar(&o.sourcemap, "sourcemap", false, "the bundles are built with --sourcemap")
	envFlag(c, &o.env)
	return c
}

// versionDocument is what --json prints.
type versionDocument struct {
	report.Outcome
	Name       string                `json:"name"`
	Old        string                `json:"old"`
	New        string                `json:"new"`
	Bump       versioning.Part       `json:"bump"`
	Since      string                `json:"since,omitempty"`
	Reasons    []string              `json:"reasons"`
	Files      []pipeline.FileReport `json:"files"`
	Changelog  string                `json:"changelog,omitempty"`
	Tag        string                `json:"tag,omitempty"`
	Commit     string                `json:"commit,omitempty"`
	DryRun     bool                  `json:"dryRun,omitempty"`
	Steps      []pipeline.StepReport `json:"steps,omitempty"`
	DurationMs int64                 `json:"durationMs"`
}

func runVersion(ctx context.Context, g *global, o versionOptions, args []string) error {
	oneShot()
	wish, err := parseWish(o, args)
	if err != nil {
		return err
	}
	env, err := parseEnv(o.env)
	if err != nil {
		return err
	}
	date, err := sourceDate()
	if err != nil {
		return err
	}
	if date.IsZero() {
		date = time.Now()
	}
	p, several, err := g.open()
	if several != nil {
		err = several.Several("each has a version of its own")
	}
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	result, err := pipeline.Version(ctx, p, pipeline.VersionOptions{
		Wish: wish, Tag: o.tag, DryRun: o.dryRun, Changelog: !o.noChangelog, Date: date, Minify: o.minify, Sourcemap: o.sourcemap, Env: env,
		ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine, BeforeBundling: sync.OnceFunc(bundler.LargeStacks),
	})
	if err != nil {
		return err
	}
	document := versionDocument{
		Outcome: report.NewOutcome(result.Diagnostics), Name: result.Name, Old: result.Old, New: result.New, Bump: result.Bump, Since: result.Since,
		Reasons: append([]string{}, result.Reasons...), Files: append([]pipeline.FileReport{}, result.Files...), Changelog: result.Changelog,
		Tag: result.Tag, Commit: result.Commit, DryRun: o.dryRun, DurationMs: result.Duration.Milliseconds(),
	}
	if g.verbose {
		document.Steps = result.Steps
	}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) { printVersion(w, style, g.verbose, o, result) })
}

// parseWish reads the one argument, which only --tag does without.
func parseWish(o versionOptions, args []string) (versioning.Wish, error) {
	switch {
	case len(args) == 1:
		return versioning.ParseWish(args[0])
	case !o.tag:
		return versioning.Wish{}, diag.Misuse(diag.Diagnostic{Code: "usage", Message: "the version is not named", Hint: "use patch, minor, major or auto, or a version such as 1.3.0; --tag alone tags the version that is there, and omcbuild --version prints that of omcbuild"})
	}
	return versioning.Wish{}, nil
}

func printVersion(w io.Writer, style report.Style, verbose bool, o versionOptions, r *pipeline.VersionResult) {
	failed := r.Diagnostics.HasErrors()
	if r.New != r.Old {
		raised := ""
		if r.Bump != versioning.None { // from a version that is none, no part is raised
			raised = ": " + string(r.Bump)
		}
		_, _ = fmt.Fprintf(w, "%s %s → %s%s\n", style.Strong(report.Printable(r.Name)), report.Printable(r.Old), report.Printable(r.New), raised)
	}
	for _, reason := range r.Reasons {
		_, _ = fmt.Fprintf(w, "  %s\n", report.Printable(reason))
	}
	for _, f := range r.Files {
		if o.dryRun && f.Diff != "" {
			printDiff(w, f.Diff)
		} else {
			printFields(w, report.Printable(f.Path), f.Fields)
		}
	}
	if verbose {
		printSteps(w, style, r.Steps)
	}
	switch {
	case failed && len(r.Files) == 0:
		_, _ = fmt.Fprintln(w, style.Bad("failed")+", nothing was changed")
	case failed:
		_, _ = fmt.Fprintln(w, style.Bad("failed"))
	case o.dryRun:
		printPlanned(w, r)
	case r.Kept:
		_, _ = fmt.Fprintf(w, "nothing to do: the tag %s is there already, with these files; git push origin HEAD %s publishes it\n", style.Strong(report.Printable(r.Tag)), report.Printable(r.Tag))
	case r.Tag != "":
		_, _ = fmt.Fprintf(w, "%s: %.7s has the tag %s; git push origin HEAD %s publishes it\n", style.Good("tagged"), r.Commit, style.Strong(report.Printable(r.Tag)), report.Printable(r.Tag))
	default:
		_, _ = fmt.Fprintf(w, "%s in %s; look at the changelog, commit, then omcbuild version --tag\n", style.Good("done"), report.Duration(r.Duration))
	}
}

// printPlanned ends what --dry-run prints.
func printPlanned(w io.Writer, r *pipeline.VersionResult) {
	tag := ""
	if r.Tag != "" {
		tag = "; the tag would be " + report.Printable(r.Tag)
	}
	_, _ = fmt.Fprintln(w, "nothing was changed"+tag)
}
