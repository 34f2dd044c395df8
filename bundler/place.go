package bundler

import (
	"path"
	"path/filepath"
	"strings"

	"omcbuild/internal/jsscan"
)

// place is an expression that names a file or folder relative to the module it
// stands in, such as path.join(__dirname, "data", name).
type place struct {
	rel         string // from the module's folder, slash separated
	first, last int    // its tokens
	args        int    // the parenthesis before the arguments of join or resolve
	literals    []int  // the tokens of its constant parts after the base
	url         bool   // new URL(…, import.meta.url)
	urlEnd      int    // the last token of that URL's base, when it is not import.meta.url itself
	whole       bool   // require.resolve: only the result matters
	wrapped     bool   // a call around a place that was glued: only the result matters
	link        bool   // it is a URL, or the text of one, and no path
	href        bool   // import.meta.resolve: the result is the text of a URL
	installed   bool   // in a package, found by the package's name
	open        bool   // parts that are not constant follow
	glued       bool   // parts were glued with + or a template instead of joined
}

// reader looks for places in one module.
type reader struct {
	f       *jsscan.File
	self    string                                  // the module's file name
	folders map[string]string                       // variables that hold a place: name → rel
	links   map[string]bool                         // those of them that hold a URL
	returns map[string]string                       // functions that return a place: name → rel
	loaders map[string]bool                         // variables that hold a require
	renamed map[string]string                       // imported functions under other names: name here → name there
	scopes  map[string]scope                        // where short names of variables count
	find    func(spec string) (rel string, ok bool) // a file of a package
}

func newReader(f *jsscan.File, file string) *reader {
	self := filepath.Base(file)
	return &reader{f: f, self: self, loaders: loadersOf(f), renamed: renamedOf(f), scopes: map[string]scope{}, links: map[string]bool{}, folders: map[string]string{"__dirname": ".", "__filename": self}}
}

// base recognises what a place starts from, at token i.
func (r *reader) base(i int) (place, bool) {
	f := r.f
	if f.Is(i-1, ".") {
		return place{}, false
	}
	if rel, known := r.returns[f.Source(i)]; known && f.Is(i+1, "(") && f.Is(i+2, ")") && !f.Is(i-1, "function") {
		return place{rel: rel, first: i, last: i + 2}, true
	}
	if rel, known := r.folders[f.Source(i)]; known && f.Kind(i) == jsscan.Ident && r.counts(i) {
		if f.Is(i+1, "=") && !f.Is(i+2, "=") {
			delete(r.folders, f.Source(i)) // it gets a value of its own
			return place{}, false
		}
		return place{rel: rel, first: i, last: i, link: r.links[f.Source(i)]}, !f.Is(i+1, ":") && !f.Is(i+1, "=")
	}
	if f.Is(i, "import") && f.Is(i+1, ".") && f.Is(i+2, "meta") && f.Is(i+3, ".") {
		switch f.Source(i + 4) {
		case "dirname", "dir":
			return place{rel: ".", first: i, last: i + 4}, true
		case "filename", "path", "url":
			return place{rel: r.self, first: i, last: i + 4, link: f.Is(i+4, "url")}, true
		}
	}
	return place{}, false
}

// take remembers the variables of const { dirname, url: here } = import.meta, whose
// import is token i.
func (r *reader) take(i int) {
	f := r.f
	if !f.Is(i, "import") || !f.Is(i+2, "meta") || f.Is(i+3, ".") || !f.Is(i-1, "=") || !f.Is(i-2, "}") {
		return
	}
	for j := i - 3; j > 0 && !f.Is(j, "{"); j-- {
		name := f.Source(j)
		if f.Is(j-1, ":") {
			j -= 2
		}
		switch f.Source(j) {
		case "dirname":
			r.folders[name] = "."
		case "filename", "url":
			r.folders[name] = r.self
			r.links[name] = f.Is(j, "url")
		}
	}
}

// at recognises a place that starts at token i.
func (r *reader) at(i int) (place, bool) {
	if p, ok := r.base(i); ok {
		return r.glue(p), true
	}
	if p, ok := r.call(i); ok {
		return r.glue(p), true
	}
	if p, ok := r.template(i); ok {
		return p, true
	}
	return place{}, false
}

