package inspect

import (
	"path"
	"strings"

	"omcbuild/internal/diag"
)

// bun reads a command line of bun build.
func (p *plan) bun(s step) {
	s.words = s.words[1:]
	all := flags(s, bunFlag)
	for _, o := range all {
		if o.name == "compile" && o.value.kind != absent {
			p.repo.leave(p.repo.shown(s.texts()), s.at, "bun build --compile makes a program for one system; omcbuild makes a file that Node starts on all")
			return
		}
	}
	p.add(p.newBuild("bun build", s, all))
}

// bunFlags take a value, in the same word or the next.
var bunFlags = map[string]string{
	"--outdir": "outdir", "--outfile": "outfile", "--target": "target", "--format": "format", "--external": "external", "-e": "external",
	"--define": "define", "-d": "define", "--loader": "loader", "-l": "loader", "--root": "outbase", "--entry-naming": "entryNames",
	"--packages": "packages", "--banner": "banner", "--footer": "footer", "--sourcemap": "sourcemap", "--public-path": "publicPath",
	"--env": "envPrefix", "--conditions": "conditions", "--tsconfig-override": "tsconfig",
}

func bunFlag(words []word, i int, at diag.Position) (option, int) {
	flag, v, joined := strings.Cut(words[i].text, "=")
	name, valued := bunFlags[flag]
	next := i + 1
	if !valued {
		return option{camel(strings.TrimLeft(flag, "-")), value{kind: boolean, text: "true", at: at}}, next
	}
	if !joined && name == "sourcemap" {
		v = "true"
	} else if !joined && next < len(words) {
		v = words[next].text
		next++
	}
	out := value{kind: text, text: v, at: at}
	if name == "define" || name == "loader" {
		sep := "="
		if name == "loader" && !strings.Contains(v, "=") {
			sep = ":"
		}
		key, val, _ := strings.Cut(v, sep)
		out = pair(key, value{kind: text, text: val, at: at, version: words[next-1].version})
	}
	return option{name, out}, next
}

// ncc reads a command line of ncc: one entry, one folder.
func (p *plan) ncc(s step) {
	words := s.texts()
	var entry string
	if len(words) > 2 && words[1] == "build" {
		entry = words[2]
	}
	out, ok := flagged(words, "-o", "--out")
	if !ok {
		out = "dist"
	}
	if entry == "" || strings.HasPrefix(entry, "-") {
		p.repo.leave(p.repo.shown(words), s.at, "no entry stands where one is looked for")
		return
	}
	all := []option{
		{"entryPoints", value{kind: text, text: entry, at: s.at}},
		{"outfile", value{kind: text, text: path.Join(out, "index.js"), at: s.at}},
	}
	for i, w := range words {
		if (w == "-e" || w == "--external") && i+1 < len(words) {
			all = append(all, option{"external", value{kind: text, text: words[i+1], at: s.at}})
		}
	}
	p.add(p.newBuild("ncc", s, all))
}
