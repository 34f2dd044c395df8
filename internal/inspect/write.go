package inspect

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// settle makes the configuration: bundle by bundle, so that one which would be
// refused does not spoil the rest.
func (p *plan) settle(dir string) Result {
	var kept []bundle
	for _, b := range p.bundles() {
		try := newDraft()
		try.bundles([]bundle{b})
		if _, why := preview(dir, try.finish()); why != "" {
			p.repo.leave("bundle "+b.name, b.nameAt, "it would not be accepted: "+why)
			continue
		}
		kept = append(kept, b)
	}
	words, at := p.prebuild(kept)
	settings := p.plugin()
	if len(kept) == 0 {
		return Result{}
	}
	d := newDraft()
	d.bundles(kept)
	if len(words) > 0 {
		d.line("prebuild", array(words), at, "")
	}
	if len(settings) > 0 {
		d.open("plugin", "{")
		for _, s := range settings {
			d.line(s.name, quoted(s.value), s.at, "")
		}
		d.close("}")
	}
	text := d.finish()
	accepted, why := preview(dir, text)
	if why != "" {
		p.repo.leave("plugin and prebuild", diag.Position{File: project.ManifestFile}, "they would not be accepted: "+why)
		d = newDraft()
		d.bundles(kept)
		text = d.finish()
		accepted, _ = preview(dir, text)
	}
	p.hooksToChange(kept)
	p.targets(kept, accepted)
	p.oldBuild(kept)
	return Result{Config: text, Bundles: len(kept), Taken: d.taken, Changes: p.changes(kept)}
}

// preview reads a configuration as every command will. It returns why it would
// not load, or "".
func preview(dir string, text []byte) (*project.Project, string) {
	p, err := project.Preview(dir, text)
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure) && len(failure.Diagnostics) > 0:
		return nil, failure.Diagnostics[0].Message
	case err != nil:
		return nil, err.Error()
	}
	return p, ""
}

// targets names the versions of Node that builds asked for and bundles are not
// made for.
func (p *plan) targets(kept []bundle, accepted *project.Project) {
	if accepted == nil || len(accepted.Bundles) != len(kept) {
		return
	}
	for i, b := range kept {
		if b.entry.build == nil {
			continue
		}
		for _, target := range b.entry.build.targets {
			why := "; for another version write engines.node into package.json"
			if accepted.Package.NodeEngine != "" {
				why = ", as engines.node of package.json says"
			}
			made := accepted.Bundles[i].Target
			if version, _, _ := strings.Cut(target.value, "."); version != made {
				p.repo.leave(b.entry.build.tool+": target "+target.value, target.at, "bundles are made for "+made+why)
			}
		}
	}
}

// changes lists the servers that start something else than their bundle, which
// the next build puts right.
func (p *plan) changes(kept []bundle) []Left {
	var out []Left
	add := func(what string, at diag.Position, why string) {
		at.Column = 0
		out = append(out, Left{What: clip(what), From: at.String(), Why: why})
	}
	servers := p.servers()
	for _, b := range kept {
		if !b.register {
			continue
		}
		starts := "node ${CLAUDE_PLUGIN_ROOT}/" + b.outfile.value
		if len(servers) == 0 {
			add("server "+b.name, b.nameAt, "is written into .mcp.json, to start "+starts)
		}
		for _, s := range servers {
			started := orElse(s.target, p.repo.shownProgram(s.command))
			if s.key != b.name || s.target == "" || s.target == b.outfile.value && strings.HasPrefix(s.command, "node") {
				continue
			}
			if s.target == b.outfile.value {
				started = p.repo.shownProgram(s.command)
			}
			add("server "+s.key+" starts "+started, s.argAt, "it will start "+starts)
		}
	}
	return out
}

// hooksToChange names the commands of hooks that start a file of another name now.
func (p *plan) hooksToChange(kept []bundle) {
	for _, b := range kept {
		if b.started != "" && b.started != b.outfile.value {
			p.repo.leave("hook starts "+b.started, b.startedAt, "no command changes hooks: before the build, make it start node ${CLAUDE_PLUGIN_ROOT}/"+b.outfile.value)
		}
	}
}

// draft is the text of a configuration in the making, and what went into it.
type draft struct {
	lines []string // without the comma that follows all but the last of a level
	notes []string
	path  []string
	taken []Taken
}

func newDraft() *draft { return &draft{} }

func (d *draft) bundles(all []bundle) {
	d.open("bundles", "[")
	for i, b := range all {
		d.open(fmt.Sprintf("[%d]", i), "{")
		note := ""
		if i == 0 && b.register {
			note = "stands in the name of every tool, so short is good"
		}
		d.line("name", quoted(b.name), b.nameAt, note)
		if b.kind != "" {
			d.line("kind", quoted(b.kind), b.kindAt, "")
		}
		d.line("entry", quoted(b.entry.entry), b.entry.at, "")
		d.line("outfile", quoted(b.outfile.value), b.outfile.at, "")
		if len(b.external) > 0 {
			names := make([]string, len(b.external))
			for n, s := range b.external {
				names[n] = s.value
			}
			d.line("external", array(names), b.external[0].at, "left to the user's machine; take out what is needed at the start")
		}
		d.settings("define", b.define, "")
		d.settings("loader", b.loader, "")
		d.settings("env", b.env, "for the run that checks the bundle")
		d.close("}")
	}
	d.close("]")
}

func (d *draft) settings(key string, all []setting, note string) {
	if len(all) == 0 {
		return
	}
	d.open(key, "{")
	for _, s := range all {
		d.line(s.name, quoted(s.value), s.at, note)
	}
	d.close("}")
}

// open begins an object or a list. A key in brackets is an index.
func (d *draft) open(key, bracket string) {
	d.path = append(d.path, key)
	if strings.HasPrefix(key, "[") {
		d.add(len(d.path), bracket, "")
		return
	}
	d.add(len(d.path), quoted(key)+": "+bracket, "")
}

// close ends it, and takes the comma from the line before.
func (d *draft) close(bracket string) {
	depth := len(d.path)
	d.path = d.path[:depth-1]
	last := len(d.lines) - 1
	d.lines[last] = strings.TrimSuffix(d.lines[last], ",")
	d.add(depth, bracket, "")
}

// line writes one value with its place beside it.
func (d *draft) line(key, value string, at diag.Position, note string) {
	at.Column = 0
	from := visible(at.String())
	d.taken = append(d.taken, Taken{Key: strings.ReplaceAll(strings.Join(append(d.path, key), "."), ".[", "["), Value: value, From: from})
	if note != "" {
		from += ", " + note
	}
	d.add(len(d.path)+1, quoted(key)+": "+value, from)
}

func (d *draft) add(depth int, text, note string) {
	comma := ","
	if strings.HasSuffix(text, "{") || strings.HasSuffix(text, "[") {
		comma = ""
	}
	d.lines = append(d.lines, strings.Repeat("  ", depth)+text+comma)
	d.notes = append(d.notes, note)
}

// finish returns the whole text.
func (d *draft) finish() []byte {
	var b strings.Builder
	b.WriteString("// Written by omcbuild init --here from what was there. Beside each value stands where it comes from.\n{\n")
	for i, line := range d.lines {
		if i == len(d.lines)-1 {
			line = strings.TrimSuffix(line, ",")
		}
		b.WriteString(line)
		if d.notes[i] != "" {
			b.WriteString(" // " + d.notes[i])
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return []byte(b.String())
}

// visible replaces what could end a comment or cannot be seen.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, s)
}

func array(words []string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = quoted(w)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
