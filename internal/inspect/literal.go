package inspect

import (
	"strconv"
	"strings"

	"omcbuild/internal/jsscan"
)

// Bounds on the work for one file: expressions read, how deep they nest, and
// the bytes of a text that is put together.
const (
	maxSteps = 20_000
	maxDepth = 60
	maxText  = 8 << 10
)

// read evaluates the expression that begins at a token, as far as that is
// possible without running it, and returns the token after it.
func (s *script) read(i int) (value, int) {
	s.steps++
	s.depth++
	defer func() { s.depth-- }()
	if s.steps > maxSteps || s.depth > maxDepth || s.repo.work.spend(1) != nil {
		return opaque(s.position(i), "is too long or nested too deeply"), s.skip(i)
	}
	v, n := s.operand(i)
	for {
		switch {
		case n == s.stop:
			return v, n
		case s.file.Is(n, "as") || s.file.Is(n, "satisfies"):
			return v, s.skip(n)
		case s.file.Is(n, "+"):
			right, next := s.operand(n + 1)
			v, n = join(v, right), next
		case s.file.Is(n, "|") && s.file.Is(n+1, "|"), s.file.Is(n, "?") && s.file.Is(n+1, "?"):
			right, next := s.operand(n + 2)
			if v.kind == absent || s.file.Is(n, "|") && v.falsy() {
				v = right
			}
			n = next
		case s.ends(n):
			return v, n
		default:
			return s.computed(i), s.skip(n)
		}
	}
}

// ends reports whether no expression goes on at a token.
func (s *script) ends(i int) bool {
	if i >= len(s.file.Tokens) {
		return true
	}
	if s.file.Kind(i) != jsscan.Punct {
		return !s.file.Is(i, "instanceof") && !s.file.Is(i, "in")
	}
	return strings.Contains(", ; ) ] } { :", s.file.Source(i))
}

// computed is the value of an expression that only the program knows.
func (s *script) computed(i int) value {
	return opaque(s.position(i), "is computed: "+clip(s.excerpt(i)))
}

func (s *script) excerpt(i int) string {
	if i < 0 || i >= len(s.file.Tokens) {
		return ""
	}
	end := min(s.skip(i), len(s.file.Tokens)) - 1
	if end < i {
		end = i
	}
	return shownCode(s.file, i, end)
}

// join adds two texts.
func join(a, b value) value {
	switch plain := func(v value) bool { return v.kind == text || v.kind == number }; {
	case a.kind == unknown:
		return a
	case b.kind == unknown:
		b.at = a.at
		return b
	case !plain(a) || !plain(b) || a.kind == number && b.kind == number:
		return opaque(a.at, "is computed")
	case len(a.text)+len(b.text) > maxText:
		return opaque(a.at, "is too long")
	}
	return value{kind: text, text: a.text + b.text, at: a.at, version: a.version || b.version, name: a.name || b.name}
}

// operand reads one operand with what follows it: members and calls.
func (s *script) operand(i int) (value, int) {
	for s.file.Is(i, "await") || s.file.Is(i, "async") || s.file.Is(i, "new") {
		i++
	}
	v, n := s.primary(i)
	for {
		switch {
		case n == s.stop:
			return v, n
		case s.file.Is(n, "!") && !s.file.Is(n+1, "="): // "surely there", of TypeScript
			n++
		case s.file.Is(n, "?") && s.file.Is(n+1, "."):
			n++
		case s.file.Is(n, ".") && s.file.Is(n+2, "("):
			v, n = s.method(v, s.file.Source(n+1), n+2), s.close(n+2)+1
		case s.file.Is(n, "."):
			v, n = s.memberOf(v, s.file.Source(n+1), n+1), n+2
		case s.file.Is(n, "["):
			key, _ := s.read(n + 1)
			if v.kind == object && key.kind == text {
				v = v.get(key.text)
			} else {
				v = s.computed(i)
			}
			n = s.after(n)
		case s.file.Is(n, "("):
			v, n = s.computed(i), s.after(n)
		default:
			return v, n
		}
		if n <= i { // a bracket that never closes
			return s.computed(i), len(s.file.Tokens)
		}
	}
}

// after returns the token behind the bracket that opens at a token.
func (s *script) after(i int) int {
	if end := s.close(i); end >= 0 {
		return end + 1
	}
	return len(s.file.Tokens)
}

// primary reads the first part of an operand.
func (s *script) primary(i int) (value, int) {
	at := s.position(i)
	switch s.file.Kind(i) {
	case jsscan.String:
		return value{kind: text, text: unquote(s.file.Source(i)), at: at}, i + 1
	case jsscan.TemplatePart:
		return s.template(i)
	case jsscan.Number:
		return value{kind: number, text: s.file.Source(i), at: at}, i + 1
	case jsscan.Regex:
		return opaque(at, "is a regular expression: "+clip(shownCode(s.file, i, i))), i + 1
	case jsscan.Ident:
		return s.word(i)
	}
	switch {
	case s.file.Is(i, "{"):
		return s.object(i), s.after(i)
	case s.file.Is(i, "["):
		return s.array(i), s.after(i)
	case s.file.Is(i, "("):
		if body := s.arrowAfter(s.close(i)); body > 0 {
			return s.arrow(i, body)
		}
		v, _ := s.read(i + 1)
		return v, s.after(i)
	case s.file.Is(i, "!") && (s.file.Source(i+1) == "0" || s.file.Source(i+1) == "1"):
		return value{kind: boolean, text: strconv.FormatBool(s.file.Source(i+1) == "0"), at: at}, i + 2
	}
	return s.computed(i), max(s.skip(i), i+1)
}

// template reads a template with substitutions.
func (s *script) template(i int) (value, int) {
	out := value{kind: text, text: chunk(s.file.Source(i)), at: s.position(i)}
	for s.file.Kind(i) == jsscan.TemplatePart && strings.HasSuffix(s.file.Source(i), "${") {
		part, n := s.read(i + 1)
		if s.file.Kind(n) != jsscan.TemplatePart || n <= i {
			return s.computed(i), s.skip(i)
		}
		out = join(out, part)
		out = join(out, value{kind: text, text: chunk(s.file.Source(n))})
		i = n
	}
	return out, i + 1
}

// chunk is the text of a part of a template.
func chunk(source string) string {
	source = strings.TrimLeft(source[:min(1, len(source))], "`}") + source[min(1, len(source)):]
	source = strings.TrimSuffix(strings.TrimSuffix(source, "${"), "`")
	return unescape(source)
}

func (s *script) array(i int) value {
	out := value{kind: list, at: s.position(i)}
	end := s.close(i)
	for i++; i < end; i++ {
		if s.file.Is(i, ",") {
			continue
		}
		spread := s.file.Is(i, "...")
		if spread {
			i++
		}
		part, n := s.read(i)
		switch {
		case !spread:
			out.list = append(out.list, part)
		case part.kind == list:
			out.list = append(out.list, part.list...)
		case part.kind != absent && part.kind != builtins:
			out.list = append(out.list, part)
		}
		i = max(n, i)
	}
	return out
}
