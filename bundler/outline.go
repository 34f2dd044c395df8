package bundler

import (
	"fmt"
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
)

// body is the inside of a function's braces, from after the first to before the last.
type body struct{ start, end int }

// bodies returns the function bodies of a script that lie within no other function, in
// order. Functions without braces are left out, and so are braces that may stand for
// a type.
func bodies(text string) (list []body, ok bool) {
	f, ok := jsscan.Scan(text)
	if !ok {
		return nil, false
	}
	for i, t := range f.Tokens {
		if t.Functions > 0 || !f.Is(i, "{") || i+1 == len(f.Tokens) || f.Tokens[i+1].Functions != 1 || beginsType(f, i+1) {
			continue
		}
		end := f.Close(i)
		if end < 0 {
			return nil, false
		}
		list = append(list, body{t.End, f.Tokens[end].Start})
	}
	return list, true
}

// beginsType reports whether token i, the first within braces, begins a member of a type.
func beginsType(f *jsscan.File, i int) bool {
	switch {
	case f.Is(i, "readonly"):
		i++
	case f.Is(i, "["):
		return f.Kind(i+1) == jsscan.Ident && f.Is(i+2, ":")
	}
	if f.Is(i+1, "?") {
		i++
	}
	return f.Is(i+1, ":")
}

// mark makes every function of bodies call the function name, first of all, with the
// file and the number of the body. Lines keep their numbers.
func mark(text, file, name string) (string, bool) {
	list, ok := bodies(text)
	if !ok || len(list) == 0 {
		return text, false
	}
	var edits []edit
	for number, b := range list {
		edits = append(edits, edit{b.start, b.start, fmt.Sprintf("%s(%q,%d);", name, file, number)})
	}
	return apply(text, edits), true
}

// Outline returns what of a script of the project can have a say in what it is once it
// has been imported: all but the insides of functions that did not run until then. ran
// are the numbers of those that did, as Options.MarkAs was told. Two texts of one outline
// import alike, as long as all that they import does. It reports false for a script that
// cannot be read well enough.
func Outline(text string, ran []int) (outline string, ok bool) {
	text = strings.TrimPrefix(text, string(byteOrderMark))
	list, ok := bodies(text)
	if !ok {
		return "", false
	}
	var out strings.Builder
	from := 0
	for number, b := range list {
		if !slices.Contains(ran, number) {
			out.WriteString(text[from:b.start])
			from = b.end
		}
	}
	out.WriteString(text[from:])
	return out.String() + reveal(text, "_"), true // what is revealed depends on what functions use
}
