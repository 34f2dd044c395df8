// Package jsscan splits JavaScript and TypeScript into tokens, well enough to
// find an import, a call or a string and to change it in place, and no better: it
// builds no tree and knows no types.
//
// What it guarantees is that text inside comments, strings, templates and regular
// expressions is never taken for code. Where JavaScript itself is ambiguous
// without a parser (is "/" a division?) it looks at the tokens before; when what
// follows then makes no sense, Scan reports that it lost its way and the caller
// leaves the file alone.
package jsscan

import (
	"strings"
	"unicode/utf8"
)

// Kind is the sort of a token.
type Kind uint8

const (
	// Ident is an identifier, a keyword, or a private name with its #.
	Ident Kind = iota
	// String is a quoted string, or a template without substitutions.
	String
	// TemplatePart is a template's text up to, between or after substitutions,
	// with the delimiters on both sides.
	TemplatePart
	// Number is a number.
	Number
	// Regex is a regular expression with its flags.
	Regex
	// Punct is one character of punctuation, or "++", "--", "=>", "...".
	Punct
)

// Token is a piece of the source, from Start up to End.
type Token struct {
	Kind       Kind
	Start, End int // offsets in bytes
	Parens     int // how many brackets of any kind are open around it
	Functions  int // how many function bodies are open around it
	Tries      int // how many try blocks are open around it
}

// File is a scanned source.
type File struct {
	Text   string
	Tokens []Token

	wraps [][2]int // the offsets of parentheses that Plain left out
}

// Scan splits text into tokens; false when it lost its way.
func Scan(text string) (*File, bool) {
	s := &scanner{text: text, file: &File{Text: text, Tokens: make([]Token, 0, len(text)/5)}}
	if strings.HasPrefix(text, "#!") {
		s.skipLine()
	}
	for s.next() {
	}
	return s.file, !s.lost && len(s.open) == 0
}

// Is reports whether token i is code that reads exactly so.
func (f *File) Is(i int, text string) bool {
	if i < 0 || i >= len(f.Tokens) {
		return false
	}
	t := f.Tokens[i]
	return (t.Kind == Ident || t.Kind == Punct) && f.Text[t.Start:t.End] == text
}

// Kind returns the kind of token i, and Punct outside the file.
func (f *File) Kind(i int) Kind {
	if i < 0 || i >= len(f.Tokens) {
		return Punct
	}
	return f.Tokens[i].Kind
}

// Source returns token i as written, and "" outside the file.
func (f *File) Source(i int) string {
	if i < 0 || i >= len(f.Tokens) {
		return ""
	}
	return f.Text[f.Tokens[i].Start:f.Tokens[i].End]
}

// Literal returns the value of token i when it is a string without escapes.
func (f *File) Literal(i int) (string, bool) {
	if i < 0 || i >= len(f.Tokens) || f.Tokens[i].Kind != String {
		return "", false
	}
	s := f.Source(i)
	s = s[1 : len(s)-1]
	return s, !strings.ContainsAny(s, "\\\n\r")
}

// Position returns the 1-based line and column, in bytes, of an offset.
func Position(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// Close returns the index of the token that closes the bracket at i, or -1.
func (f *File) Close(i int) int {
	depth := f.Tokens[i].Parens
	for j := i + 1; j < len(f.Tokens); j++ {
		if f.Tokens[j].Parens == depth && f.Tokens[j].Kind == Punct && strings.ContainsAny(f.Source(j), ")]}") {
			return j
		}
	}
	return -1
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '#' || c == '@' || c == '\\' || c >= utf8.RuneSelf
}

func isIdentPart(c byte) bool { return isIdentStart(c) && c != '#' && c != '@' || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
