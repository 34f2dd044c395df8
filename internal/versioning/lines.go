package versioning

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"omcbuild/internal/lazyregexp"
)

// sectionOrder is that of Keep a Changelog.
func sectionOrder() []string {
	return []string{addedSection, changedSection, "Deprecated", removedSection, "Fixed", "Security"}
}

var listLine = lazyregexp.New(`^([-*+])[ \t]+\S`)

// bullet is the sign of lists that the changelog uses first.
func (p *page) bullet() string {
	for _, line := range p.lines {
		if m := listLine.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return "-"
}

// flat reports whether a section is a list without headings.
func flat(lines []string) bool {
	heads, _ := headsOf(lines)
	return len(heads) == 0 && slices.ContainsFunc(lines, listLine.MatchString)
}

// complete adds to the lines of a section what they do not say of the changes.
func (s style) complete(lines []string, section Section) []string {
	lines = slices.Clone(trim(lines))
	s.flat = s.flat && len(lines) == 0 || flat(lines)
	entries := entriesOf(section.Changes)
	said := slices.Clone(lines)
	for _, name := range sectionOrder() {
		var more []string
		for _, e := range entries {
			line := s.bullet + " " + e.text
			if e.section == name && !mentions(said, e.about) && !slices.Contains(said, line) && !slices.Contains(more, line) {
				more = append(more, line)
			}
		}
		if len(more) > 0 {
			lines = s.add(lines, name, more)
		}
	}
	if len(lines) == 0 && section.Same != "" {
		lines = []string{section.Same}
	}
	return lines
}

// mentions reports whether one item of a list, or one paragraph, holds all the words.
func mentions(lines, words []string) bool {
	var item []string
	holds := func() bool {
		text := strings.Join(item, " ")
		return !slices.ContainsFunc(words, func(word string) bool { return !holdsWord(text, word) })
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || listLine.MatchString(line) {
			if len(item) > 0 && holds() {
				return true
			}
			item = nil
		}
		item = append(item, line)
	}
	return len(item) > 0 && holds()
}

// holdsWord reports whether a text holds a name that does not go on on either side.
func holdsWord(text, word string) bool {
	if word == "" {
		return true
	}
	ofName := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at]) // RuneError, which is of no name, where nothing is
		after, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if !ofName(before) && !ofName(after) {
			return true
		}
		from = at + len(word)
	}
}

// add puts items at the end of the list under a heading, which is made in its place
// when it is not there. A flat list gets them at its end.
func (s style) add(lines []string, name string, items []string) []string {
	heads, _ := headsOf(lines)
	if s.flat {
		return append(lines, items...)
	}
	order := sectionOrder()
	rank := slices.Index(order, name)
	at := len(lines)
	for i, h := range heads {
		title := strings.ToLower(strings.TrimSpace(h.text))
		if title == strings.ToLower(name) {
			end := len(lines)
			if i+1 < len(heads) {
				end = heads[i+1].line
			}
			for end > h.line+h.height && strings.TrimSpace(lines[end-1]) == "" {
				end--
			}
			if end == h.line+h.height {
				items = append([]string{""}, items...)
			}
			return slices.Insert(lines, end, items...)
		}
		if at == len(lines) && slices.IndexFunc(order, func(o string) bool { return strings.ToLower(o) == title }) > rank {
			at = h.line
		}
	}
	block := append([]string{strings.Repeat("#", s.level+1) + " " + name, ""}, items...)
	if at > 0 && strings.TrimSpace(lines[at-1]) != "" {
		block = append([]string{""}, block...)
	}
	if at < len(lines) {
		block = append(block, "")
	}
	return slices.Insert(lines, at, block...)
}
