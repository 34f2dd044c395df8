package inspect

import (
	"path"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
	"mvdan.cc/sh/v3/syntax"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// plugin is another plugin of the repository, in a folder of its own.
type plugin struct {
	name, folder string
	at           diag.Position
}

// catalog names the other plugins of the repository: each has a configuration
// of its own.
func (p *plan) catalog() {
	doc := p.repo.document(project.CatalogFile, project.Strict)
	list := doc.Find("plugins")
	if list == nil {
		return
	}
	entries, _ := list.Value.(*hujson.Array)
	for i := range entriesOf(entries) {
		source := project.LocalSource(doc, i)
		name := doc.String("plugins", strconv.Itoa(i), "name")
		at := doc.Position("plugins", strconv.Itoa(i), "source")
		folder, ok := inside(".", source)
		switch {
		case source == "" || folder == ".":
		case !ok:
			p.repo.leave("plugin "+name, at, "its folder lies outside the repository")
		case len(p.members) < maxFolders:
			p.members = append(p.members, plugin{name, folder, at})
			p.repo.leave("plugin "+name, at, "it has a folder of its own: "+hereIn(folder))
		}
	}
}

// hereIn is the command that configures a folder, as a shell takes it.
func hereIn(folder string) string {
	word, err := syntax.Quote(folder, syntax.LangPOSIX)
	if err != nil {
		return "change to it, and omcbuild init --here"
	}
	return "omcbuild -C " + word + " init --here"
}

func entriesOf(array *hujson.Array) []hujson.ArrayElement {
	if array == nil {
		return nil
	}
	return array.Elements
}

// foreign reports whether the root is no plugin but a repository of others. Of
// their servers those are named whose sources lie outside of their folders:
// these a build of the plugin cannot reach.
func (p *plan) foreign() bool {
	if len(p.members) == 0 || p.repo.exists(project.ManifestFile) || p.repo.exists(project.ServersFile) {
		return false
	}
	for _, m := range p.members {
		doc := p.repo.document(path.Join(m.folder, project.ServersFile), project.Strict)
		if doc == nil {
			continue
		}
		all := fromJSON(doc, &doc.Value)
		if named := all.get("mcpServers"); named.kind != absent {
			all = named
		}
		for _, server := range all.members {
			for _, arg := range server.value.get("args").items() {
				p.outside(m, server.key, arg)
			}
		}
	}
	return true
}

// outside names a server whose file the root builds from a source that is not
// in the plugin's folder.
func (p *plan) outside(m plugin, key string, arg value) {
	file, ok := inside(m.folder, place.ReplaceAllString(arg.text, ""))
	if !ok || arg.kind != text {
		return
	}
	if o, built := p.built(file); built && !strings.HasPrefix(o.entry, m.folder+"/") {
		from := o.build.from
		from.Column = 0
		p.repo.leave("server "+key+" of "+m.name, arg.at, o.build.tool+" ("+from.String()+") makes "+file+" from "+o.entry+
			", which lies outside the folder of the plugin; a bundle is built from sources inside it, so move them there")
	}
}
