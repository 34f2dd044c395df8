package registry

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// array returns the tokens of the brackets of the array that a constant is
// declared to be, or -1: [...] or Object.freeze([...]), after a type or not.
func (s *source) array(local string) (open, end int) {
	f := s.scan
	value := -1
	for i, token := range f.Tokens {
		if token.Parens != 0 || !isDeclaration(f, i) || !f.Is(i+1, local) {
			continue
		}
		if value >= 0 {
			return -1, -1
		}
		value = i + 2
	}
	for value >= 0 && value < len(f.Tokens) && (!f.Is(value, "=") || f.Tokens[value].Parens != 0) {
		value++
	}
	if open = arrayAt(f, value+1); value < 0 || open < 0 {
		return -1, -1
	}
	if end = f.Close(open); end < 0 {
		return -1, -1
	}
	return open, end
}

func isDeclaration(f *jsscan.File, i int) bool {
	return f.Is(i, "const") || f.Is(i, "let") || f.Is(i, "var")
}

// arrayAt returns the token of the bracket that opens an array as value i, in
// parentheses or not, or -1.
func arrayAt(f *jsscan.File, i int) int {
	for f.Is(i, "(") {
		i++
	}
	if f.Is(i, "Object") && f.Is(i+1, ".") && f.Is(i+2, "freeze") && f.Is(i+3, "(") {
		i += 4
	}
	if f.Is(i, "[") {
		return i
	}
	return -1
}

// spread says what is to be put into the array between two brackets.
func (s *source) spread(open, end int) []insertion {
	word := "..." + s.family.Export
	last := end - 1
	if last == open {
		return []insertion{s.only(open, end, word)}
	}
	comma := s.scan.Is(last, ",") // in the array itself: an inner one is inside its own brackets
	from, to := s.scan.Tokens[last].End, s.scan.Tokens[end].Start
	lead, alone := s.leadOf(open, end)
	at := lineBreak(s.text, from, to)
	switch {
	case alone && strings.HasSuffix(strings.TrimRight(lead, " \t"), ","): // , in front of each
		if at < 0 {
			at = from
		}
		return []insertion{{at, s.style.Newline + lead + word}}
	case at >= 0 || alone && !s.sameLine(open, last):
		if at < 0 {
			at = trimmed(s.text, from, to)
		}
		in := insertion{at, s.style.Newline + indentOf(lead) + word}
		if comma {
			in.text += ","
			return []insertion{in}
		}
		return []insertion{{from, ","}, in}
	case comma:
		return []insertion{{trimmed(s.text, from, to), " " + word + ","}}
	}
	return []insertion{{trimmed(s.text, from, to), ", " + word}}
}

// only is the place of the first element of an empty array.
func (s *source) only(open, end int, word string) insertion {
	from, to := s.scan.Tokens[open].End, s.scan.Tokens[end].Start
	at := -1
	for next := lineBreak(s.text, from, to); next >= 0; next = lineBreak(s.text, afterBreak(s.text, at), to) {
		at = next
	}
	if at >= 0 {
		return insertion{at, s.style.Newline + s.indentAt(to) + s.style.Indent + word + ","}
	}
	at = trimmed(s.text, from, to)
	if at > from {
		word = " " + word
	}
	return insertion{at, word}
}

// leadOf returns what stands on its line in front of the last element, and
// whether the element begins that line, a comma in front of it aside.
func (s *source) leadOf(open, end int) (lead string, alone bool) {
	f := s.scan
	depth := f.Tokens[open].Parens + 1
	first := end - 1
	if f.Is(first, ",") {
		first--
	}
	for first > open+1 && (f.Tokens[first-1].Parens > depth || f.Tokens[first-1].Parens == depth && !f.Is(first-1, ",")) {
		first--
	}
	start := f.Tokens[first].Start
	lead = s.text[strings.LastIndexByte(s.text[:start], '\n')+1 : start]
	return lead, strings.Trim(lead, " \t,") == ""
}

// sameLine reports whether two tokens begin on one line.
func (s *source) sameLine(a, b int) bool {
	return !strings.Contains(s.text[s.scan.Tokens[a].Start:s.scan.Tokens[b].Start], "\n")
}

// indentOf returns the white space at the start of a piece of a line.
func indentOf(lead string) string { return lead[:len(lead)-len(strings.TrimLeft(lead, " \t"))] }

// trimmed returns the end of text[from:to] without the white space at its end.
func trimmed(text string, from, to int) int {
	return from + len(strings.TrimRight(text[from:to], " \t\r\n"))
}

// afterBreak returns the offset behind the end of a line.
func afterBreak(text string, at int) int {
	if text[at] == '\r' {
		at++
	}
	return at + 1
}
