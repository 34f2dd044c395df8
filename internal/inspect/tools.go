package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// notTaken are bundlers and task runners whose configuration is not read.
var notTaken = map[string]string{
	"rollup": "rollup", "vite": "vite", "webpack": "webpack", "webpack-cli": "webpack", "rspack": "rspack", "rolldown": "rolldown",
	"parcel": "parcel", "swc": "swc", "babel": "babel", "unbuild": "unbuild", "microbundle": "microbundle", "pkgroll": "pkgroll",
	"rslib": "rslib", "rsbuild": "rsbuild", "bunchee": "bunchee", "tsc-alias": "tsc-alias", "mcp-build": "mcp-build", "obuild": "obuild",
	"turbo": "turbo", "nx": "nx", "lerna": "lerna", "wireit": "wireit", "make": "make", "gulp": "gulp", "grunt": "grunt", "deno": "deno",
	"tsx-build": "tsx-build", "xmcp": "xmcp", "fastmcp": "fastmcp", "pkg": "pkg", "nexe": "nexe",
}

// quiet are programs that leave nothing a bundle needs.
var quiet = []string{
	"rm", "rimraf", "del", "del-cli", "mkdir", "mkdirp", "echo", "printf", "chmod", "true", ":", "exit", "test", "eslint", "prettier", "biome",
	"oxlint", "vitest", "jest", "mocha", "ava", "husky", "lint-staged", "is-ci", "attw", "publint", "size-limit", "changeset", "np", "sleep", "ls",
	"knip", "tsd", "clear", "date", "git", "only-allow", "syncpack", "premove",
}

// copiers are programs that copy files beside the bundle.
var copiers = []string{"cp", "copyfiles", "cpx", "cpx2", "cpy", "cpy-cli", "ncp", "mv", "rsync", "ln", "install", "cpr"}

// run looks at one step of a build.
func (p *plan) run(s step) {
	if p.ran++; p.ran > maxRan || p.take(s) {
		return
	}
	words := s.texts()
	what := p.repo.shown(words)
	switch program := s.program(); {
	case program == "tsc" || program == "tspc" || program == "tsgo":
		p.compiler(s)
	case notTaken[program] != "":
		p.repo.leave(what, s.at, "builds by "+notTaken[program]+" are not taken over")
	case program == "shx" && len(words) > 1:
		s.words = s.words[1:]
		p.run(s)
	case slices.Contains(quiet, program):
	case slices.Contains(copiers, program):
		p.repo.leave(what, s.at, "copying is not taken over; files that the code reads beside itself are found by the build, others go under assets")
	case program == "omcbuild":
		p.repo.leave(what, s.at, "the build is omcbuild's already")
	case isRunner(program):
		p.program(s)
	default:
		p.before(s)
	}
}

// take handles the bundlers that are understood.
func (p *plan) take(s step) bool {
	words := s.texts()
	for i, w := range s.words {
		if w.dynamic && slices.Contains([]string{"esbuild", "tsup", "tsdown", "ncc"}, s.program()) {
			p.repo.leave(p.repo.shown(words), s.at, "the shell puts something into "+p.repo.shown([]string{s.words[i].text}))
			return true
		}
	}
	switch program := s.program(); {
	case program == "esbuild":
		p.esbuild(s)
	case program == "tsup" || program == "tsup-node" || program == "tsdown":
		p.tsup(s, strings.TrimSuffix(program, "-node"))
	case program == "bun" && len(words) > 1 && words[1] == "build":
		p.bun(s)
	case program == "ncc":
		p.ncc(s)
	default:
		return false
	}
	return true
}

// isRunner reports whether a program runs JavaScript files.
func isRunner(program string) bool {
	return slices.Contains([]string{"node", "tsx", "ts-node", "ts-node-esm", "bun", "esno", "jiti", "swc-node", "vite-node", "babel-node"}, program)
}

// runnerFlags take a value of their own.
var runnerFlags = []string{"--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C", "--env-file", "--tsconfig", "--preload"}

