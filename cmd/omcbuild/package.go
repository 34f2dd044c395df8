package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
	"omcbuild/internal/report"
)

type packageOptions struct {
	formats           []string
	out               string
	minify, sourcemap bool
	env               []string
}

func newPackage(g *global) *cobra.Command {
	var o packageOptions
	c := &cobra.Command{
		Use:   "package",
		Short: "Make the release archives, and prove that they work",
		Long: "package makes archives of the plugin as users get it: manifests, bundles and what they need, skills,\n" +
			"commands, agents and hooks, README and licence, and what package.include adds; the licence texts of\n" +
			"all packages in the bundles, and a bill of materials. Nothing else is in\n" +
			"them: no sources, no lockfile, no secrets. The bundles on disk have to be what the sources build, as\n" +
			"for build --frozen. The archive is then unpacked where nothing else is, its servers are run, and only\n" +
			"then are the archives put in place, all together. When anything fails, the last good ones stay. At the\n" +
			"root of a repository of several plugins all of them are packaged.\n\n" +
			"The same plugin gives the same bytes on every machine. The time in the archives is that of\n" +
			"SOURCE_DATE_EPOCH, or 1980-01-01 when that is not set.",
		Example: "  omcbuild package                            # dist/NAME-VERSION.zip and dist/SHA256SUMS\n  omcbuild package --format zip,tar.gz,mcpb   # an archive of each kind\n  omcbuild package --format dir               # dist/NAME, a tree to publish as a branch\n  omcbuild package --out release -v           # list the files",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runPackage(c.Context(), g, o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.formats, "format", []string{"zip"}, "make `FORMATS`: zip, tar.gz, mcpb (one server, for hosts of such files), dir; separated by commas")
	f.StringVar(&o.out, "out", "", "put the packages into `DIR`; made when it is not there (default dist in the plugin's folder)")
	f.BoolVar(&o.minify, "minify", false, "the bundles were built with --minify")
	f.BoolVar(&o.sourcemap, "sourcemap", false, "the bundles were built with --sourcemap; pack source maps too")
	envFlag(c, &o.env)
	return c
}

// packageDocument is what --json prints.
type packageDocument struct {
	report.Outcome
	Name string `json:"name"`
	packageFields
}

// packageFields are what --json prints of one plugin, beside its name.
type packageFields struct {
	Version    string                `json:"version"`
	Artifacts  []pipeline.Artifact   `json:"artifacts"`
	Files      []pipeline.PackedFile `json:"files"`
	Proof      *pipeline.ProofReport `json:"proof,omitempty"`
	Steps      []pipeline.StepReport `json:"steps,omitempty"`
	DurationMs int64                 `json:"durationMs"`
}

func runPackage(ctx context.Context, g *global, o packageOptions) error {
	oneShot()
	env, err := parseEnv(o.env)
	if err != nil {
		return err
	}
	formats, err := parseFormats(o.formats)
	if err != nil {
		return err
	}
	changed, err := sourceDate()
	if err != nil {
		return err
	}
	p, several, err := g.open()
	if err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	options := pipeline.PackageOptions{
		Formats: formats, Out: defaultOut(p, several), Minify: o.minify, Sourcemap: o.sourcemap, Time: changed, Env: env,
		ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine, BeforeBundling: sync.OnceFunc(bundler.LargeStacks),
	}
	if o.out != "" {
		if options.Out, err = absolute(below(g.dir, o.out)); err != nil {
			return err
		}
	}
	if several != nil {
		return packageAll(ctx, g, several, options)
	}
	result, err := pipeline.Package(ctx, p, options)
	if err != nil {
		return err
	}
	document := packageDocument{report.NewOutcome(result.Diagnostics), result.Name, fieldsOfPackage(result, g.verbose)}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		printPacked(w, style, g.verbose, result)
		if result.Diagnostics.HasErrors() {
			_, _ = fmt.Fprintln(w, style.Bad("failed")+", no package was made")
			return
		}
		_, _ = fmt.Fprintf(w, "%s in %s\n", style.Good("packaged"), report.Duration(result.Duration))
	})
}

