package schemadiff

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"omcbuild/internal/surface"
)

const (
	// toolBudget is how many pairs of schema nodes are visited for one schema of one
	// tool, totalBudget for all tools. Real servers need a few thousand in all;
	// references that fan out could ask for billions.
	toolBudget  = 20_000
	totalBudget = 400_000
	// maxDepth is how deep schemas are compared node by node.
	maxDepth = 100
)

// effect is what a difference does to the set of accepted values.
type effect int

const (
	narrowed effect = iota // fewer values
	widened                // more values
	changed                // other values, or impossible to say
	lost                   // something a user relied on is gone
	gained                 // something new that binds nobody
	worded                 // nothing
)

// walker compares the input or the output schemas of one tool.
type walker struct {
	comparison *comparison
	tool       string
	output     bool
	old, new   document
	active     map[[2]uintptr]bool // pairs being compared further up: recursion ends there
	budget     *int                // what is left of toolBudget; shared with trial walkers
	findings   []finding
}

// finding is a difference before its level is known.
type finding struct {
	at     place
	kind   string
	effect effect
	text   string // a predicate: the place is its subject
}

// place is where in a schema one is: "filter.tags[]". The root is "".
type place struct {
	path  string
	depth int
}

func (p place) property(name string) place {
	if p.path == "" {
		return place{name, p.depth + 1}
	}
	return place{p.path + "." + name, p.depth + 1}
}

func (p place) suffix(text string) place { return place{p.path + text, p.depth + 1} }

func (p place) index(i int) place { return p.suffix("[" + strconv.Itoa(i) + "]") }

// input compares what a tool accepts.
func (c *comparison) input(tool string, old, updated json.RawMessage) {
	c.schemas(&walker{comparison: c, tool: tool}, old, updated)
}

// output compares what a tool promises to answer.
func (c *comparison) output(tool string, old, updated json.RawMessage) {
	w := &walker{comparison: c, tool: tool, output: true}
	switch {
	case old == nil && updated != nil:
		w.report(place{}, "output-added", gained, "schema was added")
	case old != nil && updated == nil:
		w.report(place{}, "output-removed", lost, "schema was removed")
	default:
		c.schemas(w, old, updated)
		return
	}
	w.flush()
}

// schemas runs a walker over two schemas and keeps what it finds. Bytes that
// differ are never without a change.
func (c *comparison) schemas(w *walker, old, updated json.RawMessage) {
	if surface.Same(old, updated) {
		return
	}
	w.old, w.new = parse(old), parse(updated)
	w.active = map[[2]uintptr]bool{}
	budget := min(toolBudget, c.budget)
	c.budget -= budget
	w.budget = &budget
	if w.old.valid && w.new.valid {
		w.schema(place{}, w.old.root, w.new.root)
	} else {
		w.report(place{}, "schema-changed", changed, "schema is now "+presence(updated, w.new)+" (was "+presence(old, w.old)+")")
	}
	c.budget += max(budget, 0)
	if budget < 0 {
		w.report(place{}, "schema-changed", changed, "schema differs and branches too widely to be compared in full")
	}
	if len(w.findings) == 0 {
		w.report(place{}, "schema-rewritten", worded, "schema is written differently (order of members or spelling) and means the same")
	}
	w.flush()
}

func presence(raw json.RawMessage, d document) string {
	switch {
	case raw == nil:
		return "absent"
	case !d.valid:
		return "no JSON"
	}
	return "present"
}

// report notes a difference.
func (w *walker) report(at place, kind string, e effect, text string) {
	w.findings = append(w.findings, finding{at, kind, e, text})
}

// level weighs an effect: for results, more is worse than less.
func (w *walker) level(e effect) Level {
	switch {
	case e == worded:
		return Text
	case e == gained:
		return Feature
	case e == narrowed && w.output, e == widened && !w.output:
		return Feature
	}
	return Breaking
}

// flush turns the findings into changes.
func (w *walker) flush() {
	for _, f := range w.findings {
		path, subject := "inputSchema", f.at.path
		if w.output {
			path, subject = "outputSchema", "result"
			if f.at.path != "" {
				subject = "result." + f.at.path
			}
		}
		if f.at.path != "" {
			path += "." + f.at.path
		} else if !w.output {
			subject = "input"
		}
		w.comparison.add(Change{Tool: w.tool, Path: path, Kind: f.kind, Level: w.level(f.effect)}, "%s %s", subject, f.text)
	}
	w.findings = nil
}

