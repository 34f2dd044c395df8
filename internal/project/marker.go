package project

import (
	"fmt"
	"strings"
	"unicode"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// Marker is a text in a file that is kept in step.
type Marker struct {
	File    string // relative to the root
	Pattern Pattern
	At      diag.Position // of the pattern in the configuration
}

// Pattern is a marker's text, cut into literal parts and placeholders.
type Pattern struct {
	Text  string // as written
	Parts []Part
}

// Part is either literal text or a placeholder.
type Part struct {
	Literal string // "" for a placeholder
	Field   Field  // "" for literal text
	Bundle  string // for Tools: the bundle whose tools are meant, "" for all
}

// Field is what a placeholder stands for.
type Field string

// The placeholders of a pattern.
const (
	Version  Field = "version"
	Name     Field = "name"
	Tools    Field = "tools"
	Skills   Field = "skills"
	Commands Field = "commands"
	Agents   Field = "agents"
)

func fields() []string {
	return []string{string(Version), string(Name), string(Tools), string(Skills), string(Commands), string(Agents)}
}

var placeholder = lazyregexp.New(`\{([A-Za-z]+)(?::([^{}]*))?\}`)

// ParsePattern cuts a pattern into its parts. Braces around anything but a
// word are literal text. The error completes the sentence "pattern ...".
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{Text: text}
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		part, err := parsePlaceholder(text, m)
		if err != nil {
			return Pattern{}, err
		}
		if m[0] > at {
			p.Parts = append(p.Parts, Part{Literal: text[at:m[0]]})
		}
		if n := len(p.Parts); n > 0 && p.Parts[n-1].Field != "" {
			return Pattern{}, fmt.Errorf("has no text between {%s} and %s, so it is not clear where one ends", p.Parts[n-1].Field, text[m[0]:m[1]])
		}
		p.Parts = append(p.Parts, part)
		at = m[1]
	}
	if at < len(text) {
		p.Parts = append(p.Parts, Part{Literal: text[at:]})
	}
	return p, p.check()
}

func parsePlaceholder(text string, m []int) (Part, error) {
	part := Part{Field: Field(text[m[2]:m[3]])}
	known := fields()
	found := false
	for _, name := range known {
		found = found || name == string(part.Field)
	}
	if !found {
		if near := Nearest(string(part.Field), known); near != "" {
			return part, fmt.Errorf("has the unknown placeholder {%s}, did you mean {%s}?", part.Field, near)
		}
		return part, fmt.Errorf("has the unknown placeholder {%s}; there are {%s}", part.Field, strings.Join(known, "}, {"))
	}
	if m[4] >= 0 {
		part.Bundle = text[m[4]:m[5]]
		if part.Field != Tools || part.Bundle == "" {
			return part, fmt.Errorf("has %s; only {tools:BUNDLE} takes a name", text[m[0]:m[1]])
		}
	}
	return part, nil
}

// check refuses patterns that stand for nothing or would match everywhere.
func (p Pattern) check() error {
	var placeholders int
	var literal string
	for _, part := range p.Parts {
		literal += part.Literal
		if part.Field != "" {
			placeholders++
		}
	}
	switch {
	case placeholders == 0:
		return fmt.Errorf("has no placeholder; there are {%s}", strings.Join(fields(), "}, {"))
	case !strings.ContainsFunc(literal, unicode.IsLetter):
		return fmt.Errorf("has no words around its placeholders, so it would match anywhere")
	}
	return nil
}
