package metadata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// desk holds the files that are being brought into step. Each is read once;
// several steps may work on the same one.
type desk struct {
	project *project.Project
	edited  map[string][]byte // see Facts
	sheets  []*sheet
	found   diag.List
}

// sheet is one file on the desk.
type sheet struct {
	path    string
	before  []byte // nil when the file does not exist
	now     []byte // nil when it does not exist and nobody created it
	fields  []string
	kept    bool // it is brought into step, not only read
	unusual bool // it cannot be read or parsed; reported once
}

func newDesk(p *project.Project) *desk { return &desk{project: p} }

func (d *desk) add(code string, level diag.Level, at diag.Position, message, hint string) {
	d.found.Add(diag.Diagnostic{Code: code, Level: level, Position: at, Message: message, Hint: hint})
}

// sheet returns the file at path, reading it when it is first asked for.
func (d *desk) sheet(path string) *sheet {
	for _, s := range d.sheets {
		if s.path == path {
			return s
		}
	}
	s := &sheet{path: path}
	data, problem := d.project.ReadFile(path)
	if problem != nil {
		s.unusual = true
		d.found.Add(*problem)
	}
	s.before, s.now = data, data
	if edited, known := d.edited[path]; known {
		s.now = edited
	}
	d.sheets = append(d.sheets, s)
	return s
}

// note records what changed in words, once.
func (s *sheet) note(words string) {
	if !slices.Contains(s.fields, words) {
		s.fields = append(s.fields, words)
	}
}

// document opens the JSON file at path for editing. It returns nil when the
// file does not exist, and nil with a diagnostic when it cannot be edited.
func (d *desk) document(path string) *editor {
	s := d.sheet(path)
	s.kept = true
	if s.unusual || s.now == nil {
		return nil
	}
	doc := project.Parse(path, s.now, project.Strict)
	if doc.Problem != nil {
		s.unusual = true
		d.found.Add(*doc.Problem)
		return nil
	}
	e := newEditor(s, doc)
	if doc.BOM {
		s.note("byte order mark removed")
	}
	return e
}

// result lists what is different now.
func (d *desk) result() (*Result, error) {
	out := &Result{}
	for _, s := range d.sheets {
		if !s.kept || s.now == nil {
			continue
		}
		out.Files = append(out.Files, s.path)
		if s.before != nil && bytes.Equal(s.before, s.now) {
			continue
		}
		if s.before != nil && d.project.IsLink(s.path) {
			d.add("linked-file", diag.Error, diag.Position{File: s.path},
				fmt.Sprintf("the file is out of step (%s) and a symbolic link, which sync does not write through", strings.Join(s.fields, ", ")),
				"replace the link with the file itself")
			continue
		}
		change := Change{Path: s.path, Before: s.before, After: s.now, Fields: s.fields}
		if s.before == nil {
			change.Fields = []string{"created"}
		}
		out.Changes = append(out.Changes, change)
	}
	if d.found.HasErrors() {
		return nil, diag.Fail(d.found...)
	}
	out.Diagnostics = d.found
	return out, nil
}
