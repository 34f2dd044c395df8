package bundler

import "omcbuild/internal/jsscan"

// In code that was minified, variables of all functions share a handful of names. A
// place is then known by its name only in the function that made it.

// shortName is up to how many characters a name may be one of a minifier's.
const shortName = 2

// scope is the part of a module in which a name stands for a place.
type scope struct {
	functions int // how many function bodies are open around it
	end       int // the first token after it
}

// limit notes where the variable at token i counts.
func (r *reader) limit(i int) {
	name := r.f.Source(i)
	if len(name) > shortName {
		return
	}
	s := scope{functions: r.f.Tokens[i].Functions, end: i}
	for s.end < len(r.f.Tokens) && r.f.Tokens[s.end].Functions >= s.functions {
		s.end++
	}
	r.scopes[name] = s
}

// counts reports whether the name at token i may stand for the place that it was
// given.
func (r *reader) counts(i int) bool {
	s, limited := r.scopes[r.f.Source(i)]
	return !limited || i < s.end && r.f.Tokens[i].Functions == s.functions && !isParameter(r.f, i)
}

// isParameter reports whether token i stands in the parameters of a function.
func isParameter(f *jsscan.File, i int) bool {
	open := i - 1
	for open >= 0 && f.Tokens[open].Parens >= f.Tokens[i].Parens {
		open--
	}
	if open < 0 || !f.Is(open, "(") {
		return f.Is(i+1, "=>")
	}
	end := f.Close(open)
	return end > 0 && (f.Is(end+1, "=>") || f.Is(end+1, "{") && (f.Is(open-1, "function") || f.Is(open-2, "function")))
}

// renamedOf lists what a module imports under another name.
func renamedOf(f *jsscan.File) map[string]string {
	names := map[string]string{}
	for i := range f.Tokens {
		if !f.Is(i, "as") || f.Kind(i-1) != jsscan.Ident || f.Kind(i+1) != jsscan.Ident || !f.Is(i-2, "{") && !f.Is(i-2, ",") {
			continue
		}
		switch there := f.Source(i - 1); there {
		case "fileURLToPath", "dirname", "join", "resolve":
			names[f.Source(i+1)] = there
		}
	}
	return names
}

// called is the name of the function at token i in the module that it comes from.
func (r *reader) called(i int) string {
	name := r.f.Source(i)
	if there, renamed := r.renamed[name]; renamed && !r.f.Is(i-1, ".") {
		return there
	}
	return name
}
