package versioning

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/lazyregexp"
)

// head is a heading of a Markdown file.
type head struct {
	line, height int // height is 2 for a heading that is underlined
	level        int
	sign         string // what makes it one: "##", "===" or "---"
	text         string
}

// mark is the heading of a section of a changelog.
type mark struct {
	head
	version string // "" for what is not released
	parts   []string
}

var (
	headLine  = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	underLine = lazyregexp.New(`^ {0,3}(=+|-{2,})[ \t]*$`)
	fenceLine = lazyregexp.New("^ {0,3}(`{3,}|~{3,})(.*)$")
	linkLine  = lazyregexp.New(`^ {0,3}\[([^\]]+)\]:\s*(\S+)\s*$`)

	unreleasedText = lazyregexp.New(`(?i)^\[?unreleased\]?(?:\([^)]*\))?(?:\W|$)`)
	// versionText takes the heading of a version apart: what stands in front of it, [, v,
	// the version, ] and the address of a link, and the rest.
	versionText = lazyregexp.New(`^((?:(?:[Vv]ersion|[Rr]elease) |[A-Za-z@][A-Za-z0-9@/._-]*(?:@|--))?)(\[?)(v?)(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?)((?:\](?:\([^)\s]*\))?)?)((?:\W.*)?)$`)
)

// headsOf lists the headings of a text, without those in code and comments, and returns
// the line from which on everything is one of these, because it has no end.
func headsOf(lines []string) (heads []head, endless int) {
	fence, comment, begun := "", false, 0
	for i, line := range lines {
		switch {
		case fence != "":
			if m := fenceLine.FindStringSubmatch(line); len(m) > 1 && strings.HasPrefix(m[1], fence) && strings.TrimSpace(m[2]) == "" {
				fence = ""
			}
			continue
		case comment:
			comment = !strings.Contains(line, "-->")
			continue
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			fence, begun = m[1], i
			continue
		}
		if at := strings.LastIndex(line, "<!--"); at >= 0 && !strings.Contains(line[at:], "-->") {
			comment, begun = true, i
			continue
		}
		if m := headLine.FindStringSubmatch(line); m != nil {
			heads = append(heads, head{line: i, height: 1, level: len(m[1]), sign: m[1], text: m[2]})
		} else if m := underLine.FindStringSubmatch(line); m != nil && underlines(lines, i, heads) {
			level := 1
			if m[1][0] == '-' {
				level = 2
			}
			heads = append(heads, head{line: i - 1, height: 2, level: level, sign: m[1][:1], text: strings.TrimSpace(lines[i-1])})
		}
	}
	if fence != "" || comment {
		return heads, begun
	}
	return heads, len(lines)
}

// underlines reports whether the line makes a heading of a single line above it.
func underlines(lines []string, i int, heads []head) bool {
	if i == 0 || strings.TrimSpace(lines[i-1]) == "" || i > 1 && strings.TrimSpace(lines[i-2]) != "" {
		return false
	}
	return len(heads) == 0 || heads[len(heads)-1].line+heads[len(heads)-1].height <= i-1
}

// markOf recognises the heading of a section.
func markOf(h head) (mark, bool) {
	if unreleasedText.MatchString(h.text) {
		return mark{head: h}, true
	}
	if parts := versionText.FindStringSubmatch(h.text); len(parts) > 5 && (parts[2] == "") == (parts[5] == "") {
		return mark{head: h, version: parts[4], parts: parts}, true
	}
	return mark{}, false
}

// unfinished reports whether the heading of a version says that it is not released yet.
func (m mark) unfinished() bool {
	return m.version != "" && strings.Contains(strings.ToLower(m.parts[6]), "unreleased")
}

// style is how the sections of a changelog look.
type style struct {
	sign              string // of a heading
	level             int
	front, open, v    string
	close             string
	version           string // of the heading that shows it; "" when there is none
	lead, date, trail string // around a date, and its layout; no date when it is ""
	bullet            string
	flat              bool // lists stand under the version itself, not under Added and the like
}

// day is a way to write a date.
type day struct{ layout, pattern string }

