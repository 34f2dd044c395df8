package inspect

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
)

// bundle is one entry of the configuration.
type bundle struct {
	name, kind     string
	nameAt, kindAt diag.Position
	entry          origin
	outfile        setting
	register       bool
	external       []setting
	define, loader []setting
	env            []setting
	started        string // of a hook: the file that it runs now
	startedAt      diag.Position
}

// bundles makes the bundles: one for each server whose source was found, then
// one for each built file that hooks run.
func (p *plan) bundles() []bundle {
	if p.foreign() {
		return nil
	}
	var out []bundle
	servers := p.servers()
	for _, s := range servers {
		if b, ok := p.ofServer(s); ok {
			out = append(out, b)
		}
	}
	out = append(out, p.ofHooks(out)...)
	if len(servers) == 0 {
		out = append(out, p.withoutServers(out)...)
	}
	alone := onlyServer(out)
	for i := range out {
		p.fill(&out[i], alone)
	}
	out = p.distinct(out)
	p.unclaimed()
	return out
}

// ofServer makes the bundle of a server.
func (p *plan) ofServer(s server) (bundle, bool) {
	what := "server " + s.key
	switch {
	case s.remote:
		p.repo.leave(what, s.at, "it is a remote server; there is nothing to bundle")
		return bundle{}, false
	case s.target == "":
		return p.ofCode(s)
	}
	o, why := p.originOf(s.target, s.argAt)
	if why != "" {
		p.repo.leave(what, s.argAt, why)
		return bundle{}, false
	}
	if !p.runsInNode(what, o.entry) {
		return bundle{}, false
	}
	b := bundle{name: s.key, nameAt: s.at, entry: o, register: true}
	b.env = p.env(s)
	if o.via != "" {
		p.repo.leave("launcher "+o.via, s.argAt, "what it does before it starts the server is not taken over; the bundle is started directly")
	}
	if !isBundleName(s.key) {
		b.name = p.freeName(plainName(s.key))
		p.repo.leave(what, s.at, "a bundle is named with letters, digits, - and _; it is called "+b.name+", so rename the server")
	}
	return b, true
}

// ofCode is a server that starts code on a command line, which may name a file.
func (p *plan) ofCode(s server) (bundle, bool) {
	what := "server " + s.key
	o, ok := p.mentioned(".", strings.Join(s.args, "\n"))
	if !ok {
		p.repo.leave(what, s.at, orElse(s.why, "it starts no file of this repository"))
		return bundle{}, false
	}
	if !p.runsInNode(what, o.entry) {
		return bundle{}, false
	}
	p.repo.leave("launcher of server "+s.key, s.at, s.why+"; what that does is not taken over: make command node and args the bundle alone, by hand")
	return bundle{name: s.key, nameAt: s.at, entry: o, register: true, env: p.env(s)}, isBundleName(s.key)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// freeName returns a name, or with a number behind it when a server has it.
func (p *plan) freeName(name string) string {
	free := name
	for n := 2; p.renamed[free] || slices.ContainsFunc(p.servers(), func(s server) bool { return s.key == free }); n++ {
		tail := "-" + strconv.Itoa(n)
		free = name[:min(len(name), maxBundleName-len(tail))] + tail
	}
	p.renamed[free] = true
	return free
}

// plainName makes a bundle's name of any text.
func plainName(text string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') {
			return r
		}
		return '-'
	}, text), "-_")
	if name = name[:min(len(name), maxBundleName)]; name == "" {
		return "t"
	}
	return name
}

// runsInNode stops a bundle that only Bun can run.
func (p *plan) runsInNode(what, entry string) bool {
	at, code := p.onlyBun(entry)
	if code == "" {
		return true
	}
	p.repo.leave(what, at, "it uses "+code+", which only Bun has; keep bun as its command, or use what Node has in its place")
	p.claim(entry)
	return false
}

// claim marks what is made of an entry as spoken of.
func (p *plan) claim(entry string) {
	p.used[entry] = true
}

// env lists the variables that a server is started with, with dummies for
// their values. What the client fills in is left out.
func (p *plan) env(s server) []setting {
	var out []setting
	for _, v := range s.env {
		switch {
		case !variableName.MatchString(v.name), strings.Contains(v.value, "CLAUDE_PLUGIN_"), strings.Contains(v.value, ":-"):
		case harmless(v.name, v.value):
			out = append(out, v)
		default:
			out = append(out, setting{v.name, "dummy", v.at})
		}
	}
	return out
}

