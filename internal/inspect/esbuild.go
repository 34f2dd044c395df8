package inspect

import (
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// esbuild reads a command line of esbuild.
func (p *plan) esbuild(s step) {
	p.add(p.newBuild("esbuild", s, flags(s, esbuildFlag)))
}

// esbuildNames are the flags that are not merely the API's name in kebab case.
var esbuildNames = map[string]string{"servedir": "serve"}

// esbuildFlag reads one flag: --name, --name=value, --name:key=value or
// --name:value.
func esbuildFlag(words []word, i int, at diag.Position) (option, int) {
	flag := strings.TrimLeft(words[i].text, "-")
	name, rest := flag, ""
	if cut := strings.IndexAny(flag, ":="); cut >= 0 {
		name, rest = flag[:cut], flag[cut:]
	}
	name = camel(name)
	if known, ok := esbuildNames[name]; ok {
		name = known
	}
	made := words[i].version
	switch {
	case rest == "":
		return option{name, value{kind: boolean, text: "true", at: at}}, i + 1
	case rest[0] == '=':
		return option{name, value{kind: text, text: rest[1:], at: at, version: made}}, i + 1
	}
	key, val, paired := strings.Cut(rest[1:], "=")
	if !paired {
		return option{name, value{kind: list, list: []value{{kind: text, text: key, at: at}}, at: at}}, i + 1
	}
	if name == "outExtension" || name == "define" || name == "loader" || name == "alias" || name == "banner" || name == "footer" || name == "supported" {
		return option{name, pair(key, value{kind: text, text: val, at: at, version: made})}, i + 1
	}
	return option{name, value{kind: list, list: []value{{kind: text, text: rest[1:], at: at}}, at: at}}, i + 1
}

// pair is an object with one member.
func pair(key string, v value) value {
	return value{kind: object, members: []member{{key, v}}, at: v.at}
}

// camel turns a flag's name into the API's: log-level into logLevel.
func camel(name string) string {
	head, tail, ok := strings.Cut(name, "-")
	for ok && tail != "" {
		var part string
		part, tail, ok = strings.Cut(tail, "-")
		if part != "" {
			head += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return head
}

// flags reads the words after the program: flags by the function given, the
// rest as entries. An entry "name=path" names its product.
func flags(s step, flag func(words []word, i int, at diag.Position) (option, int)) []option {
	var out []option
	entries := value{kind: list, at: s.at}
	for i := 1; i < len(s.words); {
		if w := s.words[i].text; !strings.HasPrefix(w, "-") || w == "-" {
			entry := value{kind: text, text: w, at: s.at}
			if name, file, named := strings.Cut(w, "="); named {
				entry = pair(name, value{kind: text, text: file, at: s.at})
			}
			entries.list = append(entries.list, entry)
			i++
			continue
		}
		var o option
		o, i = flag(s.words, i, s.at)
		out = append(out, o)
	}
	if len(entries.list) > 0 {
		out = append(out, option{"entryPoints", entries})
	}
	return out
}

// options turns the object given to a bundler's API into options, under
// esbuild's names for them.
func options(v value, names map[string]string) []option {
	var out []option
	for i, m := range v.members {
		later := slices.ContainsFunc(v.members[i+1:], func(other member) bool { return other.key == m.key })
		if later && m.key != "..." { // the last of a name counts
			continue
		}
		name := m.key
		if known, ok := names[name]; ok {
			name = known
		}
		out = append(out, option{name, m.value})
	}
	return out
}

// buildScript looks for calls of bundlers in a script of the repository. False
// means that there are none.
func (p *plan) buildScript(s step, script *script) bool {
	script.folder = s.folder
	script.steps, script.known = 0, nil
	calls, first := 0, -1
	for i := range script.file.Tokens {
		tool, open := script.bundlerCall(i)
		if tool == "" {
			if p.shellCall(s, script, i) {
				calls++
			}
			continue
		}
		if first < 0 {
			first = i
		}
		if calls++; calls > maxCalls {
			p.repo.leave(tool, script.position(i), "there are more calls than are looked at")
			break
		}
		from := script.position(i)
		if _, named := bundlers[tool]; !named {
			p.repo.leave(tool, from, "builds by "+tool+" are not taken over")
			continue
		}
		reached := script.reachOf(i)
		if reached == never {
			p.repo.leave(tool, from, "the call stands in a function that nothing calls")
			continue
		}
		for _, bound := range script.contexts(i) {
			script.bound = bound
			v, _ := script.read(open + 1)
			script.bound = map[string]value{}
			for _, part := range v.items() {
				if part = part.returned(); part.kind != object {
					p.repo.leave(tool+": options", part.at, orWhy(part, "they are no object"))
					continue
				}
				call := s
				call.at = from
				made := p.newBuild(tool, call, options(part, bundlers[tool]))
				made.reach = reached
				p.add(made)
			}
		}
	}
	if first >= 0 {
		p.leaveWork(script, first)
	}
	return calls > 0
}

// maxCalls bounds the calls of bundlers in a script that are read.
const maxCalls = 200

// shellCall follows execSync("esbuild …"), and reports whether a token is such
// a call, of a bundler or of another script that may call one.
func (p *plan) shellCall(s step, script *script, i int) bool {
	switch script.file.Source(i) {
	case "execSync", "exec":
	default:
		return false
	}
	line, ok := script.file.Literal(i + 2)
	ok = ok && p.ran < maxRan
	if !script.file.Is(i+1, "(") || !ok || len(s.scripts) > 10 {
		return false
	}
	before := len(p.builds)
	w := walk{plan: p, seen: map[string]bool{}}
	w.line(s.pkg, s.folder, setting{s.scripts[len(s.scripts)-1], line, script.position(i)}, append(slices.Clone(s.scripts), script.path))
	for _, inner := range w.out {
		p.run(inner)
	}
	return len(p.builds) > before || slices.ContainsFunc(w.out, func(inner step) bool { return isRunner(inner.program()) })
}

// bundlers are those whose options are understood, with the names that differ
// from esbuild's.
var bundlers = map[string]map[string]string{
	"esbuild":   {},
	"bun build": {"entrypoints": "entryPoints", "naming": "entryNames", "root": "outbase"},
	"tsup":      tsupNames,
	"tsdown":    tsupNames,
}

// bundlerCall reports which bundler a call at a token runs, and the token of
// its bracket; "" for none.
func (s *script) bundlerCall(i int) (tool string, open int) {
	if s.file.Is(i-1, ".") || !s.file.Is(i+1, "(") && !s.file.Is(i+1, ".") {
		return "", 0
	}
	name := s.file.Source(i)
	from, method := s.imported[name], ""
	if from.module == "" && len(s.declared[name]) > 0 || len(s.declared[name]) > 1 {
		return "", 0 // a variable of that name
	}
	switch {
	case s.file.Is(i+1, "(") && from.name != "*" && from.module != "":
		method, open = from.name, i+1
	case s.file.Is(i+1, "(") && from.module != "":
		method, open = "*", i+1
	case s.file.Is(i+1, ".") && s.file.Is(i+3, "("):
		method, open = s.file.Source(i+2), i+3
	default:
		return "", 0
	}
	module := from.module
	switch {
	case module == "esbuild-wasm" || module == "" && name == "esbuild":
		module = "esbuild"
	case module == "" && name == "Bun":
		module = "bun"
	case module == "rollup" || module == "webpack" || module == "vite" || module == "rolldown" || module == "@rspack/core" || module == "@vercel/ncc":
		return module, open
	}
	switch known := method == "build" || method == "buildSync" || method == "context"; {
	case !known:
		return "", 0
	case module == "bun":
		return "bun build", open
	case module == "esbuild" || module == "tsup" || module == "tsdown":
		return module, open
	}
	return "", 0
}
