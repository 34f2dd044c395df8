package bundler

import (
	"path"
	"strings"

	"omcbuild/internal/jsscan"
)

// Modules ask whether they are the program that was started, and run only then:
//
//	require.main === module
//	import.meta.main
//	import.meta.url === pathToFileURL(process.argv[1]).href   and its many relatives
//	process.argv[1].endsWith("server.js")
//
// In one file every module would say yes to most of them, and a CommonJS entry, which
// is a function there, no to the first. So all others get no for an answer. The entry
// gets the bundle's path for process.argv[1] when the bundle was started, because the
// path that node was given may be a symbolic link, which is not what a module is told
// about itself, and a yes for its own name.

// asksForProgram reports whether a script may ask that. CommonJS modules of packages
// are not asked for it: each is a function, in which the first question is answered
// rightly.
func asksForProgram(text string) bool {
	for _, mark := range []string{"gv[1]", "quire.main", "dule.parent", "port.meta.main"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return strings.Contains(text, "Module") && strings.Contains(text, "s.mainModule")
}

// programQuestions gives the module in a file of that name its answers.
func programQuestions(f *jsscan.File, file string, entry bool) (edits []edit) {
	var q *questioner
	argv := importsArgv(f)
	for i := range f.Tokens {
		start, end := f.Tokens[i].Start, 0
		switch {
		case f.Is(i-1, "."):
		case f.Is(i+1, ".") && (f.Is(i, "require") && f.Is(i+2, "main") || f.Is(i, "process") && f.Is(i+2, "mainModule")):
			edits = append(edits, requiredMain(f, i, entry)...)
		case f.Is(i, "process") && f.Is(i+2, "argv"):
			edits = append(edits, startedAs(f, i, i+3, file, entry)...)
		case f.Is(i, "argv") && f.Source(i+2) == "1" && argv:
			edits = append(edits, startedAs(f, i, i+1, file, entry)...)
		case entry:
		case f.Is(i, "module") && f.Is(i+1, ".") && f.Is(i+2, "parent") && !f.Is(i+3, "."):
			end = f.Tokens[i+2].End
			edits = append(edits, edit{start, end, "module"})
		case f.Is(i, "import") && f.Is(i+2, "meta") && f.Is(i+4, "main"):
			end = f.Tokens[i+4].End
			edits = append(edits, edit{start, end, "false"})
		default:
			length := comparison(f, i)
			if length == 0 {
				continue
			}
			if q == nil {
				q = newQuestioner(f)
			}
			if q.asks(i, length) {
				edits = append(edits, never(f, i, length))
			}
		}
	}
	return edits
}

// importsArgv reports whether argv is that of node:process.
func importsArgv(f *jsscan.File) bool {
	for i := range f.Tokens {
		if from, constant := f.Literal(i + 2); constant && f.Is(i, "}") && f.Is(i+1, "from") && strings.TrimPrefix(from, "node:") == "process" {
			for j := i - 1; j > 0 && !f.Is(j, "{"); j-- {
				if f.Is(j, "argv") && !f.Is(j+1, "as") {
					return true
				}
			}
		}
	}
	return false
}

// startedAs answers whether process.argv[1], from token i on with the bracket at token
// last, ends in the module's own name, and gives the entry the path of the bundle.
func startedAs(f *jsscan.File, i, last int, file string, entry bool) []edit {
	if f.Is(last, "?") && f.Is(last+1, ".") {
		last += 2
	}
	if !f.Is(last, "[") || f.Source(last+1) != "1" || !f.Is(last+2, "]") {
		return nil
	}
	last += 2
	end := last + 1
	for f.Is(end, "!") || f.Is(end, "?") && f.Is(end+1, ".") {
		end++
	}
	if name, constant := f.Literal(end + 3); constant && f.Is(end, ".") && f.Is(end+1, "endsWith") && f.Is(end+2, "(") && f.Is(end+4, ")") {
		switch {
		case stem(name) != stem(file):
		case entry:
			return []edit{{f.Tokens[i].Start, f.Tokens[end+4].End, metaName + ".main"}}
		default:
			return []edit{{f.Tokens[i].Start, f.Tokens[end+4].End, "false"}}
		}
	}
	if !entry || assigns(f, last+1) {
		return nil
	}
	return []edit{{f.Tokens[i].Start, f.Tokens[last].End, programName}}
}

// assigns reports whether the operator at token i gives a value to what stands before
// it: = or one of ||=, &&=, ??=.
func assigns(f *jsscan.File, i int) bool {
	if f.Is(i, "=") {
		return comparison(f, i) == 0
	}
	return i+2 < len(f.Tokens) && strings.Contains("|&?", f.Source(i)) && f.Is(i+1, f.Source(i)) && f.Is(i+2, "=")
}

// stem is a file's name without folder and ending.
func stem(name string) string {
	return strings.TrimSuffix(path.Base(name), path.Ext(name))
}

// requiredMain answers the comparison of require.main, at token i, with module.
func requiredMain(f *jsscan.File, i int, entry bool) []edit {
	first, last, operator := i, i+2, 0
	switch length := comparison(f, i+3); {
	case length > 0 && f.Is(i+3+length, "module"):
		operator, last = i+3, i+3+length
	case f.Is(i-1, "=") && comparison(f, i-3) == 3 && f.Is(i-4, "module"):
		operator, first = i-3, i-4
	case f.Is(i-1, "=") && comparison(f, i-2) == 2 && f.Is(i-3, "module"):
		operator, first = i-2, i-3
	default:
		return nil
	}
	answer := metaName + ".main"
	if !entry {
		answer = "false"
	}
	if f.Is(operator, "!") {
		answer = "!" + answer
	}
	return []edit{{f.Tokens[first].Start, f.Tokens[last].End, answer}}
}

// comparison returns how many tokens the operator at token i has when it compares
// for equality, and 0 when it does not.
func comparison(f *jsscan.File, i int) int {
	if !f.Is(i, "=") && !f.Is(i, "!") || !joined(f, i) || !f.Is(i+1, "=") {
		return 0
	}
	if i > 0 && joined(f, i-1) && strings.Contains("=!<>", f.Source(i-1)) {
		return 0
	}
	if joined(f, i+1) && f.Is(i+2, "=") {
		return 3
	}
	return 2
}

// joined reports whether nothing stands between token i and the next.
func joined(f *jsscan.File, i int) bool {
	return i >= 0 && i+1 < len(f.Tokens) && f.Tokens[i].End == f.Tokens[i+1].Start
}

// never changes the operator at token i so that two texts never count as equal.
func never(f *jsscan.File, i, length int) edit {
	e := edit{f.Tokens[i].Start, f.Tokens[i+length-1].End, "=== null =="}
	if f.Is(i, "!") {
		e.text = "!== null !="
	}
	return e
}

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
	const ends = "; , & | ? : = => { } return if"
	first, last := q.until(i-1, -1, ends)+1, q.until(i+length, 1, ends)
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
		if f.Is(i, "argv") && f.Is(i+1, "[") && f.Source(i+2) == "1" {
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
