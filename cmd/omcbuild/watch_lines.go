package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/pipeline"
	"omcbuild/internal/report"
)

// offers prints what the servers that ran offer, and what of it changed for the
// model.
func (c *console) offers(out io.Writer, p *watchedPlugin, r *pipeline.RoundResult, was bool) {
	style := c.g.style(c.g.out)
	why := ""
	if was && !r.Diagnostics.HasErrors() {
		why = ", " + style.Good("mended")
	}
	for _, b := range r.Bundles {
		if !b.Ran {
			continue
		}
		var changes []string
		for _, change := range r.Changes {
			if change.Bundle == "" || change.Bundle == b.Name {
				changes = append(changes, report.Printable(change.String()))
			}
		}
		text := "nothing changed for the model"
		switch {
		case !b.Locked:
			text = "no lock file to compare with; omcbuild build writes it"
		case len(changes) > 0:
			text = report.Count(len(changes), "change") + " for the model: " + strings.Join(changes, "; ")
		}
		c.head(out, p, fmt.Sprintf("%s: %s, %s%s", report.Printable(b.Name), report.Count(b.Tools, "tool"), text, why))
	}
}

// head prints a line with the time in front.
func (c *console) head(out io.Writer, p *watchedPlugin, text string) {
	style := c.g.style(c.g.out)
	if c.several {
		text = report.Printable(p.path) + "  " + text
	}
	_, _ = fmt.Fprintln(out, style.Dim(time.Now().Format(time.TimeOnly))+" "+text)
}

// diagnostics prints errors after every save, as long as they are there, and warnings
// when they are others than last time; each once, whatever finds it again.
func (c *console) diagnostics(w io.Writer, p *watchedPlugin, r *pipeline.RoundResult) {
	state, by := c.states[p], foundBy(r.Kind)
	warnings := r.Diagnostics.At(diag.Warning)
	known := slices.Equal(warnings, state.warned[by])
	state.warned[by] = warnings
	shown := slices.DeleteFunc(slices.Clone(r.Diagnostics), func(d diag.Diagnostic) bool {
		return slices.Contains(state.said, d) || known && d.Level == diag.Warning
	})
	state.said = append(state.said, r.Diagnostics...)
	report.Diagnostics(w, c.g.style(c.g.err), c.placed(p, shown))
}

// foundBy tells apart what finds things in different ways.
func foundBy(kind pipeline.RoundKind) string {
	switch kind {
	case pipeline.RoundChecked, pipeline.RoundSettled, pipeline.RoundFinished:
		return string(kind)
	}
	return "round"
}

// placed are diagnostics as seen from the root of the repository.
func (c *console) placed(p *watchedPlugin, list diag.List) diag.List {
	if c.several {
		return list.Below(p.path)
	}
	return list
}

// sameErrors and sameFindings compare what is wrong; notes are not.
func sameErrors(a, b diag.List) bool { return slices.Equal(a.At(diag.Error), b.At(diag.Error)) }
func sameFindings(a, b diag.List) bool {
	return sameErrors(a, b) && slices.Equal(a.At(diag.Warning), b.At(diag.Warning))
}

// after says what was saved.
func after(changed []string) string {
	const most = 3
	switch {
	case len(changed) == 0:
		return ""
	case len(changed) > most:
		return fmt.Sprintf(", after %s and %d more", report.Printable(strings.Join(changed[:most], " ")), len(changed)-most)
	}
	return ", after " + report.Printable(strings.Join(changed, " "))
}
