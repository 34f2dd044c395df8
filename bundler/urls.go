package bundler

import (
	"path"
	"strings"

	"omcbuild/internal/jsscan"
)

// newURL reads the arguments of new URL, from token i to the parenthesis at end: a name
// relative to the module, to its folder, or to a folder that a variable holds.
func (r *reader) newURL(i, end int) (place, bool) {
	f := r.f
	comma := i
	for comma < end && (!f.Is(comma, ",") || f.Tokens[comma].Parens != f.Tokens[i].Parens) {
		comma++
	}
	if comma == end { // new URL(import.meta.url)
		p, ok := r.at(i)
		return p, ok && p.link && p.last == end-1 && len(p.literals) == 0 && !p.open
	}
	base, ok := r.at(comma + 1)
	folder := strings.HasSuffix(base.rel, "/")
	if !ok || base.open || base.rel != r.self && !folder || base.last != end-1 {
		return place{}, false
	}
	text, constant := f.Literal(i)
	if !constant || comma != i+1 {
		return r.openURL(i, folder)
	}
	if strings.Contains(text, ":") || strings.HasPrefix(text, "/") {
		return place{}, false
	}
	p := place{rel: path.Clean(text), literals: []int{i}, url: true}
	if folder {
		p.rel, p.urlEnd = path.Join(base.rel, text), end-1
	}
	if last := path.Base(text); strings.HasSuffix(text, "/") || last == "." || last == ".." {
		p.rel += "/"
	}
	return p, true
}

// openURL reads a first argument of new URL that is not constant, at token i: with a
// constant folder at its beginning, as in `./pages/${name}.html` and "./pages/" + name,
// that folder is what is read.
func (r *reader) openURL(i int, folder bool) (place, bool) {
	f := r.f
	text, constant := f.Literal(i)
	if f.Kind(i) == jsscan.TemplatePart {
		text = strings.TrimSuffix(strings.TrimPrefix(f.Source(i), "`"), "${")
		constant = !strings.ContainsAny(text, "\\\n")
	} else if !f.Is(i+1, "+") {
		constant = false
	}
	if constant && (strings.Contains(text, ":") || strings.HasPrefix(text, "/")) {
		return place{}, false
	}
	if !constant || folder || !strings.Contains(strings.TrimPrefix(text, "./"), "/") {
		return place{rel: ".", open: true, url: true}, true
	}
	return place{rel: text, literals: []int{i}, open: true, glued: true, url: true}, true
}

// rewriteURL gives the first argument of new URL the new place of a file or folder,
// and of what is below it, rest with its slash.
func (n *neighbourhood) rewriteURL(p place, ref, rest string) edit {
	f := n.r.f
	start, end := f.Tokens[p.literals[0]].Start, f.Tokens[p.literals[len(p.literals)-1]].End
	switch {
	case p.open && f.Kind(p.literals[0]) == jsscan.TemplatePart:
		return edit{start, end, "`./" + ref + rest + "${"}
	case p.open:
		return edit{start, end, quote("./" + ref + rest)}
	case strings.HasSuffix(p.rel, "/"):
		ref += "/"
	}
	if p.urlEnd > 0 {
		return edit{start, f.Tokens[p.urlEnd].End, quote("./"+ref) + ", import.meta.url"}
	}
	return edit{start, end, quote("./" + ref)}
}
