package jsscan

import "strings"

// Plain returns the file without the tokens that change nothing of what an expression
// means, so that a pattern need not know them:
//
//	f(a, b,)          the comma before a closing bracket
//	a!.b              the mark by which TypeScript is told that there is a value
//	a as T            a type, also with satisfies
//	a?.b, a?.[0]      reads as a.b and a[0]
//	(a.b).c, f((a))   parentheses around names, calls and strings
//
// Tokens keep their offsets. An edit from one token to another may so take in one of
// two parentheses: Widen mends that.
func (f *File) Plain() *File {
	p := plainer{f: f, last: -1}
	for i := 0; i < len(f.Tokens); i++ {
		i = p.token(i)
	}
	if p.gone == nil {
		return f
	}
	kept := make([]Token, 0, len(f.Tokens))
	removed := 0 // parentheses around the token at hand
	for i, t := range f.Tokens {
		switch {
		case !p.gone[i]:
			t.Parens -= removed
			kept = append(kept, t)
		case f.Text[t.Start] == '(':
			removed++
		case f.Text[t.Start] == ')':
			removed--
		}
	}
	return &File{Text: f.Text, Tokens: kept, wraps: p.wraps}
}

// Widen returns the range from start to end so that both or none of two parentheses
// that Plain left out are in it.
func (f *File) Widen(start, end int) (from, to int) {
	for _, w := range f.wraps {
		opens, closes := w[0] >= start && w[0] < end, w[1] >= start && w[1] < end
		switch {
		case opens && !closes:
			end = w[1] + 1
		case closes && !opens:
			start = w[0]
		}
	}
	return start, end
}

// plainer goes through the tokens of a file.
type plainer struct {
	f     *File
	gone  []bool   // which tokens are left out; nil while none is
	last  int      // the last token that stays
	open  []paren  // the brackets around the token at hand
	wraps [][2]int // the offsets of parentheses that are left out, inner ones first
}

// paren is an open bracket.
type paren struct {
	at     int
	groups bool // it may be left out: it opens neither a call nor a statement's head
	first  int  // the first token in it, -1 for none
	latest int  // the last token directly in it
	chain  bool // what is directly in it are names, calls and strings
}

func (p *plainer) drop(i int) {
	if p.gone == nil {
		p.gone = make([]bool, len(p.f.Tokens))
	}
	p.gone[i] = true
}

// token looks at token i and returns the last one that it dealt with.
func (p *plainer) token(i int) int {
	f := p.f
	t := f.Tokens[i]
	first := f.Text[t.Start]
	switch {
	case t.Kind == Punct && first == ',' && p.trailing(i), t.Kind == Punct && first == '!' && p.asserts(i):
		p.drop(i)
		return i
	case t.Kind == Punct && first == '?' && f.Is(i+1, ".") && t.End == f.Tokens[i+1].Start:
		p.drop(i)
		if f.Is(i+2, "[") || f.Is(i+2, "(") {
			p.drop(i + 1)
			return i + 1
		}
		return i
	case t.Kind == Ident && (f.Is(i, "as") || f.Is(i, "satisfies")) && p.casts(i):
		if end := f.typeEnd(i + 1); end > 0 {
			for j := i; j < end; j++ {
				p.drop(j)
			}
			return end - 1
		}
	case t.Kind == Punct && (first == ')' || first == ']' || first == '}'), t.Kind == TemplatePart && first == '}':
		p.close(i)
	}
	p.keep(i)
	if t.Kind == Punct && (first == '(' || first == '[' || first == '{') || t.Kind == TemplatePart && f.Text[t.End-1] == '{' {
		p.open = append(p.open, paren{at: i, groups: first == '(' && p.groups(), first: -1, latest: -1, chain: true})
	}
	p.last = i
	return i
}

// keep notes a token in the bracket around it.
func (p *plainer) keep(i int) {
	if len(p.open) == 0 {
		return
	}
	b := &p.open[len(p.open)-1]
	if !b.groups || !b.chain {
		return
	}
	f := p.f
	switch f.Kind(i) {
	case Ident:
		b.chain = b.first < 0 || f.Is(b.latest, ".") || f.Is(b.latest, "new")
	case String:
		b.chain = b.first < 0
	case TemplatePart:
		b.chain = b.first < 0 || f.Kind(b.latest) == TemplatePart
	case Punct:
		b.chain = b.first >= 0 && strings.Contains(".()[]", f.Source(i))
	default:
		b.chain = false
	}
	if b.first < 0 {
		b.first = i
	}
	b.latest = i
}

