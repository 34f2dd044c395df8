package schemadiff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// bits is a set of JSON types. Numbers with a fraction have a bit of their own,
// so that "integer" is a part of "number".
type bits uint8

const (
	bitNull bits = 1 << iota
	bitBoolean
	bitObject
	bitArray
	bitString
	bitInteger
	bitFraction
	bitNumber = bitInteger | bitFraction
	allBits   = bitNull | bitBoolean | bitObject | bitArray | bitString | bitNumber
)

// typeBits returns the set that a type name stands for, 0 for no known name.
func typeBits(name string) bits {
	switch name {
	case "null":
		return bitNull
	case "boolean":
		return bitBoolean
	case "object":
		return bitObject
	case "array":
		return bitArray
	case "string":
		return bitString
	case "integer":
		return bitInteger
	case "number":
		return bitNumber
	}
	return 0
}

// String lists the types as a person would.
func (b bits) String() string {
	if b == allBits {
		return "anything"
	}
	var names []string
	for _, name := range []string{"string", "number", "integer", "boolean", "object", "array", "null"} {
		if set := typeBits(name); b&set == set && (name != "integer" || b&bitFraction == 0) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// kinds returns the types a node allows, by its type or by its fixed values.
func (n node) kinds() bits {
	if value, ok := n.keywords["type"]; ok {
		names, _ := typeNames(value)
		var set bits
		for _, name := range names {
			set |= typeBits(name)
		}
		return set
	}
	values, ok := n.fixed()
	if !ok {
		return allBits
	}
	var set bits
	for _, value := range values {
		set |= kindOf(value)
	}
	return set
}

func kindOf(value any) bits {
	switch value := value.(type) {
	case nil:
		return bitNull
	case bool:
		return bitBoolean
	case string:
		return bitString
	case []any:
		return bitArray
	case map[string]any:
		return bitObject
	case json.Number:
		if number := rational(value); number != nil && number.IsInt() {
			return bitInteger
		}
	}
	return bitNumber
}

// types compares the allowed types and reports whether there is a type in common,
// so that a closer look makes sense.
func (w *walker) types(at place, old, updated node) bool {
	a, b := old.kinds(), updated.kinds()
	text := fmt.Sprintf("is now %s (was %s)", b, a)
	switch {
	case a == b:
		return true
	case a&^b != 0 && b&^a != 0:
		w.report(at, "type-changed", changed, text)
	case a&^b != 0:
		w.report(at, "type-narrowed", narrowed, text)
	default:
		w.report(at, "type-widened", widened, text)
	}
	return a&b != 0
}

// fixed returns the only values a node allows, by enum or const.
func (n node) fixed() ([]any, bool) {
	values, listed := n.keywords["enum"].([]any)
	single, fixed := n.keywords["const"]
	switch {
	case !fixed:
		return values, listed
	case listed && !slices.ContainsFunc(values, func(value any) bool { return equal(value, single) }):
		return []any{}, true
	}
	return []any{single}, true
}

// values compares enumerations.
func (w *walker) values(at place, old, updated node) {
	a, hadAny := old.fixed()
	b, hasAny := updated.fixed()
	switch {
	case !hadAny && !hasAny:
	case !hadAny:
		w.report(at, "enum-narrowed", narrowed, "now allows only "+list(b))
	case !hasAny:
		w.report(at, "enum-widened", widened, "no longer allows only "+list(a))
	default:
		w.enumerations(at, a, b)
	}
}

func (w *walker) enumerations(at place, a, b []any) {
	missing, added := without(a, b), without(b, a)
	switch {
	case len(missing) > 0 && len(added) > 0:
		w.report(at, "enum-changed", changed, fmt.Sprintf("no longer allows %s and now allows %s", list(missing), list(added)))
	case len(missing) > 0:
		w.report(at, "enum-narrowed", narrowed, "no longer allows "+list(missing))
	case len(added) > 0:
		w.report(at, "enum-widened", widened, "now also allows "+list(added))
	case !slices.EqualFunc(a, b, equal):
		w.report(at, "wording-changed", worded, "lists its values in another order")
	}
}

// without returns the values of a that are not in b.
func without(a, b []any) []any {
	in := map[string]bool{}
	for _, value := range b {
		in[key(value)] = true
	}
	var out []any
	for _, value := range a {
		if !in[key(value)] {
			out = append(out, value)
		}
	}
	return out
}

// key spells a value so that equal values, and only those, are spelled equally.
func key(value any) string {
	switch value := value.(type) {
	case json.Number:
		if number := rational(value); number != nil {
			return number.RatString()
		}
		return value.String()
	case []any:
		parts := make([]string, len(value))
		for i, element := range value {
			parts[i] = key(element)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(value)) {
			fmt.Fprintf(&b, "%q:%s,", name, key(value[name]))
		}
		return "{" + b.String() + "}"
	case string:
		return strconv.Quote(value)
	}
	return fmt.Sprint(value)
}

func equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || key(a) == key(b) && (a == nil) == (b == nil)
}

// list spells values for a message, the first few of them.
func list(values []any) string {
	const most = 5
	var parts []string
	for i, value := range values {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(values)-most))
			break
		}
		parts = append(parts, spell(value, "null"))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// none stands for a limit that is not there.
const none = "none"

// phrase says that a keyword has another value.
func phrase(name, now, was string) string {
	if now == none {
		return fmt.Sprintf("has no %s any more (was %s)", name, was)
	}
	return fmt.Sprintf("has %s %s (was %s)", name, now, was)
}

// spell writes a value for a message.
func spell(value any, absent string) string {
	if value == nil {
		return absent
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "a value"
	}
	return short(string(text))
}

func sortedNames(a, b map[string]any) []string {
	return slices.Sorted(maps.Keys(union(a, b)))
}

// rational returns the number, or nil for one so long or so large that exact
// arithmetic would be a burden.
func rational(number json.Number) *big.Rat {
	text := number.String()
	if len(text) > 64 {
		return nil
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(text[at+1:])
		if err != nil || exponent > 400 || exponent < -400 {
			return nil
		}
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return value
}
