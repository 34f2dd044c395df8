package registry

import (
	"path"
	"strings"
)

// Style is how a source is written.
type Style struct {
	Newline   string // "\n" or "\r\n"
	Indent    string // one level: a tab or spaces
	Quote     string // `"` or "'"
	Suffix    string // what relative imports end in: ".js", ".ts" or ""
	Semicolon bool   // whether statements end in one
	Tight     bool   // whether braces of an import have no space inside
}

// styleOf reads the style off a registry; what it does not show is as in the
// template.
func styleOf(s *source) Style {
	style := Style{Newline: "\n", Indent: indentUnit(s.text), Quote: `"`, Suffix: ".js", Semicolon: true}
	if crlf := strings.Count(s.text, "\r\n"); crlf > 0 && crlf*2 >= strings.Count(s.text, "\n") {
		style.Newline = "\r\n"
	}
	if len(s.imports) == 0 {
		style.Semicolon = false
		for i, token := range s.scan.Tokens {
			style.Semicolon = style.Semicolon || token.Parens == 0 && s.scan.Is(i, ";")
		}
	}
	for _, each := range s.imports {
		style.Quote, style.Semicolon, style.Tight = each.quote, each.semicolon, each.tight
		if ending := path.Ext(each.specifier); strings.HasPrefix(each.specifier, ".") && (ending == "" || stem(each.specifier) != each.specifier) {
			style.Suffix = ending
		}
	}
	return style
}

// indentUnit is the white space of the first indented line that is not the inside
// of a comment.
func indentUnit(text string) string {
	for line := range strings.Lines(text) {
		rest := strings.TrimLeft(line, " \t")
		lead := line[:len(line)-len(rest)]
		switch {
		case lead == "" || strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "*"):
		case lead[0] == '\t':
			return "\t"
		case len(lead) == 2 || len(lead) == 4:
			return lead
		}
	}
	return "  "
}

func (s Style) statement(text string) string {
	if s.Semicolon {
		return text + ";"
	}
	return text
}

func (s Style) quoted(text string) string { return s.Quote + text + s.Quote }

func (s Style) braces(text string) string {
	if s.Tight {
		return "{" + text + "}"
	}
	return "{ " + text + " }"
}

// Dress rewrites a source from the template's style (two spaces, double quotes
// around strings without quotes inside, semicolons at ends of lines, \n) to this
// one.
func (s Style) Dress(source string) string {
	var out strings.Builder
	for line := range strings.Lines(source) {
		text := strings.TrimSuffix(line, "\n")
		rest := strings.TrimLeft(text, " ")
		levels := (len(text) - len(rest)) / 2
		text = strings.Repeat(s.Indent, levels) + rest
		if !s.Semicolon {
			text = strings.TrimSuffix(text, ";")
		}
		if s.Tight && strings.HasPrefix(text, "import {") {
			text = strings.Replace(strings.Replace(text, "{ ", "{", 1), " }", "}", 1)
		}
		out.WriteString(strings.ReplaceAll(text, `"`, s.Quote) + s.Newline)
	}
	return out.String()
}