// schema compares two schemas at one place.
func (w *walker) schema(at place, oldValue, newValue any) {
	leave, ok := w.enter(at, oldValue, newValue)
	if !ok {
		return
	}
	defer leave()
	if !isSchema(oldValue) || !isSchema(newValue) {
		w.notSchemas(at, oldValue, newValue)
		return
	}
	old, updated := w.old.node(oldValue), w.new.node(newValue)
	if old.never || updated.never {
		w.never(at, old.never, updated.never)
		return
	}
	w.wording(at, old, updated)
	w.malformed(at, old, updated)
	if w.alternatives(at, [2]any{oldValue, newValue}, old, updated) || !w.types(at, old, updated) {
		return
	}
	w.values(at, old, updated)
	w.bounds(at, old, updated)
	w.object(at, old, updated)
	w.array(at, old, updated)
	w.constraints(at, old, updated)
}

// enter guards a visit: against recursion, depth and work without end. Beyond
// the limits schemas are equal only if they are written equally.
func (w *walker) enter(at place, oldValue, newValue any) (leave func(), ok bool) {
	key := [2]uintptr{identity(w.old.target(oldValue)), identity(w.new.target(newValue))}
	if key[0] != 0 && key[1] != 0 {
		if w.active[key] {
			return nil, false
		}
		w.active[key] = true
	}
	*w.budget--
	if at.depth > maxDepth || *w.budget < 0 {
		delete(w.active, key)
		if *w.budget >= 0 && !reflect.DeepEqual(oldValue, newValue) {
			w.report(at, "schema-changed", changed, "differs, too deep to say how")
		}
		return nil, false
	}
	return func() { delete(w.active, key) }, true
}

// identity tells schema objects apart; 0 for values that hold no others.
func identity(value any) uintptr {
	if object, ok := value.(map[string]any); ok {
		return reflect.ValueOf(object).Pointer()
	}
	return 0
}

// notSchemas compares values that stand where schemas should.
func (w *walker) notSchemas(at place, old, updated any) {
	name := func(value any) string {
		if isSchema(value) {
			return "a schema"
		}
		return spell(value, "null")
	}
	if !equal(old, updated) {
		w.report(at, "schema-changed", changed, "is now "+name(updated)+" (was "+name(old)+")")
	}
}

func (w *walker) never(at place, old, updated bool) {
	switch {
	case updated && !old:
		w.report(at, "type-narrowed", narrowed, "allows no value any more")
	case old && !updated:
		w.report(at, "type-widened", widened, "allows values (allowed none)")
	}
}

// wording reports what only readers notice. A default is more than wording for
// a caller who relies on it, and binds nobody.
func (w *walker) wording(at place, old, updated node) {
	for _, name := range sortedNames(old.keywords, updated.keywords) {
		if kind := handlingOf(name); kind != wording && kind != unknown {
			continue
		}
		a, b := old.keywords[name], updated.keywords[name]
		if equal(a, b) {
			continue
		}
		switch {
		case name == "default" && !w.output:
			w.report(at, "default-changed", gained, phrase(name, spell(b, none), spell(a, none)))
		case name == "description":
			w.report(at, "description-changed", worded, "has another description")
		default:
			w.report(at, "wording-changed", worded, fmt.Sprintf("has another %s", name))
		}
	}
}

// malformed compares keywords that break the rules of JSON Schema, as bytes.
func (w *walker) malformed(at place, old, updated node) {
	for _, name := range sortedNames(old.malformed, updated.malformed) {
		a, b := old.malformed[name], updated.malformed[name]
		if a == nil {
			a = old.keywords[name]
		}
		if b == nil {
			b = updated.keywords[name]
		}
		if !equal(a, b) {
			w.report(at, "schema-changed", changed, fmt.Sprintf("has %s %s (was %s)", name, spell(b, "absent"), spell(a, "absent")))
		}
		delete(old.keywords, name)
		delete(updated.keywords, name)
	}
}

// constraints compares keywords as wholes.
func (w *walker) constraints(at place, old, updated node) {
	for _, name := range sortedNames(old.keywords, updated.keywords) {
		if handlingOf(name) != constraint {
			continue
		}
		a, hadIt := old.keywords[name]
		b, hasIt := updated.keywords[name]
		text := phrase(name, spell(b, none), spell(a, none))
		switch {
		case hadIt && hasIt && equal(a, b):
		case name == "minContains" || hadIt && hasIt:
			w.report(at, "bound-changed", changed, text)
		case hasIt:
			w.report(at, "bound-tightened", narrowed, text)
		default:
			w.report(at, "bound-loosened", widened, text)
		}
	}
}