// scriptOf returns the file that a call of node, tsx or bun runs, and its
// place among the words; "" when the code stands on the command line.
func scriptOf(words []string) (string, int) {
	n := 1
	for n < len(words) {
		switch {
		case words[n] == "run" && n == 1 || words[n] == "watch" && n == 1:
			n++
		case words[n] == "-e" || words[n] == "--eval" || words[n] == "-p" || words[n] == "--print" || words[n] == "-":
			return "", n
		case slices.Contains(runnerFlags, words[n]):
			n += 2
		case strings.HasPrefix(words[n], "-"):
			n++
		default:
			return words[n], n
		}
	}
	return "", n
}

// program is a script of the repository: a build script when it calls a
// bundler, else something that runs before or after the build.
func (p *plan) program(s step) {
	name, _ := scriptOf(s.texts())
	what := p.repo.shown(s.texts())
	file, ok := inside(s.folder, name)
	switch {
	case name == "":
		p.repo.leave(what, s.at, "its code stands on the command line")
		return
	case !ok:
		p.repo.leave(what, s.at, "the path leads out of the repository")
		return
	}
	if base := path.Base(file); path.Dir(file) != "." && strings.Contains(file, "node_modules/") { // node node_modules/.bin/x
		s.words = append([]word{{text: stem(base)}}, s.words[2:]...)
		p.run(s)
		return
	}
	if file = p.existing(file); !p.repo.isFile(file) {
		p.repo.leave(what, s.at, "the file does not exist, or lies outside the repository")
		return
	}
	if !slices.Contains(sourceExtensions, path.Ext(file)) {
		p.before(s)
		return
	}
	script := p.repo.script(file)
	if script == nil || !p.first(s.folder, file) || p.buildScript(s, script) {
		return
	}
	p.before(s)
}

// before keeps a step whose work is not known: what runs before the first
// bundler may make sources, the rest is left.
func (p *plan) before(s step) {
	what := p.repo.shown(s.texts())
	if len(p.builds) > p.buildsBefore {
		p.repo.leave(what, s.at, "it runs after the bundler; omcbuild runs nothing afterwards")
		return
	}
	p.steps = append(p.steps, s)
}

// prebuild decides on the program that makes sources, once all steps are known.
func (p *plan) prebuild(kept []bundle) (words []string, at diag.Position) {
	var steps, others []step
	for _, s := range p.steps {
		if slices.ContainsFunc(kept, func(b bundle) bool { return b.entry.build != nil && b.entry.build.pkg == s.pkg }) {
			steps = append(steps, s)
		} else {
			others = append(others, s)
		}
	}
	for _, s := range others {
		p.repo.leave(p.repo.shown(s.texts()), s.at, "what it makes is not known; when it makes sources, give it a script of its own and name that under prebuild")
	}
	if len(steps) == 1 {
		s := steps[0]
		script := s.scripts[len(s.scripts)-1]
		plain := !slices.ContainsFunc(s.words, func(w word) bool { return w.dynamic })
		switch {
		case s.folder == "." && s.program() == "node" && plain && !strings.Contains(p.repo.shown(s.texts()), hidden):
			return s.texts(), s.at
		case s.alone && s.pkg == p.root && !slices.Contains(buildScripts, script):
			return []string{p.manager(), "run", script}, s.at
		}
	}
	for _, s := range steps {
		why := "what it makes is not known; when it makes sources, give it a script of its own and name that under prebuild"
		if len(steps) > 1 {
			why = "several programs run before the bundler and prebuild takes one; put them into one script and name that"
		}
		p.repo.leave(p.repo.shown(s.texts()), s.at, why)
	}
	return nil, diag.Position{}
}

// manager is the package manager whose lockfile is there.
func (p *plan) manager() string {
	for _, m := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if p.repo.exists(m[0]) {
			return m[1]
		}
	}
	return "npm"
}

// compiler is tsc: it bundles nothing, and says where sources go.
func (p *plan) compiler(s step) {
	words := s.texts()
	if slices.Contains(words, "--noEmit") {
		p.repo.leave(p.repo.shown(words), s.at, "it is a flag: omcbuild build --typecheck")
		return
	}
	config := "tsconfig.json"
	if named, ok := flagged(words, "-p", "--project", "-b", "--build"); ok && !strings.HasPrefix(named, "-") {
		config = named
	}
	file, ok := inside(s.folder, config)
	if !ok {
		p.repo.leave(p.repo.shown(words), s.at, "the path leads out of the repository")
		return
	}
	if path.Ext(file) != ".json" {
		file = path.Join(file, "tsconfig.json")
	}
	p.tsconfig(file)
}
