package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// tsupNames are the options of tsup and tsdown that esbuild calls otherwise.
var tsupNames = map[string]string{"entry": "entryPoints", "entryPoints": "entryPoints", "outDir": "outdir", "outExtensions": "outExtension"}

// tsupFlags are the flags that take a value in the next word.
var tsupFlags = []string{
	"-d", "--out-dir", "--format", "--target", "--tsconfig", "--external", "--no-external", "--env", "--entry", "--define", "--loader", "--config", "-c",
	"--platform", "--inject", "--global-name", "--onSuccess", "--on-success", "--jsxFactory", "--publicDir", "--legal-comments",
}

// tsup reads a command line of tsup or tsdown together with its configuration,
// of which the command line overrides what it names.
func (p *plan) tsup(s step, tool string) {
	given := flags(s, tsupFlag)
	file := ""
	given = slices.DeleteFunc(given, func(o option) bool {
		if o.name == "config" && o.value.kind == text {
			file = o.value.text
		}
		return o.name == "config"
	})
	configs, ok := p.tsupConfig(s, tool, file)
	if !ok {
		return
	}
	if len(configs) == 0 {
		configs = []value{{kind: object}}
	}
	for _, config := range configs {
		all := slices.DeleteFunc(options(config, tsupNames), func(o option) bool {
			return slices.ContainsFunc(given, func(g option) bool { return g.name == o.name })
		})
		all = append(all, given...)
		if !slices.ContainsFunc(all, func(o option) bool { return o.name == "outdir" }) {
			all = append(all, option{"outdir", value{kind: text, text: "dist", at: s.at}})
		}
		for i := range all {
			if all[i].name == "banner" {
				all[i].value = all[i].value.returned()
			}
		}
		call := s
		if config.at.File != "" {
			call.at = config.at
		}
		p.add(p.newBuild(tool, call, all))
	}
}

// tsupFlag reads one flag of tsup or tsdown.
func tsupFlag(words []word, i int, at diag.Position) (option, int) {
	flag, joined, cut := strings.Cut(words[i].text, "=")
	v, next := value{kind: boolean, text: "true", at: at}, i+1
	switch {
	case cut:
		v = value{kind: text, text: joined, at: at}
	case slices.Contains(tsupFlags, flag) && i+1 < len(words):
		v, next = value{kind: text, text: words[i+1].text, at: at}, i+2
	}
	name := strings.TrimLeft(flag, "-")
	if short, ok := map[string]string{"d": "outDir", "c": "config"}[name]; ok {
		name = short
	}
	head, key, dotted := strings.Cut(name, ".") // --entry.name, --env.NAME, --loader.ext
	name = camel(head)
	if known, ok := tsupNames[name]; ok {
		name = known
	}
	if dotted {
		if name == "loader" {
			key = "." + strings.TrimPrefix(key, ".")
		}
		v = pair(key, v)
	}
	if name == "format" && v.kind == text {
		v = value{kind: list, at: at}
		for _, f := range strings.Split(strings.TrimPrefix(joined+words[next-1].text, flag+"="), ",") {
			v.list = append(v.list, value{kind: text, text: f, at: at})
		}
	}
	return option{name, v}, next
}

// tsupConfig reads the configuration files that tsup and tsdown look for. False
// means that there is one that cannot be understood, which is noted.
func (p *plan) tsupConfig(s step, tool, named string) ([]value, bool) {
	var names []string
	for _, ext := range []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"} {
		names = append(names, tool+".config"+ext)
	}
	if named != "" {
		names = []string{named}
	}
	for _, name := range names {
		file, ok := inside(s.folder, name)
		if !ok {
			p.repo.leave(tool+": configuration "+name, s.at, "the path leads out of the repository")
			return nil, false
		}
		if !p.repo.exists(file) {
			continue
		}
		return p.configFile(s, tool, file)
	}
	if s.pkg != nil && s.pkg.doc != nil {
		if v := fromJSON(s.pkg.doc, &s.pkg.doc.Value).get(tool); v.kind != absent {
			return v.items(), true
		}
	}
	return nil, true
}

// configFile reads what a configuration file exports.
func (p *plan) configFile(s step, tool, file string) ([]value, bool) {
	var v value
	if path.Ext(file) == ".json" {
		data, err := p.repo.read(file)
		if err != nil {
			p.repo.leave(file, diag.Position{File: file}, "the file "+err.Error())
			return nil, false
		}
		v = jsonValue(file, data)
	} else {
		script := p.repo.script(file)
		if script == nil {
			return nil, false
		}
		script.folder = s.folder
		v = script.exported().returned()
	}
	var out []value
	for _, part := range v.items() {
		if part = part.returned(); part.kind != object {
			p.repo.leave(tool+": configuration", part.at, orWhy(part, "it is no object"))
			continue
		}
		out = append(out, part)
	}
	return out, len(out) > 0
}

// exported is what a script exports by default.
func (s *script) exported() value {
	for i := range s.file.Tokens {
		switch {
		case s.file.Is(i, "export") && s.file.Is(i+1, "default"):
			v, _ := s.read(i + 2)
			return v
		case s.file.Is(i, "module") && s.file.Is(i+1, ".") && s.file.Is(i+2, "exports") && s.file.Is(i+3, "="):
			v, _ := s.read(i + 4)
			return v
		}
	}
	return opaque(diag.Position{File: s.path}, "exports nothing by default")
}
