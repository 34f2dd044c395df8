package versioning

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// ChangelogFile is where a changelog is begun that is not there yet.
const ChangelogFile = "CHANGELOG.md"

// Section is what a changelog is to say about one version.
type Section struct {
	Version string
	Before  string    // the version that was in force, for links
	Date    time.Time // in the time zone whose day is meant
	Changes []Change  // since the last release
	Same    string    // a sentence for a section that would say nothing; "" is none
}

// Changelog is a changelog with the section in it.
type Changelog struct {
	Text    []byte // the file
	Section string // the section as it stands there, its heading first
	Began   bool   // the section is new; else it was there, and was completed
	Empty   bool   // the section has a heading only
}

const newChangelog = "# Changelog\n\nThe format is that of [Keep a Changelog](https://keepachangelog.com/en/1.1.0/), and versions follow\n[Semantic Versioning](https://semver.org/spec/v2.0.0.html).\n"

// WriteChangelog puts the section of a version into a changelog, which is nil when there
// is none yet. It stands above the newest version, under a heading like the others. What
// stands under the heading Unreleased moves into it; that heading stays, above it. Lines
// about changes are added, unless the section names the tool and the parameter
// already. A section that is there is completed in its place. Every other line stays as
// it is, but for the links at the end that compare one version with the next.
func WriteChangelog(old []byte, s Section) Changelog {
	text := string(old)
	if len(bytes.TrimSpace(bytes.TrimPrefix(old, []byte("\ufeff")))) == 0 {
		text = newChangelog
	}
	p := readPage(text)
	style := p.style()
	heading := style.heading(s)
	at := p.find(s.Version)
	out := Changelog{Began: at < 0}
	finished := !out.Began && !p.marks[at].unfinished()
	switch {
	case out.Began:
		at = p.begin(heading)
	case !finished:
		p.rewrite(at, heading)
	}
	from, to := p.body(at)
	body := style.complete(p.lines[from:to], s)
	if !finished || !slices.Equal(body, trim(p.lines[from:to])) {
		p.lines = slices.Concat(p.lines[:from], around(body, p.lines[to:]))
		p.read()
	}
	_, to = p.body(at)
	out.Section = strings.Join(trim(p.lines[p.marks[at].line:to]), "\n") + "\n"
	p.relink(s)
	out.Text, out.Empty = []byte(p.String()), len(body) == 0
	return out
}

// HasSection reports whether a changelog has a section of a version.
func HasSection(text []byte, version string) bool {
	return readPage(string(text)).find(version) >= 0
}

// page is a changelog, line by line.
type page struct {
	lines []string // without their ends
	end   string   // the end of a line: "\n" or "\r\n"
	marks []mark   // headings of versions, and of what is not released
	heads []head   // all headings
	tail  int      // the line from which on there are only definitions of links
	// endless is the line from which on everything is code or a comment.
	endless int
}

func readPage(text string) *page {
	p := &page{end: "\n"}
	if first := strings.IndexByte(text, '\n'); first > 0 && text[first-1] == '\r' {
		p.end = "\r\n"
	}
	p.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if p.end == "\r\n" {
		for i := range p.lines {
			p.lines[i] = strings.TrimSuffix(p.lines[i], "\r")
		}
	}
	p.read()
	return p
}

// read finds the headings and the links at the end.
func (p *page) read() {
	p.heads, p.endless = headsOf(p.lines)
	p.marks = nil
	for _, h := range p.heads {
		if m, ok := markOf(h); ok {
			p.marks = append(p.marks, m)
		}
	}
	p.tail = len(p.lines)
	for p.tail > 0 && (strings.TrimSpace(p.lines[p.tail-1]) == "" || linkLine.MatchString(p.lines[p.tail-1])) {
		p.tail--
	}
	if !slices.ContainsFunc(p.lines[p.tail:], linkLine.MatchString) {
		p.tail = len(p.lines)
	}
}

func (p *page) String() string { return strings.Join(p.lines, p.end) + p.end }

// find returns the heading of a version, or -1.
func (p *page) find(version string) int {
	return slices.IndexFunc(p.marks, func(m mark) bool { return m.version == version })
}

// begin puts a heading where a new section belongs and returns which one it is: below
// the heading of what is not released, whose lines it takes over; else above the first
// version; else at the end.
func (p *page) begin(heading []string) int {
	unreleased := slices.IndexFunc(p.marks, func(m mark) bool { return m.version == "" })
	line := min(p.tail, p.endless)
	switch {
	case unreleased >= 0:
		line = p.marks[unreleased].line + p.marks[unreleased].height
	case len(p.marks) > 0:
		line = p.marks[0].line
	}
	block := slices.Clone(heading)
	if line > 0 && strings.TrimSpace(p.lines[line-1]) != "" {
		block = append([]string{""}, block...)
	}
	if line < len(p.lines) && strings.TrimSpace(p.lines[line]) != "" {
		block = append(block, "")
	}
	p.lines = slices.Insert(p.lines, line, block...)
	p.read()
	return slices.IndexFunc(p.marks, func(m mark) bool { return m.line >= line })
}

// rewrite puts another heading in place of one.
func (p *page) rewrite(at int, heading []string) {
	m := p.marks[at]
	p.lines = slices.Concat(p.lines[:m.line], heading, p.lines[m.line+m.height:])
	p.read()
}

// body returns the lines below a heading, up to the next section.
func (p *page) body(at int) (from, to int) {
	m := p.marks[at]
	from, to = m.line+m.height, p.tail
	if at+1 < len(p.marks) {
		to = p.marks[at+1].line
	}
	for _, h := range p.heads {
		if h.line >= from && h.level < m.level {
			to = min(to, h.line)
		}
	}
	return from, max(from, to)
}

// trim leaves out empty lines at both ends.
func trim(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// around puts empty lines around a text, and what follows behind it.
func around(lines, rest []string) []string {
	var out []string
	if len(lines) > 0 {
		out = append(append(out, ""), lines...)
	}
	for len(rest) > 0 && strings.TrimSpace(rest[0]) == "" {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		out = append(append(out, ""), rest...)
	}
	return out
}
