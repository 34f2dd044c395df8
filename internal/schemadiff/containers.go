package schemadiff

import (
	"maps"
	"slices"
)

// object compares properties, which of them are required, and what is allowed
// beside them.
func (w *walker) object(at place, old, updated node) {
	before, _ := old.keywords["properties"].(map[string]any)
	after, _ := updated.keywords["properties"].(map[string]any)
	required, needed := old.required(), updated.required()
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		here := at.property(name)
		oldSchema, was := before[name]
		newSchema, is := after[name]
		switch {
		case !is:
			w.report(here, "property-removed", lost, "was removed")
		case !was && needed[name]:
			w.newRequired(here, required[name])
		case !was:
			w.report(here, "property-added", gained, "is new and optional")
		default:
			w.requirement(here, required[name], needed[name])
			w.schema(here, oldSchema, newSchema)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(union(required, needed))) {
		_, was := before[name]
		_, is := after[name]
		if !was && !is {
			w.requirement(at.property(name), required[name], needed[name])
		}
	}
	w.rest(at, "additionalProperties", "additional properties", old.keywords["additionalProperties"], updated.keywords["additionalProperties"])
}

func (n node) required() map[string]bool {
	names, _ := stringList(n.keywords["required"])
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// newRequired reports a property that did not exist. In an input it was not
// necessary before, unless it was demanded without being described.
func (w *walker) newRequired(at place, wasRequired bool) {
	e := narrowed
	if wasRequired {
		e = gained
	}
	w.report(at, "property-added", e, "is new and required")
}

func (w *walker) requirement(at place, was, is bool) {
	switch {
	case is && !was:
		w.report(at, "property-required", narrowed, "is now required (was optional)")
	case was && !is:
		w.report(at, "property-optional", widened, "is now optional (was required)")
	}
}

// rest compares the schema for everything that is not named; absent means that
// anything goes.
func (w *walker) rest(at place, kind, noun string, old, updated any) {
	if old == nil && updated == nil {
		return
	}
	if old == nil {
		old = true
	}
	if updated == nil {
		updated = true
	}
	switch {
	case old == true && updated == true, old == false && updated == false:
	case updated == false:
		w.report(at, kind+"-refused", narrowed, "now refuses "+noun)
	case old == false:
		w.report(at, kind+"-allowed", widened, "now allows "+noun)
	default:
		here := at.suffix("[]")
		if kind == "additionalProperties" {
			here = at.property("*")
		}
		w.schema(here, old, updated)
	}
}

// array compares the elements of arrays, position by position where they are
// described so.
func (w *walker) array(at place, old, updated node) {
	before, beforeRest := old.elements()
	after, afterRest := updated.elements()
	for i := range max(len(before), len(after)) {
		w.schema(at.index(i), element(before, beforeRest, i), element(after, afterRest, i))
	}
	w.rest(at, "items", "elements beyond the described ones", beforeRest, afterRest)
}

// elements returns the schemas of the first positions and of all others, in the
// spelling of either dialect.
func (n node) elements() (prefix []any, rest any) {
	if tuple, ok := n.keywords["items"].([]any); ok {
		return tuple, n.keywords["additionalItems"]
	}
	prefix, _ = n.keywords["prefixItems"].([]any)
	return prefix, n.keywords["items"]
}

func element(prefix []any, rest any, i int) any {
	switch {
	case i < len(prefix):
		return prefix[i]
	case rest == nil:
		return true
	}
	return rest
}
