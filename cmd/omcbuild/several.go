package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

// What the commands do at the root of a repository of several plugins: the same
// for each of them, and one report.

// pluginFields open what --json prints of one of several plugins.
type pluginFields struct {
	Name string `json:"name"`
	Path string `json:"path"`
	OK   bool   `json:"ok"`
}

// severalDocument is what --json prints for several plugins.
type severalDocument struct {
	report.Outcome
	Plugins    []any                 `json:"plugins"`
	Metadata   []pipeline.FileReport `json:"metadata,omitempty"` // the catalog
	DurationMs int64                 `json:"durationMs"`
}

// severalView says how a command shows several plugins.
type severalView[R any] struct {
	document func(pluginFields, *R) any                                         // nil when the plugin could not be read
	text     func(w io.Writer, style report.Style, result *R)                   // what stands below its heading
	counts   func(result *R) (bundles, tools int)                               // for the last line; nil to leave them out
	done     string                                                             // what to say of success
	metadata func(w io.Writer, style report.Style, files []pipeline.FileReport) // of the catalog
	failed   string                                                             // what to say of a failure; "" is failed
	left     string                                                             // what to say of what a plugin that failed was left with
	flush    bool                                                               // the text is not indented: a difference that is to be applied
	after    func(w io.Writer, style report.Style)                              // what stands below all plugins, once
	nothing  string                                                             // what a plugin without bundles is told
}

// concludeSeveral prints the results of several plugins: a heading each, in
// their order, and one line that sums up.
func concludeSeveral[R any](g *global, all *pipeline.Several[R], view severalView[R]) error {
	document := severalDocument{Outcome: report.NewOutcome(all.Diagnostics), Plugins: []any{}, Metadata: all.Metadata, DurationMs: all.Duration.Milliseconds()}
	for _, p := range all.Plugins {
		document.Plugins = append(document.Plugins, view.document(pluginFields{p.Name, p.Path, p.OK}, p.Result))
	}
	return g.conclude(all.Diagnostics, document, func(w io.Writer, style report.Style) {
		for _, p := range all.Plugins {
			printPlugin(w, style, p, view)
		}
		if view.metadata != nil {
			view.metadata(w, style, all.Metadata)
		}
		if view.after != nil {
			view.after(w, style)
		}
		printSummary(w, style, all, view)
	})
}

// printPlugin writes the heading of a plugin, and below it, indented, what is to
// be said about it.
func printPlugin[R any](w io.Writer, style report.Style, p pipeline.Of[R], view severalView[R]) {
	heading := style.Strong(report.Printable(p.Path)) + "  " + report.Printable(strings.TrimSpace(p.Name+" "+p.Version))
	if !p.OK {
		heading += ": " + style.Bad(cmp.Or(view.failed, "failed")) + view.left
	}
	_, _ = fmt.Fprintln(w, heading)
	if p.Result == nil {
		return
	}
	var text bytes.Buffer
	view.text(&text, style, p.Result)
	if text.Len() == 0 && p.OK && view.nothing != "" {
		_, _ = fmt.Fprintln(&text, style.Dim(view.nothing))
	}
	for line := range strings.Lines(text.String()) {
		if !view.flush {
			line = "  " + line
		}
		_, _ = fmt.Fprint(w, line)
	}
}

// printSummary writes the last line: how much there was, how long it took, and
// which plugins failed.
func printSummary[R any](w io.Writer, style report.Style, all *pipeline.Several[R], view severalView[R]) {
	var failed []string
	bundles, tools := 0, 0
	for _, p := range all.Plugins {
		if !p.OK {
			failed = append(failed, report.Printable(p.Path))
		}
		if p.Result != nil && view.counts != nil {
			b, t := view.counts(p.Result)
			bundles, tools = bundles+b, tools+t
		}
	}
	line := report.Count(len(all.Plugins), "plugin")
	if view.counts != nil {
		line += ", " + report.Count(bundles, "bundle") + ", " + report.Count(tools, "tool")
	}
	how := style.Good(view.done)
	switch bad := cmp.Or(view.failed, "failed"); {
	case len(failed) > 0:
		how = style.Bad(fmt.Sprintf("%d %s", len(failed), bad))
	case all.Diagnostics.HasErrors():
		how = style.Bad(bad)
	}
	line += ": " + how + " in " + report.Duration(all.Duration)
	if len(failed) > 0 {
		line += ": " + strings.Join(failed, ", ")
	}
	_, _ = fmt.Fprintln(w, line)
}

// countBundles counts bundles, and the tools of those that ran.
func countBundles(reports []pipeline.BundleReport) (bundles, tools int) {
	for _, b := range reports {
		if b.Verify != nil {
			tools += b.Verify.Tools
		}
	}
	return len(reports), tools
}

const nothingToBundle = "nothing to bundle"

func buildAll(ctx context.Context, g *global, several *project.Repository, o pipeline.BuildOptions) error {
	severalShots()
	all, err := pipeline.BuildAll(ctx, several, o)
	if err != nil {
		return err
	}
	failed, left := "failed", ", nothing was changed"
	if o.Frozen {
		failed, left = "stale", ""
	}
	return concludeSeveral(g, all, severalView[pipeline.BuildResult]{
		document: func(p pluginFields, r *pipeline.BuildResult) any {
			fields := buildFields{Bundles: []pipeline.BundleReport{}}
			if r != nil {
				fields = fieldsOfBuild(r, g.verbose)
			}
			return struct {
				pluginFields
				buildFields
			}{p, fields}
		},
		text:     func(w io.Writer, style report.Style, r *pipeline.BuildResult) { printBuilt(w, style, g.verbose, r) },
		counts:   func(r *pipeline.BuildResult) (int, int) { return countBundles(r.Bundles) },
		metadata: func(w io.Writer, _ report.Style, files []pipeline.FileReport) { printChanged(w, files) },
		done:     "done", failed: failed, left: left, nothing: nothingToBundle,
	})
}

