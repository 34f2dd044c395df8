package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

type verifyOptions struct {
	bundle         string
	archive        string
	plugin, update bool
	calls, env     []string
	profile        string
}

func newVerify(g *global) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:   "verify",
		Short: "Run the bundles on disk and check what they offer",
		Long: "verify runs each bundle as it stands on disk, from a copy in an empty folder, with the start-up\n" +
			"sequences of the real client, and compares its tools with the lock file and the sources. It\n" +
			"reports what the real client hides: exit code or signal, the last lines on standard error, the\n" +
			"first line on standard output that is not protocol, and the timings.",
		Example: "  omcbuild verify\n  omcbuild verify --plugin                      # manifests, paths and files too\n  omcbuild verify --plugin --profile directory  # as a directory of plugins checks it\n  omcbuild verify --bundle bridge/mcp-server.cjs\n  omcbuild verify --package acorn-1.2.0.zip\n  omcbuild verify --call 'greet_person={\"name\":\"Ada\"}'\n  omcbuild verify --env API_KEY                 # with the value it has here",
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return runVerify(c.Context(), g, o) },
	}
	f := c.Flags()
	f.StringVar(&o.bundle, "bundle", "", "verify this `FILE` alone, without configuration or lock file")
	f.StringVar(&o.archive, "package", "", "verify the plugin in this `ARCHIVE` (.zip, .mcpb, .tar.gz, or a folder), unpacked where nothing else is")
	f.BoolVar(&o.plugin, "plugin", false, "check the plugin too: manifests, .mcp.json, hooks, skills, files")
	f.StringVar(&o.profile, "profile", "", "check the plugin as `WHO` would that lists it: directory; with --plugin or --package")
	f.BoolVar(&o.update, "update", false, "write what the bundles offer into their lock files")
	f.StringArrayVar(&o.calls, "call", nil, "call a tool as well and fail when it answers with an error: `NAME[=JSON]`; repeatable")
	envFlag(c, &o.env)
	c.MarkFlagsMutuallyExclusive("bundle", "plugin")
	c.MarkFlagsMutuallyExclusive("bundle", "update")
	c.MarkFlagsMutuallyExclusive("bundle", "package")
	c.MarkFlagsMutuallyExclusive("package", "update")
	return c
}

// verifyDocument is what --json prints.
type verifyDocument struct {
	report.Outcome
	verifyFields
}

// verifyFields are what --json prints of one plugin.
type verifyFields struct {
	Bundles    []pipeline.BundleReport `json:"bundles"`
	Tools      []pipeline.ToolReport   `json:"tools"`
	DurationMs int64                   `json:"durationMs"`
}

func runVerify(ctx context.Context, g *global, o verifyOptions) error {
	calls, err := parseCalls(o.calls)
	if err != nil {
		return err
	}
	env, err := parseEnv(o.env)
	if err != nil {
		return err
	}
	if err := o.checkProfile(); err != nil {
		return err
	}
	machine, err := thisMachine()
	if err != nil {
		return err
	}
	options := pipeline.VerifyOptions{Plugin: o.plugin, ForListing: o.profile != "", Update: o.update, Calls: calls, Env: env, ToolVersion: identity(), CacheDir: cacheDir(), Machine: machine}
	result, several, err := verify(ctx, g, o, options)
	if err != nil {
		return err
	}
	if several != nil {
		return verifyAll(ctx, g, several, options)
	}
	document := verifyDocument{report.NewOutcome(result.Diagnostics), fieldsOfVerify(result)}
	return g.conclude(result.Diagnostics, document, func(w io.Writer, style report.Style) {
		printVerified(w, style, g.verbose, result)
		if result.Diagnostics.HasErrors() {
			_, _ = fmt.Fprintln(w, style.Bad("failed"))
			return
		}
		if len(result.Bundles) == 0 {
			_, _ = fmt.Fprintln(w, style.Dim(nothingToBundle))
		}
		_, _ = fmt.Fprintf(w, "%s in %s\n", style.Good("verified"), report.Duration(result.Duration))
	})
}

func fieldsOfVerify(r *pipeline.VerifyResult) verifyFields {
	return verifyFields{r.Bundles, r.Tools, r.Duration.Milliseconds()}
}

// printVerified lists the bundles that ran.
func printVerified(w io.Writer, style report.Style, verbose bool, r *pipeline.VerifyResult) {
	for _, b := range r.Bundles {
		printBundle(w, style, b)
	}
	if verbose {
		printSteps(w, style, r.Steps)
	}
}

// checkProfile refuses a profile that is not known, or that would not be used.
func (o verifyOptions) checkProfile() error {
	switch {
	case o.profile == "", o.profile == "directory" && (o.plugin || o.archive != ""):
		return nil
	case o.profile != "directory":
		return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--profile " + o.profile + " is not known", Hint: "the one profile is directory"})
	}
	return diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--profile is about the plugin around the bundles", Hint: "add --plugin"})
}

// verify picks what is to be verified: a file, an archive, or the plugin. When
// there are several it returns them instead of a result.
func verify(ctx context.Context, g *global, o verifyOptions, options pipeline.VerifyOptions) (*pipeline.VerifyResult, *project.Repository, error) {
	var result *pipeline.VerifyResult
	var err error
	switch {
	case o.bundle != "":
		result, err = pipeline.VerifyFile(ctx, g.dir, o.bundle, options)
		return result, nil, err
	case o.archive != "":
		result, err = pipeline.VerifyPackage(ctx, g.dir, o.archive, options)
		return result, nil, err
	}
	p, several, err := g.open()
	if err != nil || several != nil {
		return nil, several, err
	}
	result, err = pipeline.Verify(ctx, p, options)
	return result, nil, err
}

// parseCalls reads NAME or NAME=JSON.
func parseCalls(words []string) ([]pipeline.ToolCall, error) {
	var calls []pipeline.ToolCall
	for _, word := range words {
		name, arguments, given := strings.Cut(word, "=")
		if !given {
			arguments = "{}"
		}
		var object map[string]any
		if name == "" || json.Unmarshal([]byte(arguments), &object) != nil {
			return nil, diag.Misuse(diag.Diagnostic{Code: "usage", Message: "--call " + word + " is not NAME or NAME=JSON with a JSON object", Hint: `for example --call 'greet_person={"name":"Ada"}'`})
		}
		calls = append(calls, pipeline.ToolCall{Name: name, Arguments: json.RawMessage(arguments)})
	}
	return calls, nil
}
