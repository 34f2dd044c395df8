package main

import (
	"fmt"
	"io"
	"strings"

	"omcbuild/internal/analysis"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

func printAnalysis(w io.Writer, style report.Style, o analyzeOptions, r *pipeline.AnalyzeResult) {
	for i, b := range r.Bundles {
		if len(o.why) > 0 {
			break
		}
		if i > 0 {
			_, _ = fmt.Fprintln(w)
		}
		printContents(w, style, o, b)
	}
	if len(o.why) == 0 && len(r.Bundles) > 0 {
		_, _ = fmt.Fprintf(w, "\n%s\n", style.Dim(analysis.Method))
	}
	for i, ways := range r.Ways {
		if i > 0 {
			_, _ = fmt.Fprintln(w)
		}
		printWays(w, style, ways)
	}
	for _, file := range []string{o.html, o.notices} {
		if file != "" && !r.Diagnostics.HasErrors() {
			_, _ = fmt.Fprintf(w, "\n%s written\n", plainName(file))
		}
	}
}

// printContents writes the sections of one bundle.
func printContents(w io.Writer, style report.Style, o analyzeOptions, b *analysis.Bundle) {
	line := fmt.Sprintf("%s, %s gzipped, %s", report.Bytes(b.Bytes), report.Bytes(b.GzipBytes), report.Count(b.Inputs, "input"))
	if b.Unused > 0 {
		line += fmt.Sprintf(", nothing is left of %d", b.Unused)
	}
	_, _ = fmt.Fprintf(w, "%s  %s\n\n", style.Strong(plainName(b.Outfile)), line)
	limit := o.top
	if o.all {
		limit = len(b.Files) + len(b.Packages)
	}
	if o.files {
		printFiles(w, style, b, limit)
	} else {
		printPackages(w, style, b, limit)
	}
	printRest(w, b)
	printLicenses(w, style, b)
	printDuplicates(w, b)
	for _, e := range b.Externals {
		_, _ = fmt.Fprintf(w, "\nstays outside: %s\n", plainName(e.Name))
		printPlaces(w, "  imported at ", e.Importers)
	}
	if len(b.Assets) > 0 {
		_, _ = fmt.Fprintln(w)
		for _, a := range b.Assets {
			_, _ = fmt.Fprintf(w, "beside the bundle: %s, %s\n", plainName(a.Path), report.Bytes(a.Bytes))
		}
	}
	if n := len(b.Lean.Files); n > 0 {
		_, _ = fmt.Fprintf(w, "\nimports of zod were made lean in %s, which saves %d bytes\n", report.Count(n, "file"), b.Lean.Saved)
	}
}

// How many characters of a name and of a version are printed.
const (
	longestName    = 300
	longestVersion = 60
)

// plainName keeps a name on its line, whatever is in it.
func plainName(name string) string { return report.Clip(report.Name(name), longestName) }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", share) }

func printPackages(w io.Writer, style report.Style, b *analysis.Bundle, limit int) {
	var rows [][]string
	row := func(name, version, licence string, bytes int64, files string) {
		rows = append(rows, []string{name, version, licence, fmt.Sprint(bytes), percent(float64(bytes) / float64(max(b.Bytes, 1)) * 100), files})
	}
	var others int64
	var files int
	for i, p := range b.Packages {
		if i >= limit {
			others += p.Bytes
			files += p.Files
			continue
		}
		row(p.Label(), report.Clip(p.Version, longestVersion), p.License.Label(), p.Bytes, fmt.Sprint(p.Files))
	}
	if n := len(b.Packages) - limit; n > 0 {
		row(fmt.Sprintf("(%s more)", report.Count(n, "package")), "", "", others, fmt.Sprint(files))
	}
	row("(rest)", "", "", b.RestBytes(), "")
	row("(sum)", "", "", b.Bytes, fmt.Sprint(len(b.Files)))
	report.Table(w, style, []string{"package", "version", "licence", "bytes", "share", "files"}, rows, "bytes", "share", "files")
}

// printFiles has the paths last and whole, so that they can be copied.
func printFiles(w io.Writer, style report.Style, b *analysis.Bundle, limit int) {
	row := func(bytes int64, name string) {
		_, _ = fmt.Fprintf(w, "%9d  %7s  %s\n", bytes, percent(float64(bytes)/float64(max(b.Bytes, 1))*100), plainName(name))
	}
	_, _ = fmt.Fprintln(w, style.Strong(fmt.Sprintf("%9s  %7s  %s", "bytes", "share", "file")))
	var others int64
	for i, f := range b.Files {
		if i >= limit {
			others += f.Bytes
			continue
		}
		row(f.Bytes, f.Path)
	}
	if n := len(b.Files) - limit; n > 0 {
		row(others, fmt.Sprintf("(%s more)", report.Count(n, "file")))
	}
	row(b.RestBytes(), "(rest)")
	row(b.Bytes, "(sum)")
}

func printRest(w io.Writer, b *analysis.Bundle) {
	words := make([]string, 0, len(b.Rest))
	for _, p := range b.Rest {
		words = append(words, fmt.Sprintf("%s %d", p.Name, p.Bytes))
	}
	_, _ = fmt.Fprintf(w, "\nrest: %s\n", strings.Join(words, ", "))
}

func printLicenses(w io.Writer, style report.Style, b *analysis.Bundle) {
	rows := make([][]string, len(b.Licenses))
	for i, u := range b.Licenses {
		rows[i] = []string{u.License, string(u.Class), fmt.Sprint(len(u.Packages)), fmt.Sprint(u.NoFile), fmt.Sprint(u.Bytes), percent(u.Share)}
	}
	_, _ = fmt.Fprintln(w)
	report.Table(w, style, []string{"licence", "class", "packages", "without text", "bytes", "share"}, rows, "packages", "without text", "bytes", "share")
}

func printDuplicates(w io.Writer, b *analysis.Bundle) {
	for _, d := range b.Duplicates {
		line := fmt.Sprintf("%s is there %d times, which adds %d bytes", d.Name, len(d.Copies), d.Extra)
		if d.Majors {
			line += ", in different major versions"
		}
		_, _ = fmt.Fprintf(w, "\n%s\n", plainName(line))
		for _, c := range d.Copies {
			_, _ = fmt.Fprintf(w, "  %s  %s  %d bytes\n", plainName(c.Folder), plainName(c.Version), c.Bytes)
			printPlaces(w, "    imported at ", c.Importers)
		}
	}
}

// fewPlaces is how many places are printed; the JSON document has all.
const fewPlaces = 5

func printPlaces(w io.Writer, indent string, places []analysis.Place) {
	for i, p := range places {
		if i == fewPlaces {
			_, _ = fmt.Fprintf(w, "%sand at %d more\n", strings.TrimSuffix(indent, "imported at "), len(places)-i)
			return
		}
		_, _ = fmt.Fprintf(w, "%s%s (%s)\n", indent, plainName(at(p)), p.Kind)
	}
}

func at(p analysis.Place) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// printWays writes each chain as the places of its imports, and what the last leads
// to.
func printWays(w io.Writer, style report.Style, ways pipeline.BundleWays) {
	what := fmt.Sprintf("%s, %d bytes, imported from elsewhere", report.Count(len(ways.Modules), "file"), ways.Bytes)
	if len(ways.Modules) == 0 {
		what = "stays outside, imported"
	}
	_, _ = fmt.Fprintf(w, "%s in %s: %s at %s\n", style.Strong(plainName(ways.Asked)), plainName(ways.Outfile), what, report.Count(len(ways.Chains)+ways.More, "place"))
	if ways.Entry {
		_, _ = fmt.Fprintln(w, "  the program starts with it")
	}
	for _, chain := range ways.Chains {
		_, _ = fmt.Fprintln(w)
		for _, step := range chain {
			_, _ = fmt.Fprintf(w, "  %s  %s\n", plainName(at(step.Place)), style.Dim(step.Kind))
		}
		_, _ = fmt.Fprintf(w, "  %s\n", plainName(chain[len(chain)-1].Imports))
	}
	if ways.More > 0 {
		_, _ = fmt.Fprintf(w, "\n  and %d more; --all lists them\n", ways.More)
	}
}
