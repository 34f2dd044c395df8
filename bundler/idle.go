package bundler

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"omcbuild/internal/jsscan"
)

// Idle are the function bodies of a bundle that did not run in a process of it.
type Idle struct {
	// Numbers are those of the bodies, ascending: all bodies are counted in the order of the
	// text, but those within an idle one.
	Numbers []int `json:"numbers"`
	// Bodies are from where to where each of them reaches, in bytes, without its braces.
	Bodies [][2]int `json:"bodies"`
}

// IdleBodies finds them. functions are what the engine told when the process ended: from
// which to which UTF-16 unit each function reaches, and in ran whether it ran. What lies
// within one that did not may be left out. A body is idle only where both the engine and the
// scanner say that a function ends there. It reports false for a text that cannot be
// read well enough.
func IdleBodies(text string, functions [][2]int, ran []bool) (idle Idle, ok bool) {
	f, ok := jsscan.Scan(text)
	if !ok || len(functions) != len(ran) {
		return Idle{}, false
	}
	slept := map[int]int{} // by where it ends, where a function that did not run begins
	inBytes := byteOffsets(text)
	for i, function := range functions {
		start, end := inBytes(function[0]), inBytes(function[1])
		if start < 0 || end < 0 || start >= end {
			return Idle{}, false
		}
		other, known := slept[end]
		switch {
		case ran[i] || known && other < 0:
			slept[end] = -1 // also of two that end together, as arrow functions do
		case !strings.HasPrefix(text[start:], "class"):
			slept[end] = max(start, other)
		}
	}
	eachBody(f, func(number int, b body) bool {
		start, known := slept[b.end+1]
		if known && start >= 0 && start < b.start {
			idle.add(number, b)
			return true
		}
		return false
	})
	return idle, true
}

func (idle *Idle) add(number int, b body) {
	idle.Numbers, idle.Bodies = append(idle.Numbers, number), append(idle.Bodies, [2]int{b.start, b.end})
}

// Awake returns a digest of a bundle without what is within the braces of idle bodies, and
// where these are in it: of two bundles with the same digest, those that run do the same, as
// long as it is not their own text that they look at. It reports false for a text that
// cannot be read well enough.
func (idle Idle) Awake(text string) (digest string, here Idle, ok bool) {
	f, ok := jsscan.Scan(text)
	if !ok {
		return "", Idle{}, false
	}
	sum, from := sha256.New(), 0
	eachBody(f, func(number int, b body) bool {
		if next := len(here.Numbers); next == len(idle.Numbers) || idle.Numbers[next] != number {
			return false
		}
		here.add(number, b)
		sum.Write([]byte(text[from:b.start]))
		sum.Write([]byte{0}) // which is no code
		from = b.end
		return true
	})
	sum.Write([]byte(text[from:]))
	return hex.EncodeToString(sum.Sum(nil)), here, len(here.Numbers) == len(idle.Numbers)
}

// Moved returns where the idle bodies of one text are in another that differs from it within
// one of them only; false when that is not so, or not seen at once. Awake is then the same.
func (idle Idle) Moved(before, now string) (here Idle, ok bool) {
	start := commonPrefix(before, now)
	end := len(before) - commonSuffix(before[start:], now[start:])
	i := slices.IndexFunc(idle.Bodies, func(b [2]int) bool { return b[0] <= start && end <= b[1] })
	if i < 0 {
		return Idle{}, false
	}
	longer := len(now) - len(before)
	here = Idle{Numbers: idle.Numbers, Bodies: slices.Clone(idle.Bodies)}
	here.Bodies[i][1] += longer
	for j := i + 1; j < len(here.Bodies); j++ {
		here.Bodies[j][0] += longer
		here.Bodies[j][1] += longer
	}
	changed := here.Bodies[i]
	if changed[0] < 1 || changed[1] < changed[0] || changed[1] >= len(now) || now[changed[0]-1] != '{' || now[changed[1]] != '}' {
		return Idle{}, false
	}
	f, ok := jsscan.Scan(now[changed[0]-1 : changed[1]+1])
	return here, ok && len(f.Tokens) > 2 && f.Close(0) == len(f.Tokens)-1 // one with nothing inside would not be counted
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// eachBody visits the bodies of functions with braces in the order of the text, numbered
// from 0, with the bodies within them unless leave says to leave those out.
func eachBody(f *jsscan.File, leave func(number int, b body) bool) {
	number, closing := 0, closings(f)
	for i := 0; i+1 < len(f.Tokens); i++ {
		if t := f.Tokens[i]; f.Tokens[i+1].Functions != t.Functions+1 || !f.Is(i, "{") {
			continue
		}
		end := closing[i]
		if leave(number, body{f.Tokens[i].End, f.Tokens[end].Start}) {
			i = int(end)
		}
		number++
	}
}

// closings returns for each token that opens a bracket the one that closes it.
func closings(f *jsscan.File) []int32 {
	closing := make([]int32, len(f.Tokens))
	var open []int32
	for i, t := range f.Tokens {
		for n := len(open); n > 0 && f.Tokens[open[n-1]].Parens >= t.Parens; n = len(open) {
			closing[open[n-1]] = int32(i)
			open = open[:n-1]
		}
		if i+1 < len(f.Tokens) && f.Tokens[i+1].Parens > t.Parens {
			open = append(open, int32(i))
		}
	}
	return closing
}

// byteOffsets returns a function that gives the offset in bytes of one in UTF-16 units, -1
// where there is none.
func byteOffsets(text string) func(units int) int {
	type mark struct{ units, bytes int }
	marks := []mark{{}}
	units := 0
	for i := 0; i < len(text); {
		size := 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(text[i:]); r > 0xFFFF {
				units++
			}
			marks = append(marks, mark{units + 1, i + size})
		}
		units, i = units+1, i+size
	}
	total := units
	return func(units int) int {
		if units < 0 || units > total {
			return -1
		}
		at, exact := slices.BinarySearchFunc(marks, units, func(m mark, units int) int { return m.units - units })
		if !exact {
			at--
		}
		return marks[at].bytes + units - marks[at].units
	}
}
