// Package report turns results into what a person or a program reads: lines
// for diagnostics, tables for facts, one JSON document for --json.
//
// It writes to the writers it is given and decides nothing: which exit code a
// result deserves is package diag's business, which stream is cmd's.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"omcbuild/internal/diag"
)

// Outcome opens every JSON document of the tool. A command's own document
// embeds it and adds its fields.
type Outcome struct {
	OK       bool      `json:"ok"`       // done, and all checks hold
	Errors   diag.List `json:"errors"`   // never null
	Warnings diag.List `json:"warnings"` // never null
}

// NewOutcome sorts diagnostics into an Outcome. Notes are left out: they are
// for people who asked for detail.
func NewOutcome(list diag.List) Outcome {
	out := Outcome{Errors: list.At(diag.Error), Warnings: list.At(diag.Warning)}
	out.OK = len(out.Errors) == 0
	if out.Errors == nil {
		out.Errors = diag.List{}
	}
	if out.Warnings == nil {
		out.Warnings = diag.List{}
	}
	return out
}

// JSON writes one indented document. HTML characters stay as they are: these
// documents are read by programs and terminals, not by browsers.
func JSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

// Style says how text is dressed.
type Style struct {
	Color bool // whether escape sequences may be written
	Notes bool // whether diagnostics at level Note are shown
}

func (s Style) paint(c text.Color, words string) string {
	if !s.Color {
		return words
	}
	return c.EscapeSeq() + words + text.Reset.EscapeSeq()
}

// Good marks what went well.
func (s Style) Good(words string) string { return s.paint(text.FgGreen, words) }

// Bad marks what failed.
func (s Style) Bad(words string) string { return s.paint(text.FgRed, words) }

// Dim marks what is there for reference.
func (s Style) Dim(words string) string { return s.paint(text.Faint, words) }

// Strong marks what to read first.
func (s Style) Strong(words string) string { return s.paint(text.Bold, words) }

// Diagnostics writes one line a diagnostic, and its hint on the next. What is in
// them is printed as Printable does, and cut after longestLine characters.
func Diagnostics(w io.Writer, style Style, list diag.List) {
	for _, d := range list {
		if d.Level == diag.Note && !style.Notes {
			continue
		}
		label := style.Dim("note:")
		switch d.Level {
		case diag.Error:
			label = style.Bad("error:")
		case diag.Warning:
			label = style.paint(text.FgYellow, "warning:")
		}
		_, _ = fmt.Fprintf(w, "%s %s %s\n", label, Clip(Printable(d.String()), longestLine), style.Dim("["+d.Code+"]"))
		if d.Hint != "" {
			_, _ = fmt.Fprintf(w, "  %s\n", Clip(Name(d.Hint), longestLine))
		}
	}
}