func days() []day {
	return []day{
		{time.DateOnly, `\d{4}-\d{2}-\d{2}`}, {"2006/01/02", `\d{4}/\d{2}/\d{2}`}, {"2006.01.02", `\d{4}\.\d{2}\.\d{2}`},
		{"02.01.2006", `\d{2}\.\d{2}\.\d{4}`}, {"January 2, 2006", `[A-Z][a-z]{2,8} \d{1,2}, \d{4}`}, {"2 January 2006", `\d{1,2} [A-Z][a-z]{2,8} \d{4}`},
	}
}

// style reads the style off the newest version, or else off the heading of what is not
// released.
func (p *page) style() style {
	s := style{sign: "##", level: 2, lead: " - ", date: time.DateOnly, bullet: p.bullet()}
	released := slices.IndexFunc(p.marks, func(m mark) bool { return m.version != "" && !m.unfinished() })
	if released < 0 {
		if len(p.marks) > 0 {
			m := p.marks[0]
			s.sign, s.level = m.sign, m.level
			if strings.HasPrefix(m.text, "[") {
				s.open, s.close = "[", "]"
			}
		}
		return s
	}
	m := p.marks[released]
	s.sign, s.level, s.version = m.sign, m.level, m.version
	s.front, s.open, s.v, s.close = m.parts[1], m.parts[2], m.parts[3], m.parts[5]
	s.lead, s.date, s.trail = "", "", ""
	for _, d := range days() {
		if at := regexp.MustCompile(d.pattern).FindStringIndex(m.parts[6]); at != nil {
			s.date, s.lead, s.trail = d.layout, m.parts[6][:at[0]], closing(m.parts[6][at[1]:])
			break
		}
	}
	from, to := p.body(released)
	s.flat = flat(p.lines[from:to])
	return s
}

// closing is the bracket that closes a date.
func closing(rest string) string {
	if rest != "" && strings.ContainsRune(")]*_", rune(rest[0])) {
		return rest[:1]
	}
	return ""
}

// heading is the heading of a section in this style.
func (s style) heading(section Section) []string {
	text := s.front + s.open + s.v + section.Version + renamed(s.close, s.version, section.Version)
	if s.date != "" {
		text += s.lead + section.Date.Format(s.date) + s.trail
	}
	if strings.HasPrefix(s.sign, "#") {
		return []string{s.sign + " " + text}
	}
	return []string{text, strings.Repeat(s.sign, len([]rune(text)))}
}

var comparison = lazyregexp.New(`^(.*/compare/)(.+?)(\.\.\.?)(.+?)(\)?)$`)

// renamed is what closes a heading, often with the address of a release in it, as it is
// for another version: a comparison goes from the old version to the new one.
func renamed(address, old, version string) string {
	if old == "" {
		return address
	}
	if m := comparison.FindStringSubmatch(address); m != nil {
		if !strings.Contains(m[4], old) {
			return "]"
		}
		return m[1] + m[4] + m[3] + strings.ReplaceAll(m[4], old, version) + m[5]
	}
	return strings.ReplaceAll(address, old, version)
}

// relink brings the links at the end into step: what is not released is compared with
// the new version, and the new version with the one before.
func (p *page) relink(s Section) {
	for i := p.tail; i < len(p.lines); i++ {
		m := linkLine.FindStringSubmatch(p.lines[i])
		if len(m) < 2 || !strings.EqualFold(m[1], "unreleased") {
			continue
		}
		parts := comparison.FindStringSubmatch(m[2])
		if parts == nil || s.Before == "" || !strings.Contains(parts[2], s.Before) || slices.ContainsFunc(p.lines[p.tail:], links(s.Version, "v"+s.Version)) {
			return
		}
		tag := strings.ReplaceAll(parts[2], s.Before, s.Version)
		p.lines[i] = strings.Replace(p.lines[i], m[2], parts[1]+tag+parts[3]+parts[4]+parts[5], 1)
		label := s.Version
		if slices.ContainsFunc(p.lines[p.tail:], links("v"+s.Before)) {
			label = "v" + label
		}
		p.lines = slices.Insert(p.lines, i+1, "["+label+"]: "+parts[1]+parts[2]+parts[3]+tag+parts[5])
		return
	}
}

// links tells whether a line defines the link of one of the labels.
func links(labels ...string) func(string) bool {
	return func(line string) bool {
		m := linkLine.FindStringSubmatch(line)
		return len(m) > 1 && slices.Contains(labels, m[1])
	}
}