// close ends the bracket that token i closes, and leaves both out where nothing but a
// chain of names is in them.
func (p *plainer) close(i int) {
	if len(p.open) == 0 {
		return
	}
	b := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	f := p.f
	if !b.groups || !b.chain || b.first < 0 || f.Is(i+1, "=>") || f.Is(i+1, "{") || f.Is(i+1, ":") && b.first == b.latest {
		return
	}
	p.drop(b.at)
	p.drop(i)
	p.wraps = append(p.wraps, [2]int{f.Tokens[b.at].Start, f.Tokens[i].Start})
}

// beforeGroups are the words after which a parenthesis groups.
const beforeGroups = " await return typeof void of in case yield throw delete else do default "

// groups reports whether a parenthesis after the last token groups.
func (p *plainer) groups() bool {
	if p.last < 0 {
		return true
	}
	switch f := p.f; f.Kind(p.last) {
	case Ident:
		return listed(beforeGroups, f.Source(p.last)) && !f.Is(p.last-1, ".")
	case Punct:
		return !f.Is(p.last, ")") && !f.Is(p.last, "]") && !f.Is(p.last, "}") && !f.Is(p.last, ">")
	case TemplatePart:
		return strings.HasSuffix(f.Source(p.last), "${")
	default:
		return false
	}
}

// trailing reports whether the comma at token i only ends a list.
func (p *plainer) trailing(i int) bool {
	f := p.f
	return (f.Is(i+1, ")") || f.Is(i+1, "]")) && !f.Is(i-1, ",") && !f.Is(i-1, "(") && !f.Is(i-1, "[")
}

// afterValue is what may follow a value and no prefix.
const afterValue = ". ) ] , ; + ? : as satisfies"

// asserts reports whether the exclamation mark at token i stands behind a value.
func (p *plainer) asserts(i int) bool {
	f := p.f
	if i == 0 || f.Tokens[i-1].End != f.Tokens[i].Start || !p.value(i-1) {
		return false
	}
	switch {
	case f.Kind(i+1) == TemplatePart:
		return strings.HasPrefix(f.Source(i+1), "}")
	case f.Is(i+1, "="):
		return f.Tokens[i].End != f.Tokens[i+1].Start
	case f.Is(i+1, "[") || f.Is(i+1, "("):
		return f.Kind(i-1) == Ident || f.Is(i-1, "]")
	}
	return i+1 == len(f.Tokens) || listed(" "+afterValue+" ", f.Source(i+1))
}

// value reports whether an expression may end with token i.
func (p *plainer) value(i int) bool {
	f := p.f
	switch f.Kind(i) {
	case Ident:
		return !listed(beforeGroups+"new extends instanceof import export type ", f.Source(i)) || f.Is(i-1, ".")
	case Punct:
		return f.Is(i, ")") || f.Is(i, "]") || f.Is(i, "}") || f.Is(i, "!")
	case TemplatePart:
		return strings.HasSuffix(f.Source(i), "`")
	default:
		return true
	}
}

// casts reports whether the word as at token i gives the value before it a type, and
// nothing another name.
func (p *plainer) casts(i int) bool {
	f := p.f
	if i == 0 || f.Is(i-1, ".") || !p.value(i-1) {
		return false
	}
	named := len(p.open) > 0 && f.Is(p.open[len(p.open)-1].at, "{") && (f.Is(i-2, "{") || f.Is(i-2, ",") || f.Is(i-2, "type"))
	return !named
}

// typeEnd returns the token after the type that begins at token i, 0 when it is of no
// simple form.
func (f *File) typeEnd(i int) int {
	for {
		for f.Is(i, "typeof") || f.Is(i, "keyof") || f.Is(i, "readonly") {
			i++
		}
		switch {
		case f.Kind(i) == Ident && i < len(f.Tokens), f.Kind(i) == String:
			i++
		case f.Is(i, "{"), f.Is(i, "["):
			if i = f.Close(i) + 1; i == 0 {
				return 0
			}
		default:
			return 0
		}
		for f.Is(i, ".") && f.Kind(i+1) == Ident {
			i += 2
		}
		if f.Is(i, "<") {
			if i = f.anglesEnd(i); i == 0 {
				return 0
			}
		}
		for f.Is(i, "[") && f.Is(i+1, "]") {
			i += 2
		}
		if !f.Is(i, "|") && !f.Is(i, "&") || f.Is(i+1, f.Source(i)) {
			return i
		}
		i++
	}
}

// maxType is how many tokens the arguments of a type may have.
const maxType = 100

// anglesEnd returns the token after the arguments of a type that begin at token i, or 0.
func (f *File) anglesEnd(i int) int {
	depth := 0
	for j := i; j < i+maxType && j < len(f.Tokens); j++ {
		switch {
		case f.Is(j, "<"):
			depth++
		case f.Is(j, ">"):
			if depth--; depth == 0 {
				return j + 1
			}
		case f.Is(j, ";"):
			return 0
		}
	}
	return 0
}
