package surface

import (
	"cmp"
	"io"
	"os"
	"strings"

	"omcbuild/internal/project"
)

// maxSourceFile is the largest source file in which a line is looked for.
const maxSourceFile = 4 << 20

// Locate fills in the lines of the tools, from the files below folder. Whatever cannot
// be read or found gets line 0.
func (s *Source) Locate(folder string) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return
	}
	defer root.Close()
	texts, times := map[string][]literal{}, map[[2]string]int{}
	fill := func(tool *SourceTool) {
		literals, known := texts[tool.File]
		if !known {
			literals = literalsOf(readText(root, tool.File))
			texts[tool.File] = literals
		}
		tool.Line = lineOfName(literals, tool.Name, times[[2]string{tool.File, tool.Name}])
		times[[2]string{tool.File, tool.Name}]++
	}
	for i := range s.Tools {
		fill(&s.Tools[i])
	}
	for i := range s.Hidden {
		fill(&s.Hidden[i])
	}
}

func readText(root *os.Root, file string) string {
	handle, err := project.OpenRegular(root, file)
	if err != nil {
		return ""
	}
	defer handle.Close()
	data, err := io.ReadAll(io.LimitReader(handle, maxSourceFile))
	if err != nil {
		return ""
	}
	return string(data)
}

// literal is a quoted string of a source file.
type literal struct {
	text  string
	line  int
	named bool // stands after "name:"
}

// lineOfName returns the line of the literal that most likely names the tool:
// the first that is the value of a member "name", else the first at all. Of a name
// that is given several times in a file, before is how many tools had it so far.
func lineOfName(literals []literal, name string, before int) int {
	first, line := 0, 0
	for _, l := range literals {
		if l.text != name {
			continue
		}
		if l.named {
			if line = l.line; before == 0 {
				return line
			}
			before--
		}
		if first == 0 {
			first = l.line
		}
	}
	return cmp.Or(line, first)
}

// literalsOf returns the strings and plain templates of TypeScript source, those
// in comments and regular expressions left out.
func literalsOf(text string) []literal {
	s := scanner{text: text, line: 1}
	for s.at < len(s.text) {
		s.step()
	}
	return s.found
}

// scanner walks over source text. It knows just enough of the language not to
// mistake the inside of a comment or regular expression for code.
type scanner struct {
	text  string
	at    int
	line  int
	found []literal
	last  byte   // last byte of code that is no white space; 0 at the start
	tail  string // code since the last literal, for recognising "name:"
}

func (s *scanner) step() {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"):
		s.skip(until(rest, "\n"))
	case strings.HasPrefix(rest, "/*"):
		s.skip(2 + until(rest[2:], "*/") + 2)
	case c == '"' || c == '\'' || c == '`':
		s.quoted(c)
	case c == '/' && s.beginsRegex():
		s.skip(regexLength(rest))
		s.last = '/'
	default:
		if strings.IndexByte(" \t\r\n", c) < 0 {
			s.last = c
			s.tail = s.tail[max(0, len(s.tail)-8):] + string(c)
		}
		s.skip(1)
	}
}

// skip moves on by n bytes and counts lines.
func (s *scanner) skip(n int) {
	n = min(n, len(s.text)-s.at)
	s.line += strings.Count(s.text[s.at:s.at+n], "\n")
	s.at += n
}

func until(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i
	}
	return len(text)
}

// quoted reads a string or template; a string ends at the end of its line at the
// latest, so that a stray quote does no harm.
func (s *scanner) quoted(quote byte) {
	start := s.at + 1
	end := start
	for end < len(s.text) && s.text[end] != quote {
		if s.text[end] == '\n' && quote != '`' {
			break
		}
		if s.text[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(s.text))
	s.found = append(s.found, literal{s.text[start:end], s.line, strings.HasSuffix(s.tail, "name:")})
	s.skip(end + 1 - s.at)
	s.last, s.tail = quote, ""
	if s.found[len(s.found)-1].text == "name" {
		s.tail = "name" // a quoted member name
	}
}

// beginsRegex guesses from what stands before a slash whether it begins a
// regular expression.
func (s *scanner) beginsRegex() bool {
	return s.last == 0 || strings.IndexByte("(,=:[!&|?{};+-*%^~<>", s.last) >= 0 || strings.HasSuffix(s.tail, "return")
}

// regexLength returns the length of the regular expression at the start of text.
func regexLength(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return i
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	return len(text)
}