func verifyAll(ctx context.Context, g *global, several *project.Repository, o pipeline.VerifyOptions) error {
	if len(o.Calls) > 0 {
		return several.Several("--call is for one")
	}
	all, err := pipeline.VerifyAll(ctx, several, o)
	if err != nil {
		return err
	}
	return concludeSeveral(g, all, severalView[pipeline.VerifyResult]{
		document: func(p pluginFields, r *pipeline.VerifyResult) any {
			fields := verifyFields{Bundles: []pipeline.BundleReport{}, Tools: []pipeline.ToolReport{}}
			if r != nil {
				fields = fieldsOfVerify(r)
			}
			return struct {
				pluginFields
				verifyFields
			}{p, fields}
		},
		text:   func(w io.Writer, style report.Style, r *pipeline.VerifyResult) { printVerified(w, style, g.verbose, r) },
		counts: func(r *pipeline.VerifyResult) (int, int) { return countBundles(r.Bundles) },
		done:   "verified", nothing: nothingToBundle,
	})
}

func syncAll(ctx context.Context, g *global, several *project.Repository, o pipeline.SyncOptions) error {
	all, err := pipeline.SyncAll(ctx, several, o)
	if err != nil {
		return err
	}
	return concludeSeveral(g, all, severalView[pipeline.SyncResult]{
		document: func(p pluginFields, r *pipeline.SyncResult) any {
			files := []pipeline.FileReport{}
			if r != nil {
				files = r.Metadata
			}
			return struct {
				pluginFields
				Metadata []pipeline.FileReport `json:"metadata"`
			}{p, files}
		},
		text: func(w io.Writer, style report.Style, r *pipeline.SyncResult) {
			printSynced(w, style, o.Check, r.Metadata)
		},
		metadata: func(w io.Writer, style report.Style, files []pipeline.FileReport) {
			printSynced(w, style, o.Check, files)
		},
		done: "in step", failed: "out of step", flush: o.Check,
	})
}

func toolsOfAll(ctx context.Context, g *global, several *project.Repository, o pipeline.VerifyOptions) error {
	all, err := pipeline.ToolsAll(ctx, several, o)
	if err != nil {
		return err
	}
	return concludeSeveral(g, all, severalView[pipeline.VerifyResult]{
		document: func(p pluginFields, r *pipeline.VerifyResult) any {
			fields := toolsFields{[]pipeline.ToolReport{}, []pipeline.CostReport{}}
			if r != nil {
				fields = toolsFields{r.Tools, r.Costs}
			}
			return struct {
				pluginFields
				toolsFields
			}{p, fields}
		},
		text: printTools,
		after: func(w io.Writer, style report.Style) {
			for _, p := range all.Plugins {
				if printMethod(w, style, p.Result) {
					return
				}
			}
		},
		counts: func(r *pipeline.VerifyResult) (int, int) { return countBundles(r.Bundles) },
		done:   "listed", nothing: "no server",
	})
}

func diffAll(ctx context.Context, g *global, several *project.Repository, o pipeline.DiffOptions) error {
	all, err := pipeline.DiffAll(ctx, several, o)
	if err != nil {
		return err
	}
	return concludeSeveral(g, all, severalView[pipeline.DiffResult]{
		document: func(p pluginFields, r *pipeline.DiffResult) any {
			fields := diffFields{Changes: []pipeline.Change{}}
			if r != nil {
				fields = diffFields{r.Changes, r.Bump, r.BumpReason}
			}
			return struct {
				pluginFields
				diffFields
			}{p, fields}
		},
		text: func(w io.Writer, style report.Style, r *pipeline.DiffResult) { printChanges(w, style, o.Against, r) },
		done: "compared",
	})
}

// configOfAll lists the plugins and what names them; the configuration of each
// is for --json, or for -C.
func configOfAll(g *global, several *project.Repository) error {
	var list diag.List
	document := severalDocument{Plugins: []any{}}
	var rows [][]string
	for _, m := range several.Plugins {
		found, fields, bundles := m.Faults, configFields{Origins: []project.Origin{}}, []string{}
		if m.Project != nil {
			effective := m.Project.Effective()
			found, fields = m.Project.Diagnostics.Below(m.Path), configFields{effective.JSON, effective.Origins}
			for _, b := range m.Project.Bundles {
				bundles = append(bundles, b.Outfile)
			}
		}
		list.Add(found...)
		document.Plugins = append(document.Plugins, struct {
			pluginFields
			configFields
		}{pluginFields{m.Name, m.Path, !found.HasErrors()}, fields})
		rows = append(rows, []string{m.Path, m.Name, strings.Join(bundles, " "), m.From})
	}
	list.Add(several.Diagnostics...)
	document.Outcome = report.NewOutcome(list)
	return g.conclude(list, document, func(w io.Writer, style report.Style) {
		report.Table(w, style, []string{"plugin", "name", "bundles", "from"}, rows)
	})
}