// call recognises a function of node:path or node:url around a place, and new URL.
func (r *reader) call(i int) (place, bool) {
	f := r.f
	if f.Is(i-1, ".") {
		return place{}, false
	}
	name := i
	indirect := f.Is(i, "(") && f.Source(i+1) == "0" && f.Is(i+2, ",") // (0, path.join)(…), as compilers write it
	if f.Is(i, "new") {
		name = i + 1
	} else if indirect {
		name = i + 3
	}
	for f.Kind(name) == jsscan.Ident && f.Is(name+1, ".") { // path.join, import_path.default.join
		name += 2
	}
	open := name + 1
	if indirect && f.Is(open, ")") {
		open++
	}
	if f.Kind(name) != jsscan.Ident || !f.Is(open, "(") || indirect && open == name+1 {
		return place{}, false
	}
	end := f.Close(open)
	if end < 0 {
		return place{}, false
	}
	var p place
	ok := false
	switch r.called(name) {
	case "URL":
		p, ok = r.newURL(open+1, end)
	case "register": // of node:module
		p, ok = r.newURL(open+1, end)
		ok = ok && !p.open && f.Kind(open+1) == jsscan.String && strings.HasPrefix(f.Source(open + 1)[1:], ".")
	case "dirname":
		if p, ok = r.at(open + 1); ok && p.last == end-1 && !p.open {
			p = place{rel: path.Join(p.rel, ".."), installed: p.installed, link: p.link}
		}
	case "fileURLToPath", "normalize", "realpathSync":
		p, ok = r.at(open + 1)
		ok = ok && p.last == end-1
		p.wrapped = p.wrapped || p.glued
		if r.called(name) == "fileURLToPath" {
			p.href, p.link = false, false
		}
	case "pathToFileURL":
		p, ok = r.at(open + 1)
		ok = ok && p.last == end-1 && !p.link && len(p.literals) == 0
		p.link = true
	case "join", "resolve": // of node:path, require and import.meta
		if p, ok = r.required(i, name, end); !ok {
			p, ok = r.join(open+1, end)
		}
	}
	p.first, p.last = i, end
	return p, ok
}

// required recognises require.resolve("./file"), import.meta.resolve, and the files
// of packages in the place of "./file".
func (r *reader) required(i, name, end int) (place, bool) {
	text, constant := r.f.Literal(name + 2)
	href := r.f.Is(i, "import") && name == i+4
	if r.f.Kind(name+2) == jsscan.TemplatePart && !href && r.loaders[r.f.Source(i)] && name == i+2 {
		return r.requiredFrom(name + 2)
	}
	if !href && (!r.loaders[r.f.Source(i)] || name != i+2) || !constant || end != name+3 {
		return place{}, false
	}
	p := place{rel: path.Clean(text), literals: []int{name + 2}, whole: true, href: href}
	if !strings.HasPrefix(text, ".") {
		p.rel, p.installed = r.find(text)
		return p, p.installed
	}
	return p, true
}

// requiredFrom recognises the argument of require.resolve(`./folder/${…}.file`), the
// template that begins at token i, and the folders of packages.
func (r *reader) requiredFrom(i int) (place, bool) {
	text := strings.TrimSuffix(strings.TrimPrefix(r.f.Source(i), "`"), "${")
	cut := strings.LastIndexByte(text, '/') + 1
	if cut == 0 || strings.ContainsAny(text, "\\\n") {
		return place{}, false
	}
	p := place{rel: text, literals: []int{i}, whole: true, open: true, glued: true}
	if !strings.HasPrefix(text, ".") {
		folder, found := r.find(text[:cut])
		p.rel, p.installed = folder+"/"+text[cut:], true
		return p, found
	}
	return p, true
}

// join reads the arguments of path.join or path.resolve.
func (r *reader) join(i, end int) (place, bool) {
	f := r.f
	p, ok := r.at(i)
	if !ok || p.open {
		return place{}, false
	}
	if p.last == end-1 && len(p.literals) > 0 {
		p.wrapped = true
		return p, !p.url && !p.link
	}
	p.args, p.literals, p.url, p.glued, p.wrapped = i-1, nil, false, false, false
	for at := p.last + 1; at < end; at += 2 {
		text, constant := f.Literal(at + 1)
		if !f.Is(at, ",") || !constant || at+2 < end && !f.Is(at+2, ",") || strings.HasPrefix(text, "/") {
			p.open = true
			break
		}
		p.rel = path.Join(p.rel, text)
		p.literals = append(p.literals, at+1)
	}
	return p, true
}

// glue follows a place with + and constant strings behind it.
func (r *reader) glue(p place) place {
	for r.f.Is(p.last+1, "+") && !p.open {
		text, constant := r.f.Literal(p.last + 2)
		if !constant || p.url {
			p.open = true
			break
		}
		if p.last += 2; text == "" {
			continue
		}
		p.rel, p.glued, p.whole = p.rel+text, true, false
		p.literals = append(p.literals, p.last)
	}
	return p
}

// template recognises `${place}/constant` and `${place}/constant/${…}`.
func (r *reader) template(i int) (place, bool) {
	f := r.f
	if f.Kind(i) != jsscan.TemplatePart || f.Source(i) != "`${" {
		return place{}, false
	}
	p, ok := r.at(i + 1)
	if !ok || p.open || f.Kind(p.last+1) != jsscan.TemplatePart {
		return place{}, false
	}
	text := strings.TrimPrefix(f.Source(p.last+1), "}")
	p.open = strings.HasSuffix(text, "${")
	text = strings.TrimSuffix(strings.TrimSuffix(text, "`"), "${")
	if strings.ContainsAny(text, "\\\n") {
		return place{}, false
	}
	p.first, p.last = i, p.last+1
	if text == "" && !p.open { // the very place, as it is
		return p, len(p.literals) == 0
	}
	p.rel += text
	p.glued = true
	p.literals = append(p.literals, p.last)
	return p, true
}
