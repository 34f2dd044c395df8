package bundler

import (
	"slices"
	"strings"

	"omcbuild/internal/jsscan"
)

// Some packages ask in an ES module whether there is a CommonJS module as well, and
// then change its exports, or require files that were never published. In Node there is
// none, but in a bundle there is that of the bundle, which is not theirs.

// noModule answers such questions in an ES module, except where a name may be a
// variable of its own.
func noModule(f *jsscan.File) (edits []edit) {
	isModule := false
	for i := range f.Tokens {
		if f.Is(i, "export") || f.Is(i, "import") && !f.Is(i+1, "(") && !f.Is(i+1, ".") {
			isModule = isModule || f.Tokens[i].Parens == 0 && !f.Is(i-1, ".")
		}
	}
	if !isModule {
		return nil
	}
	n := newNaming(f)
	for _, name := range []string{"module", "exports"} {
		own := n.bound(name)
		for i := range f.Tokens {
			if !f.Is(i, "typeof") || !f.Is(i+1, name) || f.Is(i-1, ".") || f.Is(i+2, ".") || f.Is(i+2, "[") {
				continue
			}
			if !within(own, i) {
				edits = append(edits, edit{f.Tokens[i].Start, f.Tokens[i+1].End, `"undefined"`})
			}
		}
	}
	return edits
}

// stretch is a range of tokens, the end not included.
type stretch struct{ start, end int }

func within(list []stretch, i int) bool {
	return slices.ContainsFunc(list, func(s stretch) bool { return s.start <= i && i < s.end })
}

// naming tells where a name may be declared, without a tree: what is not surely a use
// counts as a declaration.
type naming struct {
	f      *jsscan.File
	around []int       // the bracket that is open around each token, or -1
	close  map[int]int // where a bracket closes
}

func newNaming(f *jsscan.File) *naming {
	n := &naming{f: f, around: make([]int, len(f.Tokens)), close: map[int]int{}}
	open := []int{-1}
	for i, t := range f.Tokens {
		for len(open)-1 > t.Parens {
			n.close[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		n.around[i] = open[len(open)-1]
		if i+1 < len(f.Tokens) && f.Tokens[i+1].Parens > t.Parens {
			open = append(open, i)
		}
	}
	for _, i := range open[1:] {
		n.close[i] = len(f.Tokens)
	}
	return n
}

// bound returns the parts of a module in which a name may be a variable of its own.
func (n *naming) bound(name string) (list []stretch) {
	whole := map[int]stretch{} // by how many functions are around, the last one of that depth
	for i, t := range n.f.Tokens {
		if !n.f.Is(i, name) || n.isUse(i) {
			continue
		}
		s, known := n.parameter(i)
		if !known {
			if last := whole[t.Functions]; i < last.end {
				continue
			}
			s = n.function(i)
			whole[t.Functions] = s
		}
		if s.end > s.start {
			list = append(list, s)
		}
	}
	return list
}

// isUse reports whether token i surely declares nothing.
func (n *naming) isUse(i int) bool {
	f := n.f
	if f.Is(i-1, ".") || f.Is(i-1, "typeof") || f.Is(i+1, ".") {
		return true
	}
	if f.Is(i+1, "[") || f.Is(i+1, "(") {
		named := f.Is(i-1, "function") || f.Is(i-1, "*")
		return !named && !strings.Contains(f.Text[f.Tokens[i].End:f.Tokens[i+1].Start], "\n")
	}
	open := n.around[i]
	return f.Is(i+1, ":") && f.Is(open, "{") && (i == open+1 || f.Is(i-1, ",") && insideExpression(f, open)) // a key
}

// insideExpression reports whether the bracket at token i opens part of an expression
// or a pattern, and surely no block.
func insideExpression(f *jsscan.File, i int) bool {
	return f.Kind(i-1) == jsscan.Punct && strings.Contains(" ( [ , = ... ", " "+f.Source(i-1)+" ")
}

// parameter tells where token i counts when it is a parameter, and that it counts
// nowhere when it is an argument; otherwise it is not known.
func (n *naming) parameter(i int) (s stretch, known bool) {
	f := n.f
	if f.Is(i+1, "=>") {
		return n.body(i, i+1), true
	}
	if f.Is(i-1, "function") || f.Is(i-1, "*") || f.Is(i-1, "class") {
		return stretch{}, false
	}
	for open := n.around[i]; open >= 0; open = n.around[open] {
		if !f.Is(open, "(") {
			if !insideExpression(f, open) {
				return stretch{}, false
			}
			continue
		}
		next := n.close[open] + 1
		switch {
		case f.Is(open-1, "for") || f.Is(open-1, "await") || f.Is(next, ":"):
			return stretch{}, false
		case f.Is(next, "{") || f.Is(next, "=>"):
			return n.body(open, next), true
		}
		return stretch{}, true
	}
	return stretch{}, false
}

// body goes from a function's parameters to the end of what begins at token next: its
// brace or its arrow.
func (n *naming) body(start, next int) stretch {
	f := n.f
	if f.Is(next, "=>") {
		next++
	}
	if f.Is(next, "{") {
		return stretch{start, max(n.close[next], next) + 1}
	}
	end := next
	for end < len(f.Tokens) && f.Tokens[end].Functions > f.Tokens[start].Functions {
		end++
	}
	return stretch{start, end}
}

// function is the innermost function around token i.
func (n *naming) function(i int) stretch {
	s, level := stretch{i, i}, n.f.Tokens[i].Functions
	for s.start > 0 && n.f.Tokens[s.start-1].Functions >= level {
		s.start--
	}
	for s.end < len(n.f.Tokens) && n.f.Tokens[s.end].Functions >= level {
		s.end++
	}
	return s
}
