package inspect

import (
	"path"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// outfile keeps the file of a bundler where it can be CommonJS and is not
// ignored by git; everything else goes to bridge. Alone says that one bundle is
// a server.
func (p *plan) outfile(b *bundle, alone bool) setting {
	old := b.entry.product
	moved := setting{value: "bridge/" + b.name + ".cjs", at: old.fileAt}
	if alone && b.register {
		moved.value = "bridge/mcp-server.cjs"
	}
	if old.file == "" {
		moved.at = b.nameAt
		return moved
	}
	keep := setting{value: old.file, at: old.fileAt}
	if ext := path.Ext(old.file); ext != ".cjs" && (ext != ".js" || p.moduleType(old.file) == "module") {
		keep.value = stem(old.file) + ".cjs"
	}
	if line := p.ignored(keep.value); line > 0 {
		p.repo.leave("output "+old.file, diag.Position{File: ".gitignore", Line: line}, "git ignores its folder, so an installed plugin would not have it; it goes to "+moved.value)
		return moved
	}
	return keep
}

// ignored returns the line of .gitignore that leaves out the folder of a file.
func (p *plan) ignored(file string) int {
	data, err := p.repo.read(".gitignore")
	if err != nil {
		return 0
	}
	found, line := 0, 0
	for text := range strings.Lines(string(data)) {
		line++
		rule := strings.TrimSpace(text)
		kept := strings.HasPrefix(rule, "!")
		rule = strings.Trim(strings.TrimSuffix(strings.TrimPrefix(rule, "!"), "/**"), "/")
		rule = strings.TrimSuffix(rule, "/*")
		for at := file; rule != "" && at != "."; at = path.Dir(at) {
			if at == rule || path.Base(at) == rule {
				if found = line; kept {
					found = 0
				}
			}
		}
	}
	return found
}

// plugin lists the settings of the plugin that differ from the defaults.
func (p *plan) plugin() []setting {
	doc := p.repo.document(project.ManifestFile, project.Strict)
	if doc == nil {
		return nil
	}
	all := fromJSON(doc, &doc.Value)
	var out []setting
	if name := all.get("name"); name.kind == text && name.text != "" && name.text != unscoped(p.root.name) {
		out = append(out, setting{"name", name.text, name.at})
	}
	for _, part := range []string{"skills", "commands", "agents", "hooks"} {
		v := all.get(part)
		if v.kind == absent {
			continue
		}
		file, ok := inside(".", strings.TrimSuffix(v.text, "/"))
		switch {
		case v.kind == list, v.kind == object:
			p.repo.leave("plugin.json: "+part, v.at, "the configuration names one "+map[bool]string{true: "file", false: "folder"}[part == "hooks"]+"; it is left at the default")
		case v.kind != text || !ok || !p.repo.exists(file):
			p.repo.leave("plugin.json: "+part, v.at, "it names nothing that is there")
		case file != part && file != "hooks/hooks.json":
			out = append(out, setting{part, file, v.at})
		}
	}
	return out
}

// oldBuild names what goes on to make the old files, and what in package.json
// still names them.
func (p *plan) oldBuild(kept []bundle) {
	for _, b := range kept {
		p.oldOutputs(b)
		for _, bin := range p.root.bins {
			if o, why := p.originOf(bin.value, bin.at); why == "" && o.entry == b.entry.entry && bin.value != b.outfile.value {
				p.repo.leave(p.root.file+" names "+bin.value, bin.at, "omcbuild does not make that file; name "+b.outfile.value+", or leave the entry to a build of its own")
			}
		}
	}
}

func (p *plan) oldOutputs(b bundle) {
	from := b.entry.build
	if from == nil || from.from.File == "" {
		return
	}
	for _, made := range from.outputs {
		if made.entry != b.entry.entry {
			continue
		}
		why := "the old build goes on to write that file; let its script run omcbuild build, and remove the file"
		if made.file == b.outfile.value {
			why = "the old build would write over the bundle; let its script run omcbuild build"
		}
		p.repo.leave(from.tool+" writes "+made.file, from.from, why)
	}
}