// withoutServers makes bundles where no server is declared: of what bin names,
// and of built sources that are servers by their looks.
func (p *plan) withoutServers(have []bundle) []bundle {
	var out []bundle
	add := func(o origin, name setting) {
		taken := slices.ContainsFunc(append(slices.Clone(have), out...), func(other bundle) bool { return other.entry.entry == o.entry })
		if !taken && p.servesTools(o.entry) && p.runsInNode(name.value, o.entry) {
			out = append(out, bundle{name: plainName(name.name), nameAt: name.at, entry: o, register: true})
		}
	}
	for _, of := range p.packages {
		for _, bin := range of.bins {
			if o, why := p.originOf(bin.value, bin.at); why == "" {
				add(o, setting{bin.name, bin.value, bin.at})
			}
		}
	}
	for _, b := range p.builds {
		for _, o := range b.outputs {
			add(origin{entry: o.entry, at: o.entryAt, build: b, product: o}, setting{path.Base(stem(o.file)), o.file, o.fileAt})
		}
	}
	return out
}

// servesTools reports whether a source, or what it imports at first hand, is an
// MCP server.
func (p *plan) servesTools(entry string) bool {
	s := p.repo.script(entry)
	if s == nil {
		return false
	}
	text := s.file.Text
	for i := range s.file.Tokens {
		if module, ok := s.file.Literal(i); ok && strings.HasPrefix(module, ".") && importing(s.file, i) {
			if next, ok := inside(path.Dir(entry), module); ok {
				if data, err := p.repo.read(p.imported(next)); err == nil {
					text += string(data)
				}
			}
		}
	}
	return strings.Contains(text, "@modelcontextprotocol/") || strings.Contains(text, "tools/list") || strings.Contains(text, "fastmcp")
}

// onlyServer reports whether one bundle of all is a server.
func onlyServer(all []bundle) bool {
	n := 0
	for _, b := range all {
		if b.register {
			n++
		}
	}
	return n == 1
}

// fill takes over the options of the build, and chooses the outfile.
func (p *plan) fill(b *bundle, alone bool) {
	p.claim(b.entry.entry)
	if from := b.entry.build; from != nil {
		b.external, b.define, b.loader = uniqueValues(from.external), lastOfName(from.define), lastOfName(from.loader)
	}
	b.outfile = p.outfile(b, alone)
}

// distinct drops bundles that would be called or written like one before.
func (p *plan) distinct(all []bundle) []bundle {
	var out []bundle
	for _, b := range all {
		same := slices.IndexFunc(out, func(o bundle) bool { return o.entry.entry == b.entry.entry && o.outfile.value == b.outfile.value })
		switch {
		case same >= 0:
			p.repo.leave("server "+b.name, b.nameAt, "it starts the same file as "+out[same].name+"; two servers of one command are one to the client")
			continue
		case slices.ContainsFunc(out, func(o bundle) bool { return o.name == b.name }):
			p.repo.leave(b.entry.entry, b.nameAt, "its name "+b.name+" is taken by another bundle")
			continue
		case slices.ContainsFunc(out, func(o bundle) bool { return o.outfile.value == b.outfile.value }):
			b.outfile.value = "bridge/" + b.name + ".cjs"
		}
		out = append(out, b)
	}
	return out
}

// unclaimed names the files of bundlers that nothing of the plugin starts.
func (p *plan) unclaimed() {
	for _, b := range p.builds {
		for _, o := range b.outputs {
			if !p.used[o.entry] {
				p.repo.leave(b.tool+": "+o.entry, o.entryAt, "no server, hook or command of the plugin starts "+o.file+"; add a bundle of kind script or module when it is needed")
			}
		}
	}
}

func uniqueValues(all []setting) []setting {
	var out []setting
	for _, s := range all {
		if !slices.ContainsFunc(out, func(o setting) bool { return o.value == s.value }) {
			out = append(out, s)
		}
	}
	return out
}

// lastOfName keeps the last setting of each name, in order of the names.
func lastOfName(all []setting) []setting {
	var out []setting
	for _, s := range all {
		out = slices.DeleteFunc(out, func(o setting) bool { return o.name == s.name })
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b setting) int { return strings.Compare(a.name, b.name) })
	return out
}
