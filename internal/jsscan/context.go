package jsscan

import "strings"

// expressionFollows are the words after which an expression starts, so that a
// slash there opens a regular expression and a brace an object.
const expressionFollows = " return typeof case in of delete void throw new instanceof yield await default extends "

// blockFollows are the words after which a brace opens a block.
const blockFollows = " else do try finally static "

// controlFollows are the words whose parentheses are followed by a statement.
const controlFollows = " if for while with "

func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// last returns the token n places back as text, with its kind; "" at the start.
func (s *scanner) last(n int) (Kind, string) {
	i := len(s.file.Tokens) - n
	if i < 0 {
		return Punct, ""
	}
	return s.file.Tokens[i].Kind, s.file.Source(i)
}

// regexAllowed reports whether a slash here starts a regular expression.
func (s *scanner) regexAllowed() bool {
	kind, text := s.last(1)
	switch kind {
	case Ident:
		_, before := s.last(2)
		return before != "." && (listed(expressionFollows, text) || listed(blockFollows, text))
	case Punct:
		switch text {
		case ")":
			return s.after.control
		case "}":
			return s.after.block
		case "]", "++", "--", "<": // "</" is JSX
			return false
		}
		return true
	case TemplatePart:
		return strings.HasSuffix(text, "${")
	}
	return false
}

// describe says what an opening bracket is for, from the tokens before it.
func (s *scanner) describe(c byte) bracket {
	b := bracket{char: c}
	kind, text := s.last(1)
	switch {
	case c == '(':
		_, before := s.last(2)
		b.control = kind == Ident && before != "." && (listed(controlFollows, text) || text == "await" && before == "for")
	case c == '{' && text == "=>":
		b.function = true
	case c == '{' && text == ")":
		b.block = true
		b.function = !s.after.control && !s.isCatch()
	case c == '{' && s.returnType():
		b.block, b.function = true, true
	case c == '{' && kind == Ident:
		b.block = !listed(expressionFollows, text)
		b.try = text == "try"
	case c == '{':
		b.block = text == "" || text == ";" || text == "{" || text == "}" && s.after.block || text == ">"
	}
	return b
}

// returnType reports whether the tokens before a brace are the return type of a
// function: its parentheses, a colon, and words and brackets up to here.
func (s *scanner) returnType() bool {
	depth := 0
	for n := 1; n < 60; n++ {
		kind, text := s.last(n)
		switch {
		case kind == Punct && (text == ")" || text == "]" || text == "}"):
			depth++
		case kind == Punct && (text == "(" || text == "[" || text == "{"):
			if depth--; depth < 0 {
				return false
			}
		case depth > 0:
		case kind == Ident && n == 1 && text != "void" && (listed(blockFollows, text) || listed(expressionFollows, text)):
			return false
		case text == ":":
			_, before := s.last(n + 1)
			return n > 1 && before == ")"
		case kind == Punct && !strings.Contains("< > , | & . => ?", text):
			return false
		}
	}
	return false
}

// isCatch reports whether the parentheses just closed belong to catch or switch.
func (s *scanner) isCatch() bool {
	depth := 0
	for n := 1; ; n++ {
		kind, text := s.last(n)
		if text == "" {
			return false
		}
		if kind != Punct {
			continue
		}
		switch text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth == 0 {
				_, word := s.last(n + 1)
				return word == "catch" || word == "switch"
			}
		}
	}
}
