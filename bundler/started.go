package bundler

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// The question whether a module is the program has rarer forms:
//
//	Object.is(require.main, module), const { main } = import.meta, isMain(import.meta)
//	process.argv.at(1), process.argv.slice(1)[0], const [, script] = process.argv
//	import.meta.url.endsWith(process.argv[1]), process.argv.includes(__filename)
//	/server\.[jt]s$/.test(process.argv[1]), basename(process.argv[1]) === "server.js"

// answer is what a module is told that asks whether it is the program.
func answer(entry bool) string {
	if entry {
		return metaName + ".main"
	}
	return "false"
}

// member returns the last token of .name or ["name"] behind token i, or -1.
func member(f *jsscan.File, i int, name string) int {
	if f.Is(i+1, ".") && f.Is(i+2, name) {
		return i + 2
	}
	if text, constant := f.Literal(i + 2); constant && text == name && f.Is(i+1, "[") && f.Is(i+3, "]") {
		return i + 3
	}
	return -1
}

// second returns the last token of what takes the second of the list at token i, as in
// argv[1], or -1.
func second(f *jsscan.File, i int) int {
	switch {
	case f.Is(i+1, "[") && f.Source(i+2) == "1" && f.Is(i+3, "]"):
		return i + 3
	case f.Is(i+1, ".") && f.Is(i+2, "at") && f.Is(i+3, "(") && f.Source(i+4) == "1" && f.Is(i+5, ")"):
		return i + 5
	case f.Is(i+1, ".") && f.Is(i+2, "slice") && f.Is(i+3, "(") && f.Source(i+4) == "1" && f.Is(i+5, ")") &&
		f.Is(i+6, "[") && f.Source(i+7) == "0" && f.Is(i+8, "]"):
		return i + 8
	}
	return -1
}

// secondOf returns the second name of const [node, script] = …, whose bracket closes
// at a token, or -1.
func secondOf(f *jsscan.File, closes int) int {
	for i := closes - 1; i > 0 && i > closes-20; i-- {
		switch {
		case !f.Is(i, "["):
		case f.Is(i+1, ",") && f.Kind(i+2) == jsscan.Ident:
			return i + 2
		case f.Is(i+2, ",") && f.Kind(i+3) == jsscan.Ident:
			return i + 3
		default:
			return -1
		}
	}
	return -1
}

// isObjectIs reports whether Object.is( begins at token i.
func isObjectIs(f *jsscan.File, i int) bool {
	return f.Is(i, "Object") && f.Is(i+1, ".") && f.Is(i+2, "is") && f.Is(i+3, "(")
}

// handsOnMain reports whether main is taken from the import.meta at token i, which is
// put into a variable as a whole.
func handsOnMain(f *jsscan.File, i int) bool {
	if f.Is(i+3, ".") || f.Is(i+3, "[") {
		return false
	}
	if f.Is(i-1, "=") && f.Is(i-2, "}") {
		for j := i - 3; j > 0 && !f.Is(j, "{"); j-- {
			if f.Is(j, "main") && !f.Is(j-1, ":") {
				return true
			}
		}
		return false
	}
	name := declared(f, i)
	if name < 0 {
		return false
	}
	for j := range f.Tokens {
		if f.Is(j, f.Source(name)) && member(f, j, "main") > 0 && !f.Is(j-1, ".") {
			return true
		}
	}
	return false
}

