package inspect

import (
	"strconv"
	"strings"

	"omcbuild/internal/jsscan"
)

// object reads an object literal.
func (s *script) object(i int) value {
	out := value{kind: object, at: s.position(i), source: s}
	end := s.close(i)
	for i++; i < end; i++ {
		if s.file.Is(i, ",") {
			continue
		}
		if s.file.Is(i, "...") {
			part, n := s.read(i + 1)
			switch part.kind {
			case object:
				out.members = append(out.members, part.members...)
			case absent:
			default:
				out.members = append(out.members, member{"...", part})
			}
			i = max(n, i)
			continue
		}
		m, n := s.member(i)
		if m.key != "" {
			out.members = append(out.members, m)
		}
		i = max(n, i)
	}
	return out
}

// member reads one member of an object literal: a pair, a name that stands for
// its variable, or a method.
func (s *script) member(i int) (member, int) {
	for (s.file.Is(i, "async") || s.file.Is(i, "get")) && s.file.Kind(i+1) == jsscan.Ident || s.file.Is(i, "*") {
		i++
	}
	key, n := "", i+1
	switch s.file.Kind(i) {
	case jsscan.Ident, jsscan.Number:
		key = s.file.Source(i)
	case jsscan.String:
		key = unquote(s.file.Source(i))
	default:
		if !s.file.Is(i, "[") {
			return member{}, s.skip(i)
		}
		v, _ := s.read(i + 1)
		if key, n = "[…]", s.after(i); v.kind == text {
			key = v.text
		}
	}
	switch {
	case s.file.Is(n, ":"):
		v, next := s.read(n + 1)
		return member{key, v}, next
	case s.file.Is(n, "("):
		body := s.after(n)
		for end := min(body+60, len(s.file.Tokens)); body < end && !s.file.Is(body, "{") && !s.file.Is(body, ","); {
			body++
		}
		return member{key, value{kind: function, at: s.position(i), body: body, source: s}}, s.after(min(body, len(s.file.Tokens)-1))
	case s.file.Kind(i) == jsscan.Ident:
		return member{key, s.lookUp(key, i)}, n
	}
	return member{}, s.skip(i)
}

// arrowAfter returns the body of an arrow function whose parameters end at a
// token, or 0.
func (s *script) arrowAfter(end int) int {
	if end < 0 {
		return 0
	}
	if s.file.Is(end+1, "=>") {
		return end + 2
	}
	if s.file.Is(end+1, ":") { // a return type
		for i := end + 2; i < min(end+30, len(s.file.Tokens)); i++ {
			if s.file.Is(i, "=>") {
				return i + 1
			}
			if s.file.Is(i, ",") || s.file.Is(i, ";") || s.file.Is(i, ")") {
				return 0
			}
		}
	}
	return 0
}

func (s *script) arrow(i, body int) (value, int) {
	v := value{kind: function, at: s.position(i), body: body, source: s}
	if s.file.Is(body, "{") {
		return v, s.after(body)
	}
	return v, s.skip(body)
}

// returned is what a function returns, when it has a single return.
func (v value) returned() value {
	s, i := v.source, v.body
	if v.kind != function || s == nil || i >= len(s.file.Tokens) {
		return v
	}
	if !s.file.Is(i, "{") {
		out, _ := s.read(i)
		return out
	}
	found, inner, end := -1, s.file.Tokens[i].Functions+1, s.close(i)
	for j := i + 1; j < end; j++ {
		if !s.file.Is(j, "return") || s.file.Is(j-1, ".") || s.file.Tokens[j].Functions > inner {
			continue
		}
		if found >= 0 {
			return opaque(v.at, "is computed: a function that returns in several places")
		}
		found = j
	}
	if found < 0 {
		return opaque(v.at, "is computed by a function")
	}
	out, _ := s.read(found + 1)
	return out
}

// unquote returns the text of a quoted string or a template.
func unquote(source string) string {
	if len(source) < 2 {
		return ""
	}
	return unescape(source[1 : len(source)-1])
}

// unescape replaces the escapes of JavaScript strings.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case '\n':
		case 'x', 'u':
			r, size := codePoint(s[i:])
			b.WriteRune(r)
			i += size - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// codePoint reads xHH, uHHHH or u{H…} and returns its length too.
func codePoint(s string) (rune, int) {
	digits, size := "", 0
	switch {
	case strings.HasPrefix(s, "u{"):
		if end := strings.IndexByte(s, '}'); end > 0 {
			digits, size = s[2:end], end+1
		}
	case s[0] == 'x' && len(s) >= 3:
		digits, size = s[1:3], 3
	case s[0] == 'u' && len(s) >= 5:
		digits, size = s[1:5], 5
	}
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil {
		return rune(s[0]), 1
	}
	return rune(n), size
}
