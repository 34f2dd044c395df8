package schemadiff

import (
	"encoding/json"
	"math/big"
)

// limit is one end of a range.
type limit struct {
	value     *big.Rat // nil: no limit
	exclusive bool     // the value itself is outside
}

// String spells a limit for a message.
func (l limit) String() string {
	switch {
	case l.value == nil:
		return none
	case l.exclusive:
		return decimal(l.value) + " (exclusive)"
	}
	return decimal(l.value)
}

func decimal(value *big.Rat) string {
	if value.IsInt() {
		return short(value.Num().String())
	}
	if float, exact := value.Float64(); exact || float != 0 {
		text, err := json.Marshal(float)
		if err == nil {
			return string(text)
		}
	}
	return short(value.RatString())
}

// bounds compares all ranges of a node.
func (w *walker) bounds(at place, old, updated node) {
	w.lower(at, "minimum", old.minimum(), updated.minimum())
	w.upper(at, "maximum", old.maximum(), updated.maximum())
	for _, name := range []string{"minLength", "minItems", "minProperties"} {
		w.lower(at, name, old.size(name), updated.size(name))
	}
	for _, name := range []string{"maxLength", "maxItems", "maxProperties"} {
		w.upper(at, name, old.limit(name), updated.limit(name))
	}
	w.steps(at, old.limit("multipleOf").value, updated.limit("multipleOf").value)
	w.unique(at, old.keywords["uniqueItems"] == true, updated.keywords["uniqueItems"] == true)
}

func (n node) limit(name string) limit {
	number, ok := n.keywords[name].(json.Number)
	if !ok {
		return limit{}
	}
	return limit{value: rational(number)}
}

// size is a lower limit of something that cannot be negative: 0 says nothing.
func (n node) size(name string) limit {
	l := n.limit(name)
	if l.value != nil && l.value.Sign() <= 0 {
		return limit{}
	}
	return l
}

func (n node) minimum() limit { return n.end("minimum", "exclusiveMinimum", 1) }
func (n node) maximum() limit { return n.end("maximum", "exclusiveMaximum", -1) }

// end returns one end of a number's range, the tighter of the inclusive and the
// exclusive keyword. The sign is 1 for the lower end. For integers an exclusive
// limit is written as the inclusive one next to it.
func (n node) end(inclusive, exclusive string, sign int) limit {
	l := n.limit(inclusive)
	if flag, draft4 := n.keywords[exclusive].(bool); draft4 {
		l.exclusive = flag && l.value != nil
	} else if e := n.limit(exclusive); e.value != nil && (l.value == nil || e.value.Cmp(l.value)*sign >= 0) {
		l = limit{value: e.value, exclusive: true}
	}
	if l.exclusive && n.kinds()&bitFraction == 0 && l.value.IsInt() {
		l = limit{value: new(big.Rat).Add(l.value, big.NewRat(int64(sign), 1))}
	}
	return l
}

func (w *walker) lower(at place, name string, old, updated limit) { w.move(at, name, old, updated, 1) }
func (w *walker) upper(at place, name string, old, updated limit) { w.move(at, name, old, updated, -1) }

// move reports that a limit went inwards or outwards.
func (w *walker) move(at place, name string, old, updated limit, inwards int) {
	switch direction := compareLimits(old, updated, inwards); {
	case direction > 0:
		w.report(at, "bound-tightened", narrowed, phrase(name, updated.String(), old.String()))
	case direction < 0:
		w.report(at, "bound-loosened", widened, phrase(name, updated.String(), old.String()))
	}
}

// compareLimits returns 1 when the updated limit allows less, -1 when it allows
// more.
func compareLimits(old, updated limit, inwards int) int {
	switch {
	case old.value == nil && updated.value == nil:
		return 0
	case old.value == nil:
		return 1
	case updated.value == nil:
		return -1
	}
	if order := updated.value.Cmp(old.value) * inwards; order != 0 {
		return order
	}
	switch {
	case updated.exclusive && !old.exclusive:
		return 1
	case old.exclusive && !updated.exclusive:
		return -1
	}
	return 0
}

// steps compares multipleOf.
func (w *walker) steps(at place, old, updated *big.Rat) {
	text := phrase("multipleOf", limit{value: updated}.String(), limit{value: old}.String())
	switch {
	case old == nil && updated == nil, old != nil && updated != nil && old.Cmp(updated) == 0:
	case old == nil, old != nil && updated != nil && divides(old, updated):
		w.report(at, "bound-tightened", narrowed, text)
	case updated == nil, divides(updated, old):
		w.report(at, "bound-loosened", widened, text)
	default:
		w.report(at, "bound-changed", changed, text)
	}
}

// divides reports whether every multiple of b is one of a.
func divides(a, b *big.Rat) bool {
	return a.Sign() != 0 && new(big.Rat).Quo(b, a).IsInt()
}

func (w *walker) unique(at place, old, updated bool) {
	switch {
	case updated && !old:
		w.report(at, "bound-tightened", narrowed, "must now hold no value twice")
	case old && !updated:
		w.report(at, "bound-loosened", widened, "may now hold a value twice")
	}
}
