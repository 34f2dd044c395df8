package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

// server is an entry of mcpServers.
type server struct {
	key     string
	at      diag.Position
	remote  bool
	command string
	args    []string
	env     []setting
	target  string // the file of the repository that it starts; "" when there is none
	argAt   diag.Position
	why     string // why there is no target
}

// maxServers bounds the servers that are looked at; a configuration has at
// most that many bundles.
const maxServers = 100

// servers lists the servers that the plugin declares: in .mcp.json, and in or
// by plugin.json. The first of a name counts.
func (p *plan) servers() []server {
	if p.declared == nil {
		p.declared = p.readServers()
	}
	return p.declared
}

func (p *plan) readServers() []server {
	out := []server{}
	add := func(v value) {
		for _, m := range v.members {
			if len(out) < maxServers && !slices.ContainsFunc(out, func(s server) bool { return s.key == m.key }) {
				out = append(out, p.server(m.key, m.value))
			}
		}
	}
	files := []string{project.ServersFile}
	if doc := p.repo.document(project.ManifestFile, project.Strict); doc != nil {
		for _, v := range fromJSON(doc, &doc.Value).get("mcpServers").items() {
			switch file, ok := inside(".", v.text); {
			case v.kind == object:
				add(v)
			case v.kind == text && ok && path.Ext(file) == ".json":
				files = append(files, file)
			default:
				p.repo.leave("mcpServers "+p.repo.shown([]string{v.text}), v.at, "it names no JSON file of the plugin")
			}
		}
	}
	for _, file := range files {
		if doc := p.repo.document(file, project.Strict); doc != nil {
			all := fromJSON(doc, &doc.Value)
			if named := all.get("mcpServers"); named.kind != absent {
				all = named
			}
			add(all)
		}
	}
	return out
}

// place is what paths in manifests begin with.
var place = lazyregexp.New(`^(\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT|%CLAUDE_PLUGIN_ROOT%|\$\{CLAUDE_PROJECT_DIR\}|\$\{PWD\})/*`)

func (p *plan) server(key string, v value) server {
	s := server{key: key, at: v.at, argAt: v.at, command: v.get("command").text}
	kind := v.get("type").text
	s.remote = v.get("url").kind != absent || kind != "" && kind != "stdio"
	var places []diag.Position
	for _, arg := range v.get("args").items() {
		s.args = append(s.args, arg.text)
		places = append(places, arg.at)
	}
	for _, m := range v.get("env").members {
		s.env = append(s.env, setting{m.key, m.value.text, m.value.at})
	}
	if s.remote || v.kind != object {
		return s
	}
	n := p.started(&s)
	if n > 0 && n <= len(places) {
		s.argAt = places[n-1]
	}
	return s
}

// started finds the file that a server starts, and its place among the words
// of the command line.
func (p *plan) started(s *server) int {
	words := append([]string{s.command}, s.args...)
	program := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(s.command, `\`, "/"))), ".exe")
	switch {
	case isRunner(program):
		name, n := scriptOf(words)
		switch {
		case name == "":
			s.why = "it starts code that stands on its command line"
		case program == "bun" && (path.Ext(name) == "" || slices.Contains(words, "--cwd")):
			p.scriptNamed(s, words)
			return 0
		default:
			p.file(s, name)
		}
		return n
	case program == "npx" || program == "bunx":
		return p.npx(s, words)
	case program == "npm" || program == "pnpm" || program == "yarn":
		p.scriptNamed(s, words)
	case program == "sh" || program == "bash" || program == "zsh" || program == "cmd":
		if name, n := scriptOf(words); name != "" && !slices.Contains(words, "-c") && !slices.Contains(words, "/c") {
			p.file(s, name)
			return n
		}
		s.why = "it starts a command line of a shell"
	case place.MatchString(s.command) || strings.HasPrefix(s.command, "./"):
		p.file(s, s.command)
	case program == "deno":
		s.why = "it starts deno; a bundle is for Node"
	default:
		s.why = "it starts " + p.repo.shownProgram(s.command) + ", which is no program for JavaScript"
	}
	return 0
}

// file sets the file that a server starts.
func (p *plan) file(s *server, written string) {
	file, ok := inside(".", place.ReplaceAllString(written, ""))
	switch {
	case ok && !p.repo.exists(file) && !pathLike(file):
		s.why = "what it starts is no file of the repository, as far as its command line tells"
		return
	case !ok || strings.Contains(file, "${"):
		s.why = "it starts " + p.repo.shown([]string{written}) + ", which lies outside the repository"
		return
	}
	s.target = file
}

// npx is npx with a program or a package: tsx and a file, or the plugin's own.
func (p *plan) npx(s *server, words []string) int {
	n := 1 + skipFlags(words[1:], "-p", "--package")
	if n >= len(words) {
		s.why = "it names no program"
		return 0
	}
	name := withoutVersion(words[n])
	switch {
	case isRunner(name):
		file, m := scriptOf(words[n:])
		p.file(s, file)
		return n + m
	case p.root.doc != nil && name == p.root.name && len(p.root.bins) > 0:
		bin := p.root.bins[0]
		if i := slices.IndexFunc(p.root.bins, func(b setting) bool { return b.name == unscoped(name) }); i >= 0 {
			bin = p.root.bins[i]
		}
		s.target, s.argAt = bin.value, bin.at
		return 0
	}
	s.why = "it starts a package, whose sources are elsewhere"
	if n == 1+skipKnown(words[1:]) && packagePattern.MatchString(name) && !secretLike(name) {
		s.why = "it starts the package " + clip(name) + ", whose sources are elsewhere"
	}
	return 0
}

// skipKnown counts the flags of npx in front that take no value.
func skipKnown(words []string) int {
	n := 0
	for n < len(words) && slices.Contains([]string{"-y", "--yes", "-q", "--quiet", "--no-install", "--"}, words[n]) {
		n++
	}
	return n
}

// scriptNamed is a script of package.json: its last step is what starts.
func (p *plan) scriptNamed(s *server, words []string) {
	folder := "."
	var names []string
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case slices.Contains([]string{"--cwd", "--prefix", "-C", "--dir"}, w) && i+1 < len(words):
			i++
			folder = words[i]
		case strings.HasPrefix(w, "--cwd="), strings.HasPrefix(w, "--prefix="):
			_, folder, _ = strings.Cut(w, "=")
		case !strings.HasPrefix(w, "-") && w != "run":
			names = append(names, w)
		}
	}
	to, ok := inside(".", place.ReplaceAllString(folder+"/", ""))
	if !ok || len(names) == 0 {
		s.why = "it starts a script outside the repository"
		return
	}
	of := p.readPackage(to)
	script := ""
	for _, name := range names { // a flag may have taken those before
		if file, ok := inside(to, name); ok && p.repo.isFile(file) {
			s.target = file
			return
		}
		if of != nil && of.scripts[name].value != "" {
			script = name
			break
		}
	}
	if script == "" {
		s.why = "it starts a script that " + path.Join(to, project.PackageFile) + " does not have"
		return
	}
	w := walk{plan: p, seen: map[string]bool{}}
	w.script(of, script, nil)
	for i := len(w.out) - 1; i >= 0; i-- {
		step := w.out[i]
		name, _ := scriptOf(step.texts())
		if file, ok := inside(step.folder, name); ok && name != "" && isRunner(step.program()) {
			s.target, s.argAt = file, step.at
			return
		}
	}
	s.why = "its script " + clip(script) + " starts no file with node"
}
