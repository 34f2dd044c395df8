package inspect

import "omcbuild/internal/jsscan"

// declaration notes what a name, or the names of a pattern, are declared as.
// Of "const a = 1, b = 2" only the first is read.
func (s *script) declaration(i int) {
	if s.file.Is(i, "{") {
		end := s.closeNear(i)
		if end < 0 || !s.file.Is(end+1, "=") {
			return
		}
		for j := i + 1; j < end; j++ {
			if s.file.Kind(j) != jsscan.Ident {
				continue
			}
			key, name := s.file.Source(j), s.file.Source(j)
			if s.file.Is(j+1, ":") {
				name = s.file.Source(j + 2)
				j += 2
			}
			s.picked[name] = pick{key, end + 2}
			s.required(name, key, end+2)
		}
		return
	}
	name := s.file.Source(i)
	for j := i + 1; j < min(i+40, len(s.file.Tokens)); j++ { // over a type
		if s.file.Is(j, "=") {
			s.declared[name] = append(s.declared[name], j+1)
			s.required(name, "*", j+1)
			return
		}
		if j == i+1 && !s.file.Is(j, ":") {
			break
		}
	}
	s.unsure[name] = "is set by the program"
}

// required notes a name that stands for require("module").
func (s *script) required(name, key string, i int) {
	if s.file.Is(i, "await") && s.file.Is(i+1, "import") {
		i++
	}
	if (s.file.Is(i, "require") || s.file.Is(i, "import")) && s.file.Is(i+1, "(") {
		if module, ok := s.file.Literal(i + 2); ok {
			s.imported[name] = imported{module, key}
		}
	}
}

// importOf notes the names of an import statement.
func (s *script) importOf(i int) {
	names := map[string]string{} // local name → exported name
	for j := i; j < min(i+200, len(s.file.Tokens)); j++ {
		switch {
		case s.file.Kind(j) == jsscan.String:
			for local, name := range names {
				s.imported[local] = imported{unquote(s.file.Source(j)), name}
			}
			return
		case s.file.Is(j, "*") && s.file.Is(j+1, "as"):
			names[s.file.Source(j+2)] = "*"
			j += 2
		case s.file.Is(j, "from"), s.file.Is(j, "type"), s.file.Is(j, ","), s.file.Is(j, "{"), s.file.Is(j, "}"):
		case s.file.Kind(j) == jsscan.Ident && s.file.Is(j+1, "as"):
			names[s.file.Source(j+2)] = s.file.Source(j)
			j += 2
		case s.file.Kind(j) == jsscan.Ident:
			name := s.file.Source(j)
			if j == i {
				name = "*" // the default export of a CommonJS package is all of it
			}
			names[s.file.Source(j)] = name
		default:
			return
		}
	}
}

// parameters marks the parameters of a function.
func (s *script) parameters(i int) {
	for j := i + 1; j < min(i+4, len(s.file.Tokens)); j++ {
		if s.file.Is(j, "(") {
			s.mark(j, s.closeNear(j))
			return
		}
	}
}

// closeNear is the end of a bracket that is not far away, or -1.
func (s *script) closeNear(i int) int {
	for j := i + 1; j < min(i+400, len(s.file.Tokens)); j++ {
		if s.file.Tokens[j].Parens == s.file.Tokens[i].Parens {
			return j
		}
	}
	return -1
}

func (s *script) arrowParameters(i int) {
	if s.file.Kind(i-1) == jsscan.Ident {
		s.mark(i-2, i)
		return
	}
	for j := i - 1; j >= max(0, i-400); j-- {
		if s.file.Is(j, "(") && s.file.Tokens[j].Parens == s.file.Tokens[i].Parens {
			s.mark(j, i)
			return
		}
		if s.file.Tokens[j].Parens < s.file.Tokens[i].Parens {
			return
		}
	}
}

func (s *script) mark(from, to int) {
	for j := max(from+1, 0); j < to; j++ {
		if s.file.Kind(j) == jsscan.Ident && !s.file.Is(j+1, ":") {
			s.unsure[s.file.Source(j)] = "is a parameter of a function"
		}
	}
}
