package bundler

import (
	"path"
	"path/filepath"

	"omcbuild/internal/jsscan"
)

// rewrite changes the expression so that it names the asset's new place; false when
// that cannot be said in its form. What is below a folder is rest.
func (n *neighbourhood) rewrite(p place, target, rest string) (edit, bool) {
	f := n.r.f
	ref, err := filepath.Rel(path.Dir(n.b.o.Outfile), target)
	if err != nil || len(p.literals) == 0 && !p.whole {
		return edit{}, false
	}
	ref = filepath.ToSlash(ref)
	first, end := f.Tokens[p.first].Start, f.Tokens[p.last].End
	if !p.open {
		rest = ""
	} else {
		rest = "/" + rest
	}
	folder := "__dirname"
	if n.r.folders["__dirname"] != "." {
		folder = "import.meta.dirname"
	}
	text := folder + " + " + quote("/"+ref+rest)
	inTemplate := "${" + folder + "}/" + ref + rest
	if p.href || p.glued && p.link {
		address := "new URL(" + quote("./"+ref) + ", import.meta.url).href"
		if text, inTemplate = address, "${"+address+"}"+rest; p.open {
			text += " + " + quote(rest)
		}
	}
	switch {
	case p.whole && p.open:
		return edit{first, n.lastLiteral(p), "(`" + inTemplate + "${"}, true
	case p.url:
		return n.rewriteURL(p, ref, rest), true
	case f.Kind(p.first) == jsscan.TemplatePart && p.open:
		return edit{first, n.lastLiteral(p), "`" + inTemplate + "${"}, true
	case f.Kind(p.first) == jsscan.TemplatePart && !p.link:
		return edit{first, n.lastLiteral(p), "`" + inTemplate + "`"}, true
	case p.whole, p.wrapped, p.glued:
		return edit{first, end, text}, true
	}
	return edit{f.Tokens[p.args].End, n.lastLiteral(p), folder + ", " + quote(ref)}, true
}

// lastLiteral is the end of the last constant part of a place.
func (n *neighbourhood) lastLiteral(p place) int {
	if len(p.literals) == 0 {
		return n.r.f.Tokens[p.last].End
	}
	return n.r.f.Tokens[p.literals[len(p.literals)-1]].End
}
