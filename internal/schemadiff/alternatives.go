package schemadiff

import (
	"fmt"
	"maps"
	"slices"
)

// alternatives compares anyOf, oneOf and allOf. It reports true when the rest of
// the schemas need no comparison, because one is an alternative of the other.
func (w *walker) alternatives(at place, values [2]any, old, updated node) (done bool) {
	for _, name := range []string{"anyOf", "oneOf"} {
		a, had := old.keywords[name].([]any)
		b, has := updated.keywords[name].([]any)
		switch {
		case had && has:
			w.branches(at, name, a, b)
		case has:
			if w.offers(at, name, values[0], old, updated, widened) {
				w.report(at, "alternative-added", widened, "now also allows other forms ("+name+")")
				return true
			}
			w.report(at, "alternative-changed", narrowed, "must now match one of several forms ("+name+")")
		case had:
			if w.offers(at, name, values[1], updated, old, narrowed) {
				w.report(at, "alternative-removed", narrowed, "allows only one of its former forms ("+name+")")
				return true
			}
			w.report(at, "alternative-removed", widened, "is no longer described as one of several forms ("+name+")")
		}
	}
	w.allOf(at, old, updated)
	return false
}

// offers reports whether the single schema is accepted by a branch of the other,
// which says nothing besides its branches. The effect is what the branch may do to
// the single schema: widen it when the branch is new, be narrowed to it when old.
func (w *walker) offers(at place, name string, value any, single, other node, harmless effect) bool {
	branches, _ := other.keywords[name].([]any)
	if hasAny(single.keywords, "anyOf", "oneOf") || name == "oneOf" && !w.side(harmless).exclusive(branches) {
		return false
	}
	for keyword := range other.keywords {
		if keyword != name && !isWording(keyword) {
			return false
		}
	}
	for _, branch := range branches {
		trial := &walker{output: w.output, old: w.old, new: w.new, active: w.active, budget: w.budget}
		if harmless == narrowed {
			trial.schema(at.suffix(""), branch, value)
		} else {
			trial.schema(at.suffix(""), value, branch)
		}
		if !slices.ContainsFunc(trial.findings, func(f finding) bool { return f.effect != worded && f.effect != harmless }) {
			return true
		}
	}
	return false
}

