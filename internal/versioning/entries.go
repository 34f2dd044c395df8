package versioning

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"omcbuild/internal/schemadiff"
)

// Change is a difference of one server's tools since the last release.
type Change struct {
	Server string // its name, where the plugin has several; else ""
	schemadiff.Change
}

// The sections that a difference fills, by their names in a changelog.
const (
	addedSection   = "Added"
	changedSection = "Changed"
	removedSection = "Removed"
)

// entry is one line of a changelog.
type entry struct {
	section string
	text    string   // Markdown, without the sign of a list
	about   []string // what a text has to name that says this already
}

// longestText is how many characters of a message are written, longestList how many
// tools are named in one line.
const (
	longestText = 300
	longestList = 20
)

// entriesOf says what changed, a line each. Differences that concern no caller are
// left out, and tools that merely got another description share a line.
func entriesOf(changes []Change) []entry {
	var out []entry
	var reworded []string
	for _, c := range changes {
		switch {
		case c.Level != schemadiff.Text:
			out = append(out, entryOf(c))
		case strings.HasPrefix(c.Kind, "description-") && c.Tool != "" && !slices.Contains(reworded, c.name()):
			reworded = append(reworded, c.name())
		}
	}
	if len(reworded) > 0 {
		out = append(out, entry{section: changedSection, text: "Other descriptions: " + listed(reworded), about: []string{"descriptions"}})
	}
	return out
}

// listed names tools, the first of them where there are many.
func listed(names []string) string {
	if more := len(names) - longestList; more > 0 {
		names = append(slices.Clone(names[:longestList]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// name is the tool of a change as it is written.
func (c Change) name() string {
	name := code(clean(c.Tool))
	if c.Server != "" {
		name += " (server " + code(clean(c.Server)) + ")"
	}
	return name
}

func entryOf(c Change) entry {
	e := entry{section: sectionOf(c.Kind), text: c.sentence(), about: []string{clean(c.Tool)}}
	if _, place, ok := strings.Cut(c.Path, "."); ok && c.Tool != "" {
		e.about = append(e.about, clean(place[strings.LastIndexByte(place, '.')+1:]))
	}
	if c.Tool == "" {
		e.about = []string{e.text}
	}
	if c.Level == schemadiff.Breaking {
		e.text = "**Breaking:** " + e.text
	}
	return e
}

// sectionOf tells from the kind of a change where it is listed.
func sectionOf(kind string) string {
	switch {
	case strings.HasSuffix(kind, "-added") && kind != "alternative-added":
		return addedSection
	case strings.HasSuffix(kind, "-removed") && kind != "alternative-removed":
		return removedSection
	}
	return changedSection
}

// sentence is the message of a change as Markdown, without its level.
func (c Change) sentence() string {
	text := strings.TrimSuffix(c.Message, ": "+string(c.Level))
	if c.Tool != "" {
		text = strings.TrimPrefix(text, c.Tool+": ")
	}
	text = clean(text)
	if c.Tool == "" {
		if c.Server != "" {
			return "Server " + code(clean(c.Server)) + ": " + inCode(text)
		}
		return inCode(upper(text))
	}
	subject := ""
	if _, place, ok := strings.Cut(c.Path, "Schema."); ok {
		if at := strings.Index(text, clean(place)+" "); at >= 0 {
			subject, text = code(text[:at+len(clean(place))])+" ", text[at+len(clean(place))+1:]
		}
	}
	return c.name() + ": " + subject + inCode(text)
}

// clean makes one line of a text that somebody else wrote, without what cannot be seen.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestText {
		text = string(runes[:longestText]) + "…"
	}
	return text
}

// special are the characters that mean something in Markdown.
const special = "\\`*_[]<>#|~&!"

// inCode writes the words of a text that hold special characters as code.
func inCode(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if !strings.ContainsAny(word, special) {
			continue
		}
		start := len(word) - len(strings.TrimLeft(word, "("))
		end := len(strings.TrimRight(word, ",;:)"))
		if start < end {
			words[i] = word[:start] + code(word[start:end]) + word[end:]
		}
	}
	return strings.Join(words, " ")
}

// code writes a text as code, between more backticks than it holds in a row.
func code(text string) string {
	longestRun, run := 0, 0
	for _, r := range text {
		if r == '`' {
			run++
		} else {
			run = 0
		}
		longestRun = max(longestRun, run)
	}
	fence := strings.Repeat("`", longestRun+1)
	if longestRun > 0 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

func upper(text string) string {
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):]
	}
	return text
}
