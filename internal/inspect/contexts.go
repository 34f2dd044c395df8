package inspect

import "omcbuild/internal/jsscan"

// maxContexts bounds how often one call is read, once for each round of the
// loops around it and each call of the functions around it.
const maxContexts = 64

// maxRegions bounds the loops and functions of a file that are looked at.
const maxRegions = 1000

// maxHead bounds the tokens of a loop's or a function's head.
const maxHead = 1000

// region is the body of a loop over a list, or of a function.
type region struct {
	from, to int   // tokens of the body
	names    []int // tokens of the names that it binds, in order
	braces   byte  // '{' or '[' when they take the value apart
	over     int   // of a loop: where the expression of the list begins
	until    int   // and the token behind it, where the expression goes on
	name     string
}

// contexts lists what the names around a token are bound to: one set of names
// for each time that the token would be reached. What cannot be told is left
// unbound.
func (s *script) contexts(i int) []map[string]value {
	if s.known == nil {
		s.known = map[int][]map[string]value{}
	}
	return s.contextsWithin(i, map[int]bool{})
}

func (s *script) contextsWithin(i int, visited map[int]bool) []map[string]value {
	r, ok := s.around(i)
	if !ok || visited[r.from] || s.repo.work.spend(costOfContexts) != nil {
		return []map[string]value{{}}
	}
	if known, ok := s.known[r.from]; ok {
		return known
	}
	visited[r.from] = true
	defer delete(visited, r.from)
	var out []map[string]value
	if r.over > 0 {
		for _, outer := range s.contextsWithin(r.over, visited) {
			s.bound, s.stop = outer, r.until
			v, _ := s.read(r.over)
			s.bound, s.stop = map[string]value{}, 0
			if v.kind != list {
				return []map[string]value{outer}
			}
			for _, item := range v.list[:min(len(v.list), maxContexts-len(out))] {
				out = append(out, s.bind(outer, r, []value{item}))
			}
		}
	} else {
		for _, call := range s.callsOf(r) {
			if len(out) >= maxContexts {
				break
			}
			for _, outer := range s.contextsWithin(call, visited) {
				s.bound = outer
				args := s.arguments(call + 1)
				s.bound = map[string]value{}
				out = append(out, s.bind(outer, r, args))
			}
		}
	}
	if len(out) == 0 {
		out = []map[string]value{{}}
	}
	s.known[r.from] = out[:min(len(out), maxContexts)]
	return s.known[r.from]
}

// bind gives the names of a region their values.
func (s *script) bind(outer map[string]value, r region, values []value) map[string]value {
	out := make(map[string]value, len(outer)+len(r.names))
	for name, v := range outer {
		out[name] = v
	}
	for n, token := range r.names {
		name := s.file.Source(token)
		switch {
		case r.braces == '{' && len(values) > 0 && values[0].kind == object:
			key := name
			if s.file.Is(token-1, ":") {
				key = s.file.Source(token - 2)
			}
			out[name] = values[0].get(key)
		case r.braces == '[' && len(values) > 0 && n < len(values[0].list):
			out[name] = values[0].list[n]
		case r.braces == 0 && n < len(values):
			out[name] = values[n]
		}
	}
	return out
}

// around returns the innermost region that a token stands in.
func (s *script) around(i int) (region, bool) {
	if s.regions == nil {
		s.regions = []region{}
		for j := range s.file.Tokens {
			if len(s.regions) == maxRegions {
				break
			}
			if r, ok := s.regionAt(j); ok {
				s.regions = append(s.regions, r)
			}
		}
	}
	best, ok := region{}, false
	for _, r := range s.regions {
		if r.from <= i && i <= r.to && (!ok || r.to-r.from < best.to-best.from) {
			best, ok = r, true
		}
	}
	return best, ok
}

// regionAt recognises a region by the token it begins with: "for", "function",
// or the "=>" of an arrow function.
func (s *script) regionAt(i int) (region, bool) {
	switch {
	case s.file.Is(i, "for") && s.file.Is(i+1, "("):
		return s.loop(i)
	case s.file.Is(i, "function"):
		name := ""
		if s.file.Kind(i+1) == jsscan.Ident {
			name = s.file.Source(i + 1)
			i++
		}
		if !s.file.Is(i+1, "(") {
			return region{}, false
		}
		body := s.after(i + 1)
		for end := min(body+60, len(s.file.Tokens)); body < end && !s.file.Is(body, "{"); {
			body++
		}
		return s.region(i+1, body, name)
	case s.file.Is(i, "=>"):
		return s.arrowRegion(i)
	}
	return region{}, false
}

