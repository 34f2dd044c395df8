package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// maxHooked bounds the files of hooks that are looked into.
const maxHooked = 200

// hooked is a file that a hook runs.
type hooked struct {
	file string
	at   diag.Position
	sure bool // it was named from the plugin's folder, so it is a file
}

// ofHooks makes bundles of built files that hooks run. What a hook runs as it
// was written by hand stays as it is.
func (p *plan) ofHooks(have []bundle) []bundle {
	var out []bundle
	for _, h := range p.hookedFiles() {
		o, why := p.hookOrigin(h)
		what := "hook starts " + h.file
		taken := func() bool {
			return slices.ContainsFunc(append(slices.Clone(have), out...), func(other bundle) bool { return other.entry.entry == o.entry })
		}
		switch {
		case why != "":
			p.repo.leave(what, h.at, why)
		case o.entry == "" || taken() || !p.runsInNode("hook "+h.file, o.entry):
		case o.via != "" && (o.build == nil || path.Ext(h.file) != ".sh"):
			p.repo.leave(what, h.at, "it names what is built of "+o.entry+"; make that a bundle, of kind script when it is started and of kind module when it is imported")
			p.claim(o.entry)
		default:
			out = append(out, hookBundle(h, o))
		}
	}
	return out
}

func hookBundle(h hooked, o origin) bundle {
	b := bundle{nameAt: h.at, kind: "script", kindAt: h.at, entry: o, started: h.file, startedAt: h.at}
	if o.build != nil {
		b.nameAt = o.product.fileAt
	}
	if o.via != "" {
		b.started, b.startedAt = o.product.file, diag.Position{File: o.via}
	}
	b.name = plainName(path.Base(stem(b.started)))
	return b
}

// hookOrigin finds the source of a file that a hook runs: no entry when it was
// written by hand, and a reason when it was built and the source is unknown.
func (p *plan) hookOrigin(h hooked) (origin, string) {
	o, why := p.originOf(h.file, h.at)
	switch {
	case why != "" && (!h.sure || p.repo.isFile(h.file) && !productFolder(h.file)):
		return origin{}, ""
	case why == "" && o.entry == h.file && !slices.Contains([]string{".ts", ".mts", ".cts", ".tsx"}, path.Ext(h.file)):
		return origin{}, ""
	}
	return o, why
}

// hookedFiles lists the scripts that hooks run, each once.
func (p *plan) hookedFiles() []hooked {
	var out []hooked
	quotes := strings.NewReplacer(`"`, "", "'", "")
	for _, v := range p.hooks() {
		for _, c := range commandsBelow(v, 0) {
			for _, word := range strings.FieldsFunc(quotes.Replace(c.text), func(r rune) bool { return strings.ContainsRune(" \t\n\r`;&|()=", r) }) {
				file, ok := inside(".", place.ReplaceAllString(word, ""))
				script := slices.Contains(sourceExtensions, path.Ext(file)) || path.Ext(file) == ".sh"
				if ok && script && !strings.Contains(file, "$") && len(out) < maxHooked && !slices.ContainsFunc(out, func(h hooked) bool { return h.file == file }) {
					out = append(out, hooked{file, c.at, place.MatchString(word)})
				}
			}
		}
	}
	return out
}

// hooks returns what declares hooks: the usual file, and what plugin.json holds
// or names.
func (p *plan) hooks() []value {
	const usual = "hooks/hooks.json"
	files := []string{usual}
	var out []value
	if doc := p.repo.document(project.ManifestFile, project.Strict); doc != nil {
		for _, v := range fromJSON(doc, &doc.Value).get("hooks").items() {
			file, ok := inside(".", v.text)
			switch {
			case v.kind == object:
				out = append(out, v)
			case ok && v.kind == text && file != usual && len(files) < 10:
				files = append(files, file)
			}
		}
	}
	for _, file := range files {
		if p.repo.isFile(file) {
			if doc := p.repo.document(file, project.Strict); doc != nil {
				out = append(out, fromJSON(doc, &doc.Value))
			}
		}
	}
	return out
}

// commandsBelow collects the texts under command and args, at any depth.
func commandsBelow(v value, depth int) []value {
	var out []value
	if depth > 20 {
		return nil
	}
	for _, part := range v.list {
		out = append(out, commandsBelow(part, depth+1)...)
	}
	for _, m := range v.members {
		if m.key != "command" && m.key != "args" {
			out = append(out, commandsBelow(m.value, depth+1)...)
			continue
		}
		for _, word := range m.value.items() {
			if word.kind == text {
				out = append(out, word)
			}
		}
	}
	return out
}
