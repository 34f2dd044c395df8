package bundler

import (
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/jsscan"
)

// Modules that wait at their top level and are loaded with import() become
// functions in the bundle, each of which waits for those of the modules it imports:
//
//	var init_a = __esm({ async "src/a.js"() { await init_b(); … } });
//
// Where such modules import each other in a circle, each waits for the other, and
// the program ends without a word. ES modules do not: one that is on its way
// already is not waited for. waitsInCircles writes the waits inside of circles in a
// way that asks who waits for whom.

// waitName is the function in cycleSource that waits.
const waitName = "__omcbuild_wait"

const cycleSource = `// Waits for a module, unless that one waits for the module that asks.
var __omcbuild_waiting = new Map();
function __omcbuild_wait(self, other) {
  for (let at = other; at !== undefined; at = __omcbuild_waiting.get(at)) if (at === self) return;
  __omcbuild_waiting.set(self, other);
  return Promise.resolve(other()).finally(() => __omcbuild_waiting.delete(self));
}
`

// waiter is a function that stands for a module.
type waiter struct {
	name       string
	start, end int // tokens of its body
	waits      []wait
}

// wait is one await of another: the tokens from its name to its closing bracket.
type wait struct {
	name        string
	first, last int
}

// waitsInCircles changes the text of an ES module that esbuild made, and reports
// whether it had to.
func waitsInCircles(body []byte) ([]byte, bool) {
	f, ok := jsscan.Scan(string(body))
	if !ok {
		return body, false
	}
	waiters := waitersOf(f)
	var edits []edit
	for name, w := range waiters {
		for _, other := range w.waits {
			if reaches(waiters, other.name, name) {
				edits = append(edits, edit{f.Tokens[other.first].Start, f.Tokens[other.last].End, waitName + "(" + name + ", " + other.name + ")"})
			}
		}
	}
	if len(edits) == 0 {
		return body, false
	}
	return []byte(apply(string(body), edits)), true
}

// waitersOf finds the functions that stand for modules, by name, and what they wait
// for.
func waitersOf(f *jsscan.File) map[string]*waiter {
	found := map[string]*waiter{}
	for i := range f.Tokens {
		if !f.Is(i, "async") {
			continue
		}
		name, open := -1, -1
		switch {
		case f.Is(i-1, "{") && f.Is(i-2, "(") && f.Kind(i+1) == jsscan.String && f.Is(i+2, "(") && f.Is(i+3, ")"): // __esm({ async "path"() {
			name, open = i-5, i+4
		case f.Is(i-1, "(") && f.Is(i+1, "(") && f.Is(i+2, ")") && f.Is(i+3, "=>"): // the same when minified: __esm(async () => {
			name, open = i-4, i+4
		}
		if open < 0 || !f.Is(open, "{") || name < 0 || f.Kind(name) != jsscan.Ident || !f.Is(name+1, "=") {
			continue
		}
		if end := f.Close(open); end > 0 {
			found[f.Source(name)] = &waiter{name: f.Source(name), start: open, end: end}
		}
	}
	for _, w := range found {
		for i := w.start; i < w.end; i++ {
			if f.Is(i, "await") && f.Is(i+2, "(") && f.Is(i+3, ")") && found[f.Source(i+1)] != nil {
				w.waits = append(w.waits, wait{f.Source(i + 1), i + 1, i + 3})
			}
		}
	}
	return found
}

// reaches reports whether waiting for one module may lead to waiting for another.
func reaches(waiters map[string]*waiter, from, to string) bool {
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		if seen[i] == to {
			return true
		}
		for _, other := range waiters[seen[i]].waits {
			if !slices.Contains(seen, other.name) {
				seen = append(seen, other.name)
			}
		}
	}
	return false
}

// circles applies waitsInCircles to a body that may need it.
func circles(body []byte, format api.Format) ([]byte, string) {
	if format != api.FormatESModule {
		return body, ""
	}
	changed, needed := waitsInCircles(body)
	if !needed {
		return body, ""
	}
	return changed, cycleSource
}