// defaultOut is the folder of packages when nobody names one: dist, at the root of the
// plugin or of the repository of several.
func defaultOut(p *project.Project, several *project.Repository) string {
	if several != nil {
		return filepath.Join(several.Root, "dist")
	}
	return filepath.Join(p.Root, "dist")
}

func fieldsOfPackage(r *pipeline.PackageResult, verbose bool) packageFields {
	fields := packageFields{Version: r.Version, Artifacts: r.Artifacts, Files: r.Files, Proof: r.Proof, DurationMs: r.Duration.Milliseconds()}
	if verbose {
		fields.Steps = r.Steps
	}
	return fields
}

// below returns a path as seen from a folder.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// parseFormats reads the names of formats; one that is named twice counts once.
func parseFormats(words []string) ([]release.Format, error) {
	var formats []release.Format
	for _, word := range words {
		format := release.Format(strings.TrimSpace(word))
		if !slices.Contains(release.Formats(), format) {
			return nil, diag.Misuse(diag.Diagnostic{Code: "usage", Message: fmt.Sprintf("--format %s is no form of a package", word), Hint: "use zip, tar.gz, mcpb or dir; --json prints a document"})
		}
		formats = append(formats, format)
	}
	if len(formats) == 0 {
		return nil, diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--format names no form of a package", Hint: "use zip, tar.gz, mcpb or dir"})
	}
	return formats, nil
}

// sourceDate reads SOURCE_DATE_EPOCH, the seconds since 1970 by which builds agree on a
// time; the zero value when it is not set.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return time.Time{}, diag.Misuse(diag.Diagnostic{Code: "usage", Message: fmt.Sprintf("SOURCE_DATE_EPOCH is %q and no number of seconds since 1970", text), Hint: "for example SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)"})
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// printPacked lists what is in a package, what it did when it was unpacked, and where
// it is.
func printPacked(w io.Writer, style report.Style, verbose bool, r *pipeline.PackageResult) {
	if len(r.Files) > 0 {
		_, _ = fmt.Fprintf(w, "%s %s: %s, %s\n", style.Strong(report.Printable(r.Name)), report.Printable(r.Version), report.Count(len(r.Files), "file"), report.Bytes(r.Bytes))
	}
	if verbose {
		for _, f := range r.Files {
			_, _ = fmt.Fprintf(w, "  %s %10s  %s\n", f.Mode, report.Bytes(f.Bytes), report.Printable(f.Path))
		}
	}
	if r.Proof != nil {
		for _, b := range r.Proof.Bundles {
			printBundle(w, style, b)
		}
	}
	if verbose {
		printSteps(w, style, r.Steps)
	}
	for _, a := range r.Artifacts {
		_, _ = fmt.Fprintf(w, "%s  %s  sha256 %s\n", style.Strong(report.Printable(a.Path)), report.Bytes(a.Bytes), a.SHA256)
	}
}

func packageAll(ctx context.Context, g *global, several *project.Repository, o pipeline.PackageOptions) error {
	severalShots()
	all, err := pipeline.PackageAll(ctx, several, o)
	if err != nil {
		return err
	}
	return concludeSeveral(g, all, severalView[pipeline.PackageResult]{
		document: func(p pluginFields, r *pipeline.PackageResult) any {
			fields := packageFields{Artifacts: []pipeline.Artifact{}, Files: []pipeline.PackedFile{}}
			if r != nil {
				fields = fieldsOfPackage(r, g.verbose)
			}
			return struct {
				pluginFields
				packageFields
			}{p, fields}
		},
		text: func(w io.Writer, style report.Style, r *pipeline.PackageResult) { printPacked(w, style, g.verbose, r) },
		done: "packaged", left: ", no package was made",
	})
}
