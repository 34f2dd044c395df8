package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/inspect"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/products"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
)

// hereDocument is what --json prints.
type hereDocument struct {
	report.Outcome
	Files   []string        `json:"files"` // written, or with --dry-run to be written
	Taken   []inspect.Taken `json:"taken"`
	Left    []inspect.Left  `json:"left"`
	Changes []inspect.Left  `json:"changes"` // what the next build changes in the manifests
	Config  string          `json:"config"`  // the text of omcbuild.jsonc
}

// runInitHere writes a configuration for the plugin that -C points to.
func runInitHere(ctx context.Context, g *global, dryRun bool) error {
	dir, err := absolute(g.dir)
	if err == nil {
		if real, linked := filepath.EvalSymlinks(dir); linked == nil {
			dir = real
		}
	}
	if err != nil {
		return err
	}
	found, err := inspect.Here(ctx, dir)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var list diag.List
	document := hereDocument{Files: []string{}, Taken: []inspect.Taken{}, Left: []inspect.Left{}, Changes: []inspect.Left{}}
	document.Taken = append(document.Taken, found.Taken...)
	document.Left = append(document.Left, found.Left...)
	document.Changes = append(document.Changes, found.Changes...)
	if found.Config == nil {
		list.Add(nothingFound(found))
	} else {
		changes, faults := foreseen(ctx, found)
		document.Changes = append(document.Changes, changes...)
		found.Changes = document.Changes
		list.Add(faults...)
		document.Files, document.Config = []string{project.ConfigFile}, string(found.Config)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !dryRun {
			if _, err := products.Write(found.Root, []products.File{{Path: project.ConfigFile, Contents: found.Config}}); err != nil {
				return err
			}
		}
	}
	document.Outcome = report.NewOutcome(list)
	return g.conclude(list, document, func(w io.Writer, style report.Style) { printHere(w, style, g, found, dryRun) })
}

// foreseen says what the next build changes in the manifests beside the servers,
// and as warnings what keeps it from doing so.
func foreseen(ctx context.Context, found inspect.Result) (changes []inspect.Left, faults diag.List) {
	p, err := project.Preview(found.Root, found.Config)
	if err == nil {
		var result *pipeline.SyncResult
		if result, err = pipeline.Sync(ctx, p, pipeline.SyncOptions{Check: true, CacheDir: cacheDir()}); err == nil {
			changes, faults = manifestChanges(result.Metadata), result.Diagnostics
		}
	}
	var failure *diag.Failure
	if errors.As(err, &failure) {
		faults = failure.Diagnostics
	}
	faults = slices.DeleteFunc(slices.Clone(faults), func(d diag.Diagnostic) bool { return d.Level != diag.Error || d.Code == "stale-metadata" })
	for i := range faults {
		faults[i].Level = diag.Warning
	}
	return changes, faults
}

func manifestChanges(files []pipeline.FileReport) (changes []inspect.Left) {
	for _, file := range files {
		fields := slices.DeleteFunc(slices.Clone(file.Fields), func(field string) bool { return strings.HasPrefix(field, "server ") })
		if !file.Changed || len(fields) == 0 || file.Path == project.ServersFile {
			continue
		}
		change := inspect.Left{From: file.Path, What: "differs from package.json", Why: "it will change: " + strings.Join(fields, "; ")}
		if slices.Equal(fields, []string{"created"}) {
			change.What, change.Why = "is not there", "it will be written, with what package.json says"
		}
		changes = append(changes, change)
	}
	return changes
}

func nothingFound(found inspect.Result) diag.Diagnostic {
	d := diag.Diagnostic{
		Code: "nothing-to-configure", Message: "no server of this folder could be traced to a source, so nothing was written",
		Hint: `write omcbuild.jsonc by hand: { "bundles": [{ "name": "t", "entry": "src/server.ts", "outfile": "bridge/mcp-server.cjs" }] }`,
	}
	switch {
	case len(found.Plugins) > 0:
		d.Message = "this folder is a repository of other plugins, so nothing was written"
		d.Hint = "each has a configuration of its own: omcbuild -C " + inShell(found.Plugins[0]) + " init --here"
	case len(found.Left) == 0:
		d.Message = "no build and no server was found in this folder, so nothing was written"
	}
	return d
}

func printHere(w io.Writer, style report.Style, g *global, found inspect.Result, dryRun bool) {
	switch {
	case found.Config == nil:
	case dryRun:
		printDiff(w, string(found.Config)+"\n")
	default:
		rows := make([][]string, len(found.Taken))
		for i, t := range found.Taken {
			rows[i] = []string{t.Key, t.Value, t.From}
		}
		report.Table(w, style, []string{"taken over", "value", "from"}, rows)
		_, _ = fmt.Fprintln(w)
	}
	printLeft(w, style, "not taken over", found.Left)
	printLeft(w, style, "changes with the next build", found.Changes)
	if found.Config == nil {
		return
	}
	verb := style.Good("wrote") + " "
	if dryRun {
		verb = "would write "
	}
	_, _ = fmt.Fprintf(w, "%s%s: %s\nnext:\n  %s build\n", verb, project.ConfigFile, report.Count(found.Bundles, "bundle"), report.Printable(g.command()))
}

func printLeft(w io.Writer, style report.Style, title string, all []inspect.Left) {
	if len(all) == 0 {
		return
	}
	_, _ = fmt.Fprintln(w, style.Strong(title))
	for _, l := range all {
		_, _ = fmt.Fprintf(w, "  %s: %s\n    %s\n", report.Printable(l.From), report.Printable(oneLine(l.What)), report.Printable(oneLine(l.Why)))
	}
	_, _ = fmt.Fprintln(w)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
