package jsscan

import "strings"

// bracket is one that is open: what it is for decides what follows its end.
type bracket struct {
	char     byte
	control  bool // the parentheses of if, for, while, with: a statement follows
	block    bool // braces of a block, a body or a class: a statement follows
	function bool
	try      bool
	template bool // a substitution: the template goes on after it
}

type scanner struct {
	text  string
	at    int
	file  *File
	open  []bracket
	after bracket // the bracket closed by the last token, if it closed one
	lost  bool

	functions, tries int
	arrows           []int // how many brackets were open at each "=>" whose body is an expression
}

// next reads one token; false at the end or when lost.
func (s *scanner) next() bool {
	s.skipSpace()
	if s.lost || s.at >= len(s.text) {
		return false
	}
	c := s.text[s.at]
	if _, text := s.last(1); text == "=>" && c != '{' {
		s.arrows = append(s.arrows, len(s.open))
		s.functions++
	}
	switch {
	case isIdentStart(c):
		s.identifier()
	case isDigit(c) || c == '.' && s.peek() >= '0' && s.peek() <= '9':
		s.emit(Number, s.numberEnd())
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.template(s.at + 1)
	case c == '/' && s.regexAllowed():
		s.regex()
	default:
		s.punct(c)
	}
	return !s.lost
}

// peek returns the character after the one at hand, 0 at the end.
func (s *scanner) peek() byte {
	if s.at+1 >= len(s.text) {
		return 0
	}
	return s.text[s.at+1]
}

func (s *scanner) emit(kind Kind, end int) {
	s.file.Tokens = append(s.file.Tokens, Token{Kind: kind, Start: s.at, End: end, Parens: len(s.open), Functions: s.functions, Tries: s.tries})
	s.at = end
	if kind != Punct {
		s.after = bracket{}
	}
}

func (s *scanner) skipLine() {
	if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		s.at += n
	} else {
		s.at = len(s.text)
	}
}

func (s *scanner) skipSpace() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			s.at++
		case c == '/' && s.peek() == '/':
			s.skipLine()
		case c == '/' && s.peek() == '*':
			n := strings.Index(s.text[s.at+2:], "*/")
			if n < 0 {
				s.lost, s.at = true, len(s.text)
				return
			}
			s.at += n + 4
		case strings.HasPrefix(s.text[s.at:], "\u00a0"), strings.HasPrefix(s.text[s.at:], "\ufeff"):
			s.at += len("\u00a0")
			if c == 0xef {
				s.at++
			}
		default:
			return
		}
	}
}

// statementStarts are the words that end an arrow function's expression when the
// semicolon is missing.
const statementStarts = " const let var function class import export if for while return try throw switch "

func (s *scanner) identifier() {
	end := s.identEnd()
	_, before := s.last(1)
	if before != "." && before != "=>" && listed(statementStarts, s.text[s.at:end]) && strings.HasSuffix(strings.TrimRight(s.text[:s.at], " \t"), "\n") {
		s.endArrows()
	}
	s.emit(Ident, end)
}

// endArrows ends the arrow functions whose expression ends here.
func (s *scanner) endArrows() {
	for n := len(s.arrows); n > 0 && s.arrows[n-1] >= len(s.open); n-- {
		s.arrows = s.arrows[:n-1]
		s.functions--
	}
}

func (s *scanner) identEnd() int {
	end := s.at + 1
	for end < len(s.text) && isIdentPart(s.text[end]) {
		end++
	}
	return end
}

func (s *scanner) numberEnd() int {
	end := s.at + 1
	for end < len(s.text) && (isIdentPart(s.text[end]) || s.text[end] == '.' ||
		(s.text[end] == '+' || s.text[end] == '-') && (s.text[end-1]|0x20) == 'e' && !strings.HasPrefix(s.text[s.at:], "0x")) {
		end++
	}
	return end
}

// quoted reads a string. One that does not end on its line is no string: an
// apostrophe in JSX text.
func (s *scanner) quoted(quote byte) {
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
			if i < len(s.text) && s.text[i] == '\r' && i+1 < len(s.text) && s.text[i+1] == '\n' {
				i++
			}
		case '\n':
			s.emit(Punct, s.at+1)
			return
		case quote:
			s.emit(String, i+1)
			return
		}
	}
	s.emit(Punct, s.at+1)
}

// template reads a template's text from an offset to its end or its next
// substitution.
func (s *scanner) template(from int) {
	for i := from; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '`':
			kind := TemplatePart
			if s.text[s.at] == '`' {
				kind = String
			}
			s.emit(kind, i+1)
			return
		case '$':
			if i+1 < len(s.text) && s.text[i+1] == '{' {
				s.emit(TemplatePart, i+2)
				s.open = append(s.open, bracket{char: '{', template: true})
				return
			}
		}
	}
	s.lost = true
}

// regex reads a regular expression; one that does not end on its line means that
// the slash was none.
func (s *scanner) regex() {
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			s.emit(Punct, s.at+1)
			return
		case '/':
			if class {
				continue
			}
			for i++; i < len(s.text) && isIdentPart(s.text[i]); i++ {
			}
			s.emit(Regex, i)
			return
		}
	}
	s.emit(Punct, s.at+1)
}

// punct reads punctuation and keeps account of the brackets.
func (s *scanner) punct(c byte) {
	switch c {
	case '(', '[', '{':
		b := s.describe(c)
		s.emit(Punct, s.at+1)
		s.open = append(s.open, b)
		s.count(b, 1)
		s.after = bracket{}
	case ')', ']', '}':
		s.close(c)
	default:
		end := s.at + 1
		for _, long := range [...]string{"...", "=>", "++", "--"} {
			if strings.HasPrefix(s.text[s.at:], long) {
				end = s.at + len(long)
			}
		}
		s.emit(Punct, end)
		s.after = bracket{}
		if c == ',' || c == ';' {
			s.endArrows()
		}
	}
}

func (s *scanner) count(b bracket, by int) {
	if b.function {
		s.functions += by
	}
	if b.try {
		s.tries += by
	}
}

// close ends the innermost bracket, which must be of the same sort.
func (s *scanner) close(c byte) {
	if len(s.open) == 0 {
		s.lost = true
		return
	}
	b := s.open[len(s.open)-1]
	if pair := map[byte]byte{')': '(', ']': '[', '}': '{'}; pair[c] != b.char {
		s.lost = true
		return
	}
	s.endArrows()
	s.open = s.open[:len(s.open)-1]
	s.count(b, -1)
	if b.template {
		s.template(s.at + 1)
		return
	}
	s.emit(Punct, s.at+1)
	s.after = b
}
