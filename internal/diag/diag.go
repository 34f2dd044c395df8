// Package diag holds the one shape in which every package of omcbuild reports
// what it found, and the exit class that follows from it.
//
// Nothing below cmd/omcbuild prints or exits. A package returns values and a
// List of Diagnostics; a step that cannot go on returns a *Failure, which
// carries such a list and says whether the user's files (Failed) or the user's
// words (Usage) are at fault.
package diag

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Level says how much a diagnostic matters.
type Level int

const (
	// Error fails the command that found it.
	Error Level = iota
	// Warning is shown and does not fail the command.
	Warning
	// Note is shown when the user asks for detail.
	Note
)

// String returns "error", "warning" or "note".
func (l Level) String() string {
	switch l {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "note"
}

// MarshalJSON writes the level as its name.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// Position is a place in a file. The zero value means "no place".
type Position struct {
	File   string `json:"file,omitempty"`   // slash separated, relative to the project where it is inside it
	Line   int    `json:"line,omitempty"`   // 1-based; 0 when the place is the whole file
	Column int    `json:"column,omitempty"` // 1-based, in bytes; 0 when unknown
}

// String returns file:line:column, as short as is known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Diagnostic is one finding. Message is one sentence without a final full stop
// that names what is wrong; Hint says what to do about it.
type Diagnostic struct {
	Code    string `json:"code"` // stable, kebab-case, for example "unresolved-import"
	Level   Level  `json:"-"`
	Message string `json:"message"`
	Position
	Tool string `json:"tool,omitempty"` // the tool it is about, or several with ", " between
	Hint string `json:"hint,omitempty"`
}

// About reports whether the diagnostic is about a tool.
func (d Diagnostic) About(tool string) bool {
	return slices.Contains(strings.Split(d.Tool, ", "), tool)
}

// String renders the diagnostic on one line, without its level and hint.
func (d Diagnostic) String() string {
	var b strings.Builder
	if d.File != "" {
		b.WriteString(d.Position.String())
		b.WriteString(": ")
	}
	if first, _, _ := strings.Cut(d.Tool, ", "); first != "" && !namesTool(d.Message, first) {
		b.WriteString(d.Tool)
		b.WriteString(": ")
	}
	b.WriteString(d.Message)
	return b.String()
}

// namesTool reports whether a message holds the tool's name as a word.
func namesTool(message, tool string) bool {
	partOfName := func(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return slices.Contains(strings.FieldsFunc(message, func(r rune) bool { return !partOfName(r) }), tool)
}

// List is a list of diagnostics in the order they were found.
type List []Diagnostic

// Add appends one diagnostic.
func (l *List) Add(d ...Diagnostic) { *l = append(*l, d...) }

// At returns the diagnostics of one level.
func (l List) At(level Level) List {
	var out List
	for _, d := range l {
		if d.Level == level {
			out = append(out, d)
		}
	}
	return out
}

// Below returns the diagnostics of a folder as seen from the one that it is in:
// its path stands in front of every file. What is about no file is about the
// folder.
func (l List) Below(folder string) List {
	out := slices.Clone(l)
	for i, d := range out {
		if folder != "." && !path.IsAbs(d.File) {
			out[i].File = path.Join(folder, d.File)
		}
	}
	return out
}

// HasErrors reports whether any diagnostic is at level Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Level == Error })
}

// Class says which exit code an error asks for.
type Class int

const (
	// Failed is a build error or a failed check: exit code 1.
	Failed Class = iota
	// Usage is a wrong flag, argument or configuration: exit code 2.
	Usage
)

// Failure is an error made of diagnostics.
type Failure struct {
	Class       Class
	Diagnostics List
	cause       error
}

// Error joins the diagnostics, one a line.
func (f *Failure) Error() string {
	lines := make([]string, len(f.Diagnostics))
	for i, d := range f.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the error that caused the failure, or nil.
func (f *Failure) Unwrap() error { return f.cause }

// Fail returns a Failure of class Failed with the diagnostics given.
func Fail(d ...Diagnostic) *Failure { return &Failure{Class: Failed, Diagnostics: d} }

// Misuse returns a Failure of class Usage with the diagnostics given.
func Misuse(d ...Diagnostic) *Failure { return &Failure{Class: Usage, Diagnostics: d} }

// Because records the error that caused the failure and returns the failure.
func (f *Failure) Because(err error) *Failure {
	f.cause = err
	return f
}