// branches matches the branches of two alternatives: equal ones first, then those
// with the same distinguishing mark, then a single one left on both sides.
func (w *walker) branches(at place, name string, old, updated []any) {
	pairs, left, right := match(old, updated, key)
	marked, left, right := matchAt(old, updated, left, right, mark)
	pairs = append(pairs, marked...)
	if len(left) == 1 && len(right) == 1 {
		pairs = append(pairs, [2]int{left[0], right[0]})
		left, right = nil, nil
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	apart := name == "anyOf" || w.old.exclusive(old) && w.new.exclusive(updated)
	before := len(w.findings)
	for _, pair := range pairs {
		w.schema(at.suffix(fmt.Sprintf("(form %d)", pair[0]+1)), old[pair[0]], updated[pair[1]])
	}
	for i := range w.findings[before:] {
		// Where two branches of a oneOf can hold at once, what one accepts less the other
		// may accept more.
		if f := &w.findings[before+i]; !apart && f.effect != worded {
			f.effect = changed
		}
	}
	weigh := func(e effect) effect {
		if apart {
			return e
		}
		return changed
	}
	switch {
	case len(left) > 0 && len(right) > 0:
		w.report(at, "alternative-changed", changed, fmt.Sprintf("has %d forms in place of %d (%s)", len(right), len(left), name))
	case len(left) > 0:
		w.report(at, "alternative-removed", weigh(narrowed), fmt.Sprintf("lost %d of its forms (%s)", len(left), name))
	case len(right) > 0:
		w.report(at, "alternative-added", weigh(widened), fmt.Sprintf("gained %d forms (%s)", len(right), name))
	}
}

// side returns the document that alternatives of an effect stand in: new ones
// widen, old ones are narrowed to one of them.
func (w *walker) side(e effect) document {
	if e == widened {
		return w.new
	}
	return w.old
}

// maxBranches is how many branches are looked at pair by pair.
const maxBranches = 100

// exclusive reports whether no value can satisfy two of the branches: because
// their types differ, or because each requires an object with another fixed value
// in one of its properties.
func (d document) exclusive(branches []any) bool {
	if len(branches) > maxBranches {
		return false
	}
	nodes := make([]node, len(branches))
	for i, branch := range branches {
		nodes[i] = d.node(branch)
	}
	for i := range nodes {
		for j := range i {
			if !nodes[i].never && !nodes[j].never && nodes[i].kinds()&nodes[j].kinds() != 0 && !d.discriminated(nodes[i], nodes[j]) {
				return false
			}
		}
	}
	return true
}

// discriminated reports whether a property tells two object schemas apart.
func (d document) discriminated(a, b node) bool {
	if a.kinds() != bitObject || b.kinds() != bitObject {
		return false
	}
	left, _ := a.keywords["properties"].(map[string]any)
	right, _ := b.keywords["properties"].(map[string]any)
	for name, schema := range left {
		if other, both := right[name]; both && a.required()[name] && b.required()[name] {
			x, fixed := d.node(schema).fixed()
			y, alsoFixed := d.node(other).fixed()
			if fixed && alsoFixed && len(without(x, y)) == len(x) {
				return true
			}
		}
	}
	return false
}

// match pairs elements that have the same key; the rest is returned by index.
func match(a, b []any, of func(any) string) (pairs [][2]int, left, right []int) {
	for i := range a {
		left = append(left, i)
	}
	for i := range b {
		right = append(right, i)
	}
	return matchAt(a, b, left, right, of)
}

// matchAt is match for the elements at the given indices. Elements with an empty
// key are not matched.
func matchAt(a, b []any, left, right []int, of func(any) string) (pairs [][2]int, restLeft, restRight []int) {
	waiting := map[string][]int{}
	for _, j := range right {
		waiting[of(b[j])] = append(waiting[of(b[j])], j)
	}
	taken := map[int]bool{}
	for _, i := range left {
		name := of(a[i])
		if candidates := waiting[name]; name != "" && len(candidates) > 0 {
			pairs = append(pairs, [2]int{i, candidates[0]})
			waiting[name], taken[candidates[0]] = candidates[1:], true
			continue
		}
		restLeft = append(restLeft, i)
	}
	restRight = slices.DeleteFunc(slices.Clone(right), func(j int) bool { return taken[j] })
	return pairs, restLeft, restRight
}

// mark returns what distinguishes a branch from its siblings: the fixed values
// of its properties, or its one type if that is not object.
func mark(branch any) string {
	schema, _ := branch.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	text := ""
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if property, ok := properties[name].(map[string]any); ok {
			if value, ok := property["const"]; ok {
				text += fmt.Sprintf("%q=%s ", name, key(value))
			}
		}
	}
	if kind, ok := schema["type"].(string); ok && kind != "object" && text == "" {
		return "type " + kind
	}
	return text
}

// allOf compares conditions that hold together: one more can only refuse more.
func (w *walker) allOf(at place, old, updated node) {
	a, _ := old.keywords["allOf"].([]any)
	b, _ := updated.keywords["allOf"].([]any)
	pairs, left, right := match(a, b, key)
	for len(left) > 0 && len(right) > 0 {
		pairs = append(pairs, [2]int{left[0], right[0]})
		left, right = left[1:], right[1:]
	}
	for _, pair := range pairs {
		w.schema(at.suffix(fmt.Sprintf("(condition %d)", pair[0]+1)), a[pair[0]], b[pair[1]])
	}
	if len(left) > 0 {
		w.report(at, "bound-loosened", widened, fmt.Sprintf("lost %d of its conditions (allOf)", len(left)))
	}
	if len(right) > 0 {
		w.report(at, "bound-tightened", narrowed, fmt.Sprintf("gained %d conditions (allOf)", len(right)))
	}
}
