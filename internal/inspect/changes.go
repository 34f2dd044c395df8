package inspect

import (
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
)

// changers are the methods that change what they are called on.
var changers = []string{"push", "unshift", "splice", "pop", "shift", "sort", "reverse", "fill", "copyWithin", "set", "add", "delete", "clear"}

// assigners are the functions of Object and Reflect that change their first
// argument.
var assigners = []string{"assign", "defineProperty", "defineProperties", "setPrototypeOf", "set", "deleteProperty"}

// changed notes what an expression that begins with a name changes: the name
// itself, or a member of its value.
func (s *script) changed(i int) {
	if s.file.Is(i-1, "const") || s.file.Is(i-1, "let") || s.file.Is(i-1, "var") {
		return
	}
	if (s.file.Is(i, "Object") || s.file.Is(i, "Reflect")) && s.file.Is(i+1, ".") && s.file.Is(i+3, "(") && slices.Contains(assigners, s.file.Source(i+2)) {
		if s.file.Kind(i+4) == jsscan.Ident {
			members, _ := s.chain(i + 4)
			s.alter(i+4, members)
		}
		return
	}
	members, end := s.chain(i)
	switch last := len(members) - 1; {
	case s.file.Is(i-1, ":") && len(members) == 0: // a type's default, never a variable
	case s.file.Is(i-1, "delete"), s.file.Is(i-1, "++"), s.file.Is(i-1, "--"), s.assigns(end):
		s.alter(i, members)
	case last >= 0 && s.file.Is(end, "(") && slices.Contains(changers, members[last]):
		s.alter(i, members[:last])
	case len(members) == 0 && s.file.Is(i-1, "(") && s.file.Is(i-2, "for") && (s.file.Is(end, "of") || s.file.Is(end, "in")):
		s.alter(i, nil)
	}
}

// chain reads the members behind a name, "" for one that is computed, and
// returns the token after them.
func (s *script) chain(i int) (members []string, end int) {
	for n := i + 1; ; {
		switch {
		case s.file.Is(n, "!") && !s.file.Is(n+1, "="):
			n++
		case s.file.Is(n, "?") && s.file.Is(n+1, ".") && s.file.Is(n+2, "["):
			n += 2
		case s.file.Is(n, "?") && s.file.Is(n+1, "."):
			n++
		case s.file.Is(n, ".") && s.file.Kind(n+1) == jsscan.Ident:
			members, n = append(members, s.file.Source(n+1)), n+2
		case s.file.Is(n, "[") && s.close(n) > n:
			key := ""
			if s.file.Kind(n+1) == jsscan.String && s.close(n) == n+2 {
				key = unquote(s.file.Source(n + 1))
			}
			members, n = append(members, key), s.close(n)+1
		default:
			return members, n
		}
	}
}

// assigns reports whether an assignment stands at a token: =, +=, &&=, ++ and
// the like.
func (s *script) assigns(i int) bool {
	switch {
	case s.file.Is(i, "="):
		return !s.file.Is(i+1, "=")
	case s.file.Is(i, "++"), s.file.Is(i, "--"):
		return true
	case i >= len(s.file.Tokens) || s.file.Kind(i) != jsscan.Punct || !strings.Contains("+-*/%&|^?<>", s.file.Source(i)):
		return false
	}
	n := i + 1
	for n < i+3 && s.file.Is(n, s.file.Source(i)) {
		n++
	}
	compares := n == i+1 && strings.Contains("<>", s.file.Source(i))
	return s.file.Is(n, "=") && !s.file.Is(n+1, "=") && !compares
}

// alter notes that a member of a name's value is changed, or all of it.
func (s *script) alter(i int, members []string) {
	name := s.file.Source(i)
	if len(members) == 0 || members[0] == "" || len(s.altered[name]) >= 100 {
		s.unsure[name] = "is changed by the program"
		return
	}
	s.altered[name] = append(s.altered[name], members[0])
}

// reassigned notes the names of a pattern that is assigned to: [a] = …, and
// ({ a } = …).
func (s *script) reassigned(end int) {
	open := s.opens(end)
	if open < 0 || !s.file.Is(end+1, "=") || s.file.Is(end+2, "=") {
		return
	}
	before := s.file.Source(open - 1)
	if s.file.Kind(open-1) == jsscan.Ident || before != "" && !strings.Contains(";{}(,=", before) {
		return // a declaration, a type or a member
	}
	for j := open + 1; j < min(end, open+maxHead); j++ {
		if s.file.Kind(j) == jsscan.Ident && !s.file.Is(j+1, ":") {
			s.unsure[s.file.Source(j)] = "is changed by the program"
		}
	}
}
