package bundler

import (
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
)

// returned is a place that a function without parameters gives back:
//
//	const here = () => dirname(fileURLToPath(import.meta.url));
//	function root() { return join(here(), ".."); }
type returned struct {
	p    place
	name int // the token of the function's name
	body int // the brace that opens its body, -1 for an arrow function's expression
}

// result finds the function that returns the expression at token i.
func result(f *jsscan.File, i int) (fn returned, ok bool) {
	switch {
	case f.Is(i-1, "=>"):
		fn = returned{body: -1, name: heading(f, i-1)}
	case f.Is(i-1, "return"):
		if fn.body = bodyAround(f, i); fn.body < 0 {
			return fn, false
		}
		end := fn.body
		if f.Is(end-1, "=>") {
			end--
		}
		fn.name = heading(f, end)
	default:
		return fn, false
	}
	return fn, fn.name >= 0
}

// maxBody is how many tokens a function may have that only returns a folder.
const maxBody = 1000

// bodyAround returns the brace that opens the body of the function around token i, or -1.
func bodyAround(f *jsscan.File, i int) int {
	for j := i - 1; j >= 0 && j > i-maxBody; j-- {
		if f.Is(j, "{") && f.Tokens[j].Functions < f.Tokens[i].Functions && f.Tokens[j].Parens < f.Tokens[i].Parens {
			return j
		}
	}
	return -1
}

// heading returns the name of the function without parameters whose heading ends
// before token end, or -1.
func heading(f *jsscan.File, end int) int {
	last := end - 1
	if f.Kind(last) == jsscan.Ident && f.Is(last-1, ":") { // its type
		last -= 2
	}
	if !f.Is(last, ")") || !f.Is(last-1, "(") {
		return -1
	}
	switch first := last - 1; {
	case f.Is(first-2, "function") && f.Kind(first-1) == jsscan.Ident:
		return first - 1
	case f.Is(first-1, "function"):
		return declared(f, first-1)
	default:
		return declared(f, first)
	}
}

// beginning returns the token at which the expression begins that takes the place at
// token i in one of its ways to the same folder:
//
//	typeof __dirname !== "undefined" ? __dirname : dirname(fileURLToPath(import.meta.url))
//	import.meta.dirname ?? dirname(fileURLToPath(import.meta.url))
func beginning(f *jsscan.File, i int) int {
	if !f.Is(i-1, ":") && !f.Is(i-1, "?") && !f.Is(i-1, "|") {
		return i
	}
	depth := f.Tokens[i].Parens
	for j := i - 1; j >= 0 && f.Tokens[j].Parens >= depth && !f.Is(j, ";") && !f.Is(j, "{"); j-- {
		begins := f.Is(j-1, "return") || f.Is(j-1, "=>") || f.Is(j-1, "=") && declared(f, j) >= 0
		if f.Tokens[j].Parens > depth || !begins {
			continue
		}
		system := f.Kind(j+1) == jsscan.Ident && strings.Contains(moduleWords, " "+f.Source(j+1)+" ")
		if f.Is(j, "typeof") && system || f.Is(j, "import") && f.Is(j+4, "dirname") {
			return j
		}
		return i
	}
	return i
}

// moduleWords are the names by which code tells the two kinds of modules apart.
const moduleWords = " __dirname __filename require module exports import "

// agreed returns the functions that may stand for a folder: each of their returns
// gives the same one, and they are called and nothing else.
func agreed(f *jsscan.File, list []returned) map[string]string {
	functions := map[string]string{}
	for _, fn := range list {
		same := slices.DeleteFunc(slices.Clone(list), func(other returned) bool { return other.name != fn.name || other.p.rel != fn.p.rel })
		if fn.body >= 0 && returns(f, fn.body) > len(same) || !onlyCalled(f, fn.name) {
			continue
		}
		functions[f.Source(fn.name)] = fn.p.rel
	}
	return functions
}

// returns counts the returns of the function whose body opens at a brace. What stands
// in a catch block is not reached when a folder is found.
func returns(f *jsscan.File, body int) (count int) {
	end := f.Close(body)
	for i := body; i < end; i++ {
		switch {
		case f.Is(i, "{") && (f.Is(i-1, "catch") || f.Is(i-1, ")") && f.Is(i-3, "(") && f.Is(i-4, "catch")):
			i = max(i, f.Close(i))
		case f.Is(i, "return") && f.Tokens[i].Functions == f.Tokens[body].Functions+1:
			count++
		}
	}
	return count
}

// onlyCalled reports whether the function with its name at a token is not exported and
// nowhere handed on.
func onlyCalled(f *jsscan.File, name int) bool {
	text := f.Source(name)
	for i := range f.Tokens {
		if !f.Is(i, text) || f.Is(i-1, ".") {
			continue
		}
		if i == name && (f.Is(i-2, "export") || f.Is(i-3, "export") || f.Is(i-2, "default")) {
			return false
		}
		if i != name && (f.Is(i-1, "function") || !f.Is(i+1, "(") || !f.Is(i+2, ")")) {
			return false
		}
	}
	return true
}
