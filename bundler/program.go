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

// mayAskForProgram reports whether a script of the project that requires may ask it in
// a rarer form.
func mayAskForProgram(text string) bool {
	return strings.Contains(text, "main") && strings.Contains(text, "module")
}

// programQuestions gives the module in a file of that name its answers.
func programQuestions(f *jsscan.File, file string, entry bool) (edits []edit) {
	q := newQuestioner(f)
	argv := importsArgv(f)
	askers := askersOf(f)
	for i := range f.Tokens {
		start, end := f.Tokens[i].Start, 0
		switch {
		case f.Kind(i) == jsscan.Regex:
			edits = append(edits, q.matches(i, file, entry)...)
		case f.Is(i-1, "."):
			if !entry {
				edits = append(edits, q.within(i)...)
			}
		case f.Is(i, "require") && member(f, i, "main") > 0:
			edits = append(edits, requiredMain(f, i, member(f, i, "main"), entry)...)
		case f.Is(i, "process") && member(f, i, "mainModule") > 0:
			edits = append(edits, requiredMain(f, i, member(f, i, "mainModule"), entry)...)
		case f.Is(i, "process") && f.Is(i+2, "argv"):
			edits = append(edits, startedAs(f, i, i+2, file, entry)...)
		case f.Is(i, "argv") && argv:
			edits = append(edits, startedAs(f, i, i, file, entry)...)
		case comparison(f, i) > 0 && q.named(i, file):
			edits = append(edits, q.byName(i, entry))
		case entry:
		case askers[f.Source(i)] || isAsker(f.Source(i)):
			edits = append(edits, q.asked(i)...)
		case f.Is(i, "module") && f.Is(i+1, ".") && f.Is(i+2, "parent") && !f.Is(i+3, "."):
			end = f.Tokens[i+2].End
			edits = append(edits, edit{start, end, "module"})
		case f.Is(i, "import") && f.Is(i+2, "meta") && member(f, i+2, "main") > 0:
			end = f.Tokens[member(f, i+2, "main")].End
			edits = append(edits, edit{start, end, "false"})
		case f.Is(i, "import") && f.Is(i+2, "meta") && handsOnMain(f, i):
			end = f.Tokens[i+2].End
			edits = append(edits, edit{start, end, "{ ...import.meta, main: false }"})
		default:
			length := comparison(f, i)
			if length == 0 {
				continue
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

// startedAs answers whether process.argv[1], from token i on with the word argv at token
// word, ends in the module's own name, and gives the entry the path of the bundle.
func startedAs(f *jsscan.File, i, word int, file string, entry bool) []edit {
	last := second(f, word)
	if last < 0 {
		return nil
	}
	asks := f.Is(last+2, "endsWith") || f.Is(last+2, "includes")
	if name, constant := f.Literal(last + 4); constant && f.Is(last+1, ".") && asks && f.Is(last+3, "(") && f.Is(last+5, ")") {
		if stem(name) == stem(file) {
			return []edit{{f.Tokens[i].Start, f.Tokens[last+5].End, answer(entry)}}
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

// requiredMain answers the comparison of require.main, from token i to last, with module.
func requiredMain(f *jsscan.File, i, last int, entry bool) []edit {
	first, operator := i, 0
	switch length := comparison(f, last+1); {
	case length > 0 && f.Is(last+1+length, "module"):
		operator, last = last+1, last+1+length
	case f.Is(i-1, "=") && comparison(f, i-3) == 3 && f.Is(i-4, "module"):
		operator, first = i-3, i-4
	case f.Is(i-1, "=") && comparison(f, i-2) == 2 && f.Is(i-3, "module"):
		operator, first = i-2, i-3
	case isObjectIs(f, i-4) && f.Is(last+1, ",") && f.Is(last+2, "module") && f.Is(last+3, ")"):
		operator, first, last = i-4, i-4, last+3
	case isObjectIs(f, i-6) && f.Is(i-2, "module") && f.Is(i-1, ",") && f.Is(last+1, ")"):
		operator, first, last = i-6, i-6, last+1
	default:
		return nil
	}
	text := answer(entry)
	if f.Is(operator, "!") {
		text = "!" + text
	}
	return []edit{{f.Tokens[first].Start, f.Tokens[last].End, text}}
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