// loop is for (const NAME of LIST) BODY.
func (s *script) loop(i int) (region, bool) {
	end := s.close(i + 1)
	for j := i + 2; j < min(end, i+maxHead); j++ {
		if !s.file.Is(j, "of") || s.file.Tokens[j].Parens != s.file.Tokens[i].Parens+1 {
			continue
		}
		r := region{from: end + 1, to: s.skip(end + 1), over: j + 1}
		if s.file.Is(end+1, "{") {
			r.to = s.close(end + 1)
		}
		r.names, r.braces = s.namesBetween(i+2, j)
		return r, true
	}
	return region{}, false
}

// arrowRegion is the body of an arrow function: of a named one, or of one that
// map or forEach calls with each item of a list.
func (s *script) arrowRegion(i int) (region, bool) {
	open := i - 1
	if s.file.Is(open, ")") {
		open = s.opens(open)
	}
	if open < 0 {
		return region{}, false
	}
	first := open
	if s.file.Is(first-1, "async") {
		first--
	}
	name := ""
	if s.file.Is(first-1, "=") && s.file.Kind(first-2) == jsscan.Ident {
		name = s.file.Source(first - 2)
	}
	r, ok := s.region(open, i+1, name)
	if !ok || !s.file.Is(first-1, "(") || !s.file.Is(first-3, ".") {
		return r, ok && name != ""
	}
	switch s.file.Source(first - 2) {
	case "map", "forEach", "flatMap":
		r.over, r.until = s.receiver(first-4), first-3
		return r, r.over > 0
	}
	return region{}, false
}

// receiver returns where the expression begins that ends at a token: a name, a
// list in brackets or a call.
func (s *script) receiver(end int) int {
	i := end
	for i > 0 {
		if s.file.Is(i, "]") || s.file.Is(i, ")") {
			i = max(s.opens(i), 0)
			if s.file.Kind(i-1) == jsscan.Ident && s.file.Is(i, "(") {
				i--
			}
		}
		if !s.file.Is(i-1, ".") {
			return i
		}
		i -= 2
	}
	return 0
}

// region is a function whose parameters open at a token.
func (s *script) region(open, body int, name string) (region, bool) {
	if body >= len(s.file.Tokens) {
		return region{}, false
	}
	r := region{from: body, to: s.skip(body), name: name}
	if s.file.Is(body, "{") {
		r.to = s.close(body)
	}
	if s.file.Is(open, "(") {
		r.names, r.braces = s.namesBetween(open+1, s.close(open))
	} else {
		r.names = []int{open}
	}
	return r, true
}

// namesBetween lists the names that a pattern binds, at its first level.
func (s *script) namesBetween(from, to int) ([]int, byte) {
	var out []int
	for s.file.Is(from, "const") || s.file.Is(from, "let") || s.file.Is(from, "var") {
		from++
	}
	var braces byte
	if s.file.Is(from, "{") || s.file.Is(from, "[") {
		braces, to = s.file.Source(from)[0], min(to, s.close(from))
		from++
	}
	if from >= len(s.file.Tokens) {
		return nil, braces
	}
	depth := s.file.Tokens[from].Parens
	for j := from; j < min(to, from+maxHead); j++ {
		if s.file.Kind(j) != jsscan.Ident || s.file.Tokens[j].Parens != depth || braces == '{' && s.file.Is(j+1, ":") {
			continue
		}
		if s.file.Is(j-1, ",") || j == from || braces == '{' && s.file.Is(j-1, ":") {
			out = append(out, j)
		}
	}
	return out, braces
}

// callsOf lists the calls of a named function, by the token of its name.
func (s *script) callsOf(r region) []int {
	var out []int
	for i := range s.file.Tokens {
		if r.name != "" && s.file.Is(i, r.name) && s.file.Is(i+1, "(") && !s.file.Is(i-1, "function") && !s.file.Is(i-1, ".") && len(out) < maxContexts {
			out = append(out, i)
		}
	}
	return out
}
