package bundler

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"omcbuild/internal/jsscan"
)

// Idle are the function bodies of a bundle that did not run in a process of it, by their
// numbers: all bodies are counted in the order of the text, but those within an idle one.
// They are all ascending.
type Idle []int

// IdleBodies finds them. functions are what the engine told when the process ended: from
// which to which UTF-16 unit each function reaches, and in ran whether it ran. What lies
// within one that did not may be left out. A body is idle only where both the engine and the
// scanner say that a function ends there. It reports false for a text that cannot be
// read well enough.
func IdleBodies(text string, functions [][2]int, ran []bool) (idle Idle, ok bool) {
	f, ok := jsscan.Scan(text)
	if !ok || len(functions) != len(ran) {
		return nil, false
	}
	slept := map[int]int{} // by where it ends, where a function that did not run begins
	inBytes := byteOffsets(text)
	for i, function := range functions {
		start, end := inBytes(function[0]), inBytes(function[1])
		if start < 0 || end < 0 || start >= end {
			return nil, false
		}
		if other, known := slept[end]; ran[i] && known || known && other < 0 {
			slept[end] = -1 // two that end together, as arrow functions do
		} else if ran[i] {
			slept[end] = -1
		} else if !strings.HasPrefix(text[start:], "class") {
			slept[end] = max(start, other)
		}
	}
	eachBody(f, func(number int, b body) bool {
		start, known := slept[b.end+1]
		if known && start >= 0 && start < b.start {
			idle = append(idle, number)
			return true
		}
		return false
	})
	return idle, true
}

// Awake returns a digest of a bundle without what is within the braces of idle bodies: of
// two bundles with the same digest, those that run do the same, as long as it is not their
// own text that they look at. It reports false for a text that cannot be read well enough.
func (idle Idle) Awake(text string) (digest string, ok bool) {
	f, ok := jsscan.Scan(text)
	if !ok {
		return "", false
	}
	sum, from, next := sha256.New(), 0, 0
	eachBody(f, func(number int, b body) bool {
		if next == len(idle) || idle[next] != number {
			return false
		}
		next++
		sum.Write([]byte(text[from:b.start]))
		sum.Write([]byte{0}) // which stands in no text that can be read
		from = b.end
		return true
	})
	sum.Write([]byte(text[from:]))
	return hex.EncodeToString(sum.Sum(nil)), next == len(idle)
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
