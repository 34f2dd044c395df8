package lint

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/surface"
)

const (
	nameLimit = surface.NameLimit
	nameNear  = nameLimit - 4 // more than this leaves no room for the next longer name
)

// fullName returns the name as the model will see it.
func (o *offer) fullName(t *tool) string {
	if o.prefix == "" {
		return t.Name
	}
	return surface.FullName(o.prefix, t.Name)
}

// shorterKey says what a one-letter server key would save.
func (o *offer) shorterKey() string {
	saving := utf8.RuneCountInString(o.Key) - 1
	if o.prefix == "" || saving < 1 {
		return "shorten the tool's name"
	}
	return "shorten the tool's name, or the server key " + o.Key + ": a key of one letter saves " + plural(saving, "character")
}

func nameLength() rule[*offer] {
	return rule[*offer]{
		code: "tool-name-length", level: diag.Error,
		meaning: "a tool's name is over 64 characters with its prefix; the whole request is refused",
		find: func(o *offer, report reporter) {
			for _, t := range o.tools {
				if full := o.fullName(t); utf8.RuneCountInString(full) > nameLimit {
					report.in(t.label, o.shorterKey(), "%s has %d characters, %d is the limit", full, utf8.RuneCountInString(full), nameLimit)
				}
			}
		},
	}
}

func nameNearLimit() rule[*offer] {
	return rule[*offer]{
		code: "tool-name-near-limit", level: diag.Warning,
		meaning: "a tool's name is within four characters of the limit of 64 with its prefix",
		find: func(o *offer, report reporter) {
			for _, t := range o.tools {
				full := o.fullName(t)
				if length := utf8.RuneCountInString(full); length > nameNear && length <= nameLimit {
					report.in(t.label, o.shorterKey(), "%s has %d characters, %d is the limit", full, length, nameLimit)
				}
			}
		},
	}
}

func nameAlphabet() rule[*offer] {
	safe := lazyregexp.New(`^[A-Za-z0-9_-]+$`)
	return rule[*offer]{
		code: "tool-name-alphabet", level: diag.Error,
		meaning: "a tool's name is empty or has characters outside letters, digits, underscore and hyphen; the model's interface refuses it",
		find: func(o *offer, report reporter) {
			for _, t := range o.tools {
				switch {
				case jsonType(t.members["name"]) != "a string":
				case t.Name == "":
					report.in(t.label, "give the tool a name", "the name is empty")
				case !safe.MatchString(t.Name):
					report.in(t.label, "use letters, digits, underscore and hyphen only", "the name %q has characters that are not allowed", clip(t.Name))
				}
			}
		},
	}
}

func nameTwice() rule[*offer] {
	return rule[*offer]{
		code: "tool-name-twice", level: diag.Error,
		meaning: "two tools have the same name as the client spells it; only one of them can be called",
		find: func(o *offer, report reporter) {
			const hint = "rename one of them; a client keeps only one"
			first := map[string]*tool{}
			for _, t := range o.tools {
				full := o.fullName(t)
				before, seen := first[full]
				switch {
				case t.Name == "":
				case !seen:
					first[full] = t
				case before.Name == t.Name:
					report.in(t.label, hint, "%s is listed more than once", t.Name)
				default:
					report.in(t.label, hint, "%s and %s are the same name to a client: %s", before.Name, t.Name, full)
				}
			}
		},
	}
}

func nameCase() rule[*offer] {
	return rule[*offer]{
		code: "tool-name-case", level: diag.Warning,
		meaning: "two tools have names that differ only in letter case; models and some clients confuse them",
		find: func(o *offer, report reporter) {
			first := map[string]*tool{}
			for _, t := range o.tools {
				folded := strings.ToLower(t.Name)
				if before, seen := first[folded]; !seen {
					first[folded] = t
				} else if before.Name != t.Name {
					report.in(t.label, "rename one of them", "%s and %s differ only in letter case", before.Name, t.Name)
				}
			}
		},
	}
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
