package inspect

import (
	"sort"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/jsscan"
)

// index finds the partner of each bracket, the end of each expression and the
// line of each token of a file at once, however long the file is.
type index struct {
	close, open []int // of a bracket: the token of its partner; else -1
	end         []int // the token at which an expression ends that begins here
	parent      []int // the bracket around each token, or -1
	lines       []int // offsets at which lines begin
}

func newIndex(file *jsscan.File) index {
	n := len(file.Tokens)
	x := index{close: make([]int, n), open: make([]int, n), parent: make([]int, n), end: make([]int, n), lines: []int{0}}
	var opened []int
	for i := range file.Tokens {
		x.close[i], x.open[i], x.parent[i] = -1, -1, -1
		if len(opened) > 0 {
			x.parent[i] = opened[len(opened)-1]
		}
		if file.Kind(i) != jsscan.Punct {
			continue
		}
		switch source := file.Source(i); {
		case strings.Contains("([{", source):
			opened = append(opened, i)
		case strings.Contains(")]}", source):
			// A template closes braces without a token of its own.
			for len(opened) > 0 && file.Tokens[opened[len(opened)-1]].Parens > file.Tokens[i].Parens {
				opened = opened[:len(opened)-1]
			}
			if len(opened) > 0 {
				from := opened[len(opened)-1]
				x.close[from], x.open[i], x.parent[i] = i, from, x.parent[from]
				opened = opened[:len(opened)-1]
			}
		}
	}
	x.ends(file)
	for i := range len(file.Text) {
		if file.Text[i] == '\n' {
			x.lines = append(x.lines, i+1)
		}
	}
	return x
}

// ends finds, from the last token to the first, the next comma, semicolon or
// closing bracket of each depth.
func (x *index) ends(file *jsscan.File) {
	var next []int // by depth
	for i := len(file.Tokens) - 1; i >= 0; i-- {
		depth := file.Tokens[i].Parens
		next = next[:min(len(next), depth+1)]
		for len(next) <= depth {
			next = append(next, i+1)
		}
		if file.Kind(i) == jsscan.Punct && strings.Contains(",;", file.Source(i)) {
			next[depth] = i
		}
		x.end[i] = next[depth]
	}
}

// skip returns the token at which an expression ends that is not understood.
func (s *script) skip(i int) int {
	if i < 0 || i >= len(s.index.end) {
		return i
	}
	return s.index.end[i]
}

// close returns the token that closes the bracket at a token, or -1.
func (s *script) close(i int) int {
	if i < 0 || i >= len(s.index.close) {
		return -1
	}
	return s.index.close[i]
}

// opens returns the token of the bracket that a token closes, or -1.
func (s *script) opens(i int) int {
	if i < 0 || i >= len(s.index.open) {
		return -1
	}
	return s.index.open[i]
}

// position returns the place of a token.
func (s *script) position(token int) diag.Position {
	at := diag.Position{File: s.path}
	if token >= 0 && token < len(s.file.Tokens) {
		at.Line = sort.SearchInts(s.index.lines, s.file.Tokens[token].Start+1)
	}
	return at
}