// isAsker reports whether a function of that name answers whether a module is the
// program.
func isAsker(name string) bool {
	for _, start := range []string{"isMain", "esMain", "isEntry", "isDirect"} {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// askersOf returns the names under which packages that answer it are imported.
func askersOf(f *jsscan.File) map[string]bool {
	names := map[string]bool{}
	for i := range f.Tokens {
		if from, constant := f.Literal(i + 2); constant && f.Is(i+1, "from") && from == "es-main" {
			names[f.Source(i)] = true
		}
	}
	return names
}

// asked answers a call of such a function, whose name is token i, for this module.
func (q *questioner) asked(i int) []edit {
	f := q.f
	if !f.Is(i+1, "(") || f.Is(i-1, "function") {
		return nil
	}
	end := f.Close(i + 1)
	if end < 0 || f.Is(end+1, ".") || f.Is(end+1, "{") || f.Is(end+1, ":") || !q.self(i+2, end) && !q.whole(i+2, end) {
		return nil
	}
	return []edit{{f.Tokens[i].Start, f.Tokens[end].End, "false"}}
}

// whole reports whether tokens from up to end hand on import.meta itself.
func (q *questioner) whole(from, end int) bool {
	f := q.f
	for i := from; i < end; i++ {
		if f.Is(i, "import") && f.Is(i+2, "meta") && !f.Is(i+3, ".") && !f.Is(i+3, "[") {
			return true
		}
	}
	return false
}

// within answers whether one of the two paths is, or ends in, the other: the method is
// token i.
func (q *questioner) within(i int) []edit {
	f := q.f
	if !f.Is(i, "endsWith") && !f.Is(i, "startsWith") && !f.Is(i, "includes") || !f.Is(i+1, "(") {
		return nil
	}
	start, end := chainStart(f, i), f.Close(i+1)
	if end < 0 {
		return nil
	}
	listed := f.Is(i-2, "argv") && q.self(i+2, end)
	if listed || q.self(start, i) && q.program(i+2, end) || q.program(start, i) && q.self(i+2, end) {
		return []edit{{f.Tokens[start].Start, f.Tokens[end].End, "false"}}
	}
	return nil
}

// matches answers whether the program's path matches the regular expression at token i,
// when that is made for the module's own name.
func (q *questioner) matches(i int, file string, entry bool) []edit {
	f := q.f
	if !f.Is(i+1, ".") || !f.Is(i+2, "test") || !f.Is(i+3, "(") {
		return nil
	}
	end := f.Close(i + 3)
	source := f.Source(i)
	last := strings.LastIndexByte(source, '/')
	if end < 0 || last < 1 || !q.program(i+4, end) {
		return nil
	}
	pattern, err := regexp.Compile(strings.ReplaceAll(source[1:last], `\/`, "/"))
	if err != nil || pattern.MatchString("/zzz/zzz.js") || pattern.MatchString("/zzz/zzz.ts") {
		return nil
	}
	if name := "/zzz/" + stem(file); !pattern.MatchString(name+".js") && !pattern.MatchString(name+".ts") && !pattern.MatchString(name+".mjs") {
		return nil
	}
	return []edit{{f.Tokens[i].Start, f.Tokens[end].End, answer(entry)}}
}

// operands are the ends of what the operator at token i compares.
func (q *questioner) operands(i int) (first, last int) {
	const ends = "; , & | ? : = => { } return if"
	return q.until(i-1, -1, ends) + 1, q.until(i+comparison(q.f, i), 1, ends)
}

// named reports whether the operator at token i compares the name of the program's file
// with the module's own.
func (q *questioner) named(i int, file string) bool {
	first, last := q.operands(i)
	right := i + comparison(q.f, i)
	from, to, text := first, i, right
	if last != right+1 {
		from, to, text = right, last, first
		if i != first+1 {
			return false
		}
	}
	name, constant := q.f.Literal(text)
	return constant && stem(name) == stem(file) && q.program(from, to) && q.mentions(from, to, "basename", "parse", "pop")
}

// byName answers that comparison.
func (q *questioner) byName(i int, entry bool) edit {
	first, last := q.operands(i)
	text := answer(entry)
	if q.f.Is(i, "!") {
		text = "!" + text
	}
	return edit{q.f.Tokens[first].Start, q.f.Tokens[last-1].End, text}
}

// openQuestions reports calls in a module that is not the entry that seem to ask whether
// it is the program, in a way that is not answered: in the bundle they may hear yes.
func (b *build) openQuestions(file string, f *jsscan.File, answered []edit) (list diag.List) {
	if file == b.entry || inPackage(file) {
		return nil
	}
	q := newQuestioner(f)
	inner := len(f.Tokens)
	for i := len(f.Tokens) - 1; i >= 0; i-- {
		if f.Kind(i) != jsscan.Ident || !f.Is(i+1, "(") || strings.Contains(" if while for switch function catch ", " "+f.Source(i)+" ") || f.Is(i-1, "function") {
			continue
		}
		end := f.Close(i + 1)
		if end < 0 || inner < end || q.mentions(i+2, end, "=>", "{", "function") {
			continue
		}
		name := strings.ToLower(f.Source(i))
		asks := q.self(i+2, end) && q.program(i+2, end) || strings.Contains(name, "main") && q.whole(i+2, end)
		start, stop := f.Tokens[i].Start, f.Tokens[end].End
		if !asks || slices.ContainsFunc(answered, func(e edit) bool { return e.start < stop && start < e.end }) {
			continue
		}
		inner = i
		list = append(list, diag.Diagnostic{Code: "program-question", Level: diag.Warning, Position: b.at(filepath.Clean(file), f.Text, start),
			Message: f.Source(i) + " is asked whether this module is the program, and in the bundle it may say yes in a module that is only imported",
			Hint:    "compare import.meta.url with pathToFileURL(process.argv[1]).href, or start the program in the entry alone"})
	}
	slices.Reverse(list)
	return list
}
