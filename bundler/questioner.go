package bundler

import (
	"strings"

	"omcbuild/internal/jsscan"
)

// questioner knows the variables of a module that hold its own path or that of the
// program.
type questioner struct {
	f        *jsscan.File
	selves   map[string]bool
	programs map[string]bool
}

func newQuestioner(f *jsscan.File) *questioner {
	q := &questioner{f: f, selves: map[string]bool{"__filename": true}, programs: map[string]bool{}}
	for i := range f.Tokens {
		name := -1
		if f.Is(i, "process") && f.Is(i-1, "=") && f.Is(i-2, "]") && f.Is(i+2, "argv") {
			if word := secondOf(f, i-2); word > 0 {
				q.programs[f.Source(word)] = true
			}
		}
		if f.Is(i-1, "=") {
			name = declared(f, i)
		}
		if name < 0 {
			continue
		}
		end := q.until(i, 1, ";")
		switch {
		case q.program(i, end):
			q.programs[f.Source(name)] = true
		case q.self(i, end) && !q.mentions(i, end, "dirname", "join", "resolve", "URL", "createRequire"):
			q.selves[f.Source(name)] = true
		}
	}
	return q
}

// asks reports whether the operator at token i compares the module's path with the
// program's.
func (q *questioner) asks(i, length int) bool {
	first, last := q.operands(i)
	return q.self(first, i) && q.program(i+length, last) || q.program(first, i) && q.self(i+length, last)
}

// until goes from token i, forwards or backwards, to the first that is outside its
// brackets, one of the ends, or the start of another line's statement.
func (q *questioner) until(i, step int, ends string) int {
	f := q.f
	if i < 0 || i >= len(f.Tokens) {
		return i
	}
	depth := f.Tokens[i].Parens
	for j := i; ; j += step {
		switch {
		case j < 0 || j >= len(f.Tokens) || f.Tokens[j].Parens < depth:
			return j
		case f.Tokens[j].Parens > depth:
		case f.Kind(j) == jsscan.String || f.Kind(j) == jsscan.TemplatePart:
		case f.Is(j, "?") && f.Is(j+1, "."):
		case strings.Contains(" "+ends+" ", " "+f.Source(j)+" "):
			return j
		case step > 0 && j > i && f.Kind(j) == jsscan.Ident && endsExpression(f, j-1) &&
			strings.Contains(f.Text[f.Tokens[j-1].End:f.Tokens[j].Start], "\n"):
			return j
		}
	}
}

// endsExpression reports whether an expression may end with token i.
func endsExpression(f *jsscan.File, i int) bool {
	return f.Kind(i) != jsscan.Punct || f.Is(i, ")") || f.Is(i, "]")
}

// self reports whether tokens from up to end tell the module's own path.
func (q *questioner) self(from, end int) bool {
	f := q.f
	for i := max(from, 0); i < end; i++ {
		if f.Is(i-1, ".") {
			continue
		}
		if f.Kind(i) == jsscan.Ident && q.selves[f.Source(i)] {
			return true
		}
		if f.Is(i, "import") && f.Is(i+2, "meta") && (f.Is(i+4, "url") || f.Is(i+4, "filename")) {
			return true
		}
	}
	return false
}

// program reports whether tokens from up to end tell the path of the program.
func (q *questioner) program(from, end int) bool {
	f := q.f
	for i := max(from, 0); i < end; i++ {
		if f.Is(i, "argv") && second(f, i) > 0 {
			return true
		}
		if f.Kind(i) == jsscan.Ident && q.programs[f.Source(i)] && !f.Is(i-1, ".") {
			return true
		}
	}
	return false
}

// mentions reports whether one of the words stands among tokens from up to end.
func (q *questioner) mentions(from, end int, words ...string) bool {
	for i := from; i < end; i++ {
		for _, word := range words {
			if q.f.Is(i, word) {
				return true
			}
		}
	}
	return false
}
