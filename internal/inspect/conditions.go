package inspect

import (
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
)

// reach says whether a call of a build script is made each time.
type reach uint8

const (
	always    reach = iota
	sometimes       // under a condition, of which nothing is known
	never           // in a function that nothing names
)

// reachOf tells how the code at a token is reached: by the conditions around it
// and, in a function with a name, around all calls of that.
func (s *script) reachOf(i int) reach {
	if s.conditional(i) {
		return sometimes
	}
	r, ok := s.around(i)
	if !ok || r.name == "" {
		return always
	}
	if known, ok := s.reached[r.from]; ok {
		return known
	}
	s.reached[r.from] = never // of calls of itself
	calls := s.callsOf(r)
	out := never
	if len(calls) == 0 && s.namedTwice(r.name) {
		out = always
	}
	for _, call := range calls {
		out = min(out, s.reachOf(call))
	}
	s.reached[r.from] = out
	return out
}

// namedTwice reports whether a function is named elsewhere than where it is
// declared, as where it is exported or passed on.
func (s *script) namedTwice(name string) bool {
	n := 0
	for i := range s.file.Tokens {
		if s.file.Is(i, name) {
			n++
		}
	}
	return n > 1
}

// maxStatement bounds the tokens of a statement that are looked back over.
const maxStatement = 400

// conditional reports whether if, else, switch, catch, ?, && or || decides
// whether a token is reached, within its function and around it.
func (s *script) conditional(i int) bool {
	for hops := 0; i > 0 && hops < 200 && s.repo.work.spend(costOfStatement) == nil; hops++ {
		if s.decided(i) {
			return true
		}
		i = s.index.parent[i]
	}
	return false
}

// decided looks back from a token to where its statement begins.
func (s *script) decided(i int) bool {
	for j := i - 1; j > max(s.index.parent[i], i-maxStatement); j-- {
		source := s.file.Source(j)
		if s.file.Kind(j) == jsscan.Ident && source == "else" || s.file.Kind(j) == jsscan.Ident && source == "case" {
			return true
		}
		open := s.opens(j)
		if source == ")" && open > 0 && !s.file.Is(open-2, ".") && slices.Contains([]string{"if", "while", "switch", "catch"}, s.file.Source(open-1)) {
			return true
		}
		switch {
		case source == ";" || source == "}" || s.breaks(j):
			return false
		case open >= 0:
			j = open
		case s.file.Is(j, "&") && s.file.Is(j-1, "&"), s.file.Is(j, "|") && s.file.Is(j-1, "|"), s.file.Is(j, "?") && !s.file.Is(j+1, "."):
			return true
		}
	}
	return false
}

// breaks reports whether a statement ends after a token at the end of a line,
// without a semicolon.
func (s *script) breaks(j int) bool {
	goesOn := func(i int) bool { return s.file.Kind(i) == jsscan.Punct && !strings.Contains(")]}", s.file.Source(i)) }
	return s.position(j).Line != s.position(j+1).Line && !goesOn(j) && (!goesOn(j+1) || s.file.Is(j+1, "(") || s.file.Is(j+1, "[") || s.file.Is(j+1, "{"))
}

// compare settles what two calls say of one file. What they agree on is taken;
// of different sources the one counts that is made each time. It reports
// whether the output of the later build is kept.
func (p *plan) compare(before, b *build, was, o output) bool {
	if before.reach == always && b.reach == always {
		return was.entry != o.entry
	}
	if was.entry == o.entry {
		for _, pair := range [][2][]setting{{before.define, b.define}, {before.external, b.external}, {before.loader, b.loader}} {
			if !slices.EqualFunc(pair[0], pair[1], func(x, y setting) bool { return x.name == y.name && x.value == y.value }) {
				p.repo.leave(b.tool+": options for "+o.file, b.from, "two calls make it, under a condition, and differ; those of the first are taken")
			}
		}
		before.agreed = true
		return false
	}
	why := "it makes " + o.file + " under a condition, and another call makes that of another source; the one that is made each time is taken"
	switch {
	case b.reach == always:
		before.outputs = slices.DeleteFunc(before.outputs, func(x output) bool { return x == was })
		p.repo.leave(before.tool+": "+was.entry, before.from, why)
		return true
	case before.reach != always:
		before.outputs = slices.DeleteFunc(before.outputs, func(x output) bool { return x == was })
		p.contested[stem(o.file)] = true
		why = "it makes " + o.file + " under a condition, and so does another call of another source; name the entry by hand"
		p.repo.leave(before.tool+": "+was.entry, before.from, why)
	}
	p.repo.leave(b.tool+": "+o.entry, b.from, why)
	return false
}

// noteConditions names the builds that are made under a condition alone.
func (p *plan) noteConditions() {
	for _, b := range p.builds {
		if b.reach == sometimes && !b.agreed && len(b.outputs) > 0 {
			p.repo.leave(b.tool, b.from, "the call stands under a condition; it is taken as if that held")
		}
	}
}
