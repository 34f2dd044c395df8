package bundler

import (
	"strconv"
	"strings"

	"omcbuild/internal/lazyregexp"
)

// wanted is the range of versions a package.json asks for, as the header reads it.
type wanted struct {
	Range string `json:"range"` // as written
	Spans []span `json:"spans"` // what it means: any of these
}

// span is a half-open range of versions: the first is in, the second, nil for
// none, is out.
type span [2]*version

// version is major, minor and patch.
type version [3]int

func (v version) less(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// comparator matches one part of a range: an operator and a version whose later
// numbers may be missing, x or *.
var comparator = lazyregexp.New(`^(\^|~>?|>=|<=|>|<|=)?v?(\d+|[xX*])?(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+][\w.+-]*)?$`)

var operatorSpace = lazyregexp.New(`([<>=^~])\s+`)

// readRange turns a range of npm's into spans; false for one that names no
// versions, such as a tag or an address.
func readRange(text string) (wanted, bool) {
	w := wanted{Range: text}
	for _, part := range strings.Split(text, "||") {
		s, ok := readSpan(strings.TrimSpace(part))
		if !ok {
			return w, false
		}
		w.Spans = append(w.Spans, s)
	}
	return w, true
}

// readSpan reads what stands between "||": comparators that all must hold, or
// "low - high".
func readSpan(text string) (span, bool) {
	if low, high, hyphen := strings.Cut(text, " - "); hyphen {
		text = ">=" + strings.TrimSpace(low) + " <=" + strings.TrimSpace(high)
	}
	all := span{&version{}, nil}
	for _, word := range strings.Fields(operatorSpace.ReplaceAllString(text, "$1")) {
		m := comparator.FindStringSubmatch(word)
		if m == nil {
			return all, false
		}
		s := spanOf(m[1], m[2:])
		if all[0].less(*s[0]) {
			all[0] = s[0]
		}
		if s[1] != nil && (all[1] == nil || s[1].less(*all[1])) {
			all[1] = s[1]
		}
	}
	return all, true
}

// spanOf says what an operator and the numbers behind it mean.
func spanOf(operator string, parts []string) span {
	var low version
	given := 0
	for given < 3 && parts[given] != "" && !strings.ContainsAny(parts[given], "xX*") {
		low[given], _ = strconv.Atoi(parts[given])
		given++
	}
	next := after(low, given)
	switch operator {
	case ">":
		if next == nil {
			next = &version{}
		}
		return span{next, nil}
	case ">=":
		return span{&low, nil}
	case "<":
		return span{&version{}, &low}
	case "<=":
		return span{&version{}, next}
	case "^":
		fixed := 1
		for fixed < given && low[fixed-1] == 0 {
			fixed++
		}
		return span{&low, after(low, min(fixed, given))}
	case "~", "~>":
		return span{&low, after(low, min(2, given))}
	}
	return span{&low, next}
}

// after is the first version whose leading n numbers are beyond those of v, or nil
// when none are fixed.
func after(v version, n int) *version {
	if n == 0 {
		return nil
	}
	var next version
	copy(next[:n], v[:n])
	next[n-1]++
	return &next
}
