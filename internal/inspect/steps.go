package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// step is one program that the build of a package runs.
type step struct {
	words   []word
	at      diag.Position // of the script that runs it
	folder  string        // where it runs
	pkg     *pkg
	scripts []string // the scripts that led here, the outermost first
	alone   bool     // it is all that its script does
}

// texts returns the words as strings.
func (s step) texts() []string { return command{words: s.words}.texts() }

// program is the first word without its folder.
func (s step) program() string { return strings.TrimSuffix(path.Base(s.words[0].text), ".cmd") }

// buildScripts are the scripts that may hold the build, in the order in which
// they are looked at.
var buildScripts = []string{"build", "bundle", "compile", "prepare", "prepack", "prepublishOnly", "package", "release"}

// maxStepsOfBuild bounds what scripts that call each other can add up to.
const maxStepsOfBuild = 500

// stepsOf lists what the build scripts of a package run.
func (p *plan) stepsOf(of *pkg) []step {
	names := slices.Clone(buildScripts)
	var more []string
	for name := range of.scripts {
		if strings.HasPrefix(name, "build:") || strings.HasPrefix(name, "build-") || strings.HasPrefix(name, "bundle:") {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	w := walk{plan: p, seen: map[string]bool{}}
	for _, name := range append(names, more...) {
		w.script(of, name, nil)
	}
	return w.out
}

// walk follows scripts into the scripts they run.
type walk struct {
	plan *plan
	seen map[string]bool
	out  []step
}

// script adds the steps of a script and of npm's scripts around it.
func (w *walk) script(of *pkg, name string, outer []string) bool {
	if _, ok := of.scripts[name]; !ok {
		return false
	}
	for _, around := range []string{"pre" + name, name, "post" + name} {
		found, ok := of.scripts[around]
		key := of.folder + "\x00" + around
		if !ok || w.seen[key] || len(w.out) > maxStepsOfBuild {
			continue
		}
		w.seen[key] = true
		w.line(of, of.folder, found, append(slices.Clone(outer), around))
	}
	return true
}

// file adds the steps of a script of the shell.
func (w *walk) file(s step, name string) {
	if !w.plan.first(s.folder, name) {
		return
	}
	data, err := w.plan.repo.read(name)
	if err != nil {
		w.plan.repo.leave(w.plan.repo.shown(s.texts()), s.at, name+" "+err.Error())
		return
	}
	w.line(s.pkg, s.folder, setting{name, string(data), diag.Position{File: name}}, append(slices.Clone(s.scripts), name))
}

// line adds the steps of one command line, or of a file of them.
func (w *walk) line(of *pkg, folder string, line setting, scripts []string) {
	what := "script " + line.name
	all, ok := commands(line.value, of.version)
	if !ok {
		w.plan.repo.leave(what, line.at, "it cannot be read as a command line of a shell")
		return
	}
	at := line.at
	var outside []string // the folders of the subshells that are open
	programs := 0
	for _, c := range all {
		if c.inner == 0 {
			programs++
		}
	}
	lost := false // the folder is not known until the subshell ends
	for _, c := range all {
		switch {
		case c.inner > 0:
			outside = append(outside, folder)
			continue
		case c.inner < 0:
			folder, lost = outside[len(outside)-1], false
			outside = outside[:len(outside)-1]
			continue
		case lost:
			continue
		}
		if line.at.File == line.name { // a file
			at.Line = c.line
		}
		if c.shell != "" {
			why := "it is more than a plain call of a program"
			if strings.HasPrefix(c.shell, "cd ") {
				why = "the folder is computed; what follows is read as if it ran in that of " + of.file
			}
			w.plan.repo.leave(what+": "+w.plan.repo.shownText(c.shell), at, why)
			continue
		}
		if c.words[0].text == "cd" && len(c.words) == 2 {
			if to, ok := inside(folder, c.words[1].text); ok && !c.words[1].dynamic {
				folder = to
				continue
			}
			w.plan.repo.leave(what+": "+w.plan.repo.shown(c.texts()), at, "the folder lies outside the repository")
			if len(outside) == 0 {
				return
			}
			lost = true
			continue
		}
		w.command(step{words: c.words, at: at, folder: folder, pkg: of, scripts: scripts, alone: programs == 1})
	}
}

// command takes away what only starts another program, and follows what runs
// another script.
func (w *walk) command(s step) {
	for range 10 {
		words := s.texts()
		if len(words) == 0 {
			return
		}
		switch program := s.program(); program {
		case "cross-env", "cross-env-shell", "env", "dotenv", "time", "exec", "dotenvx":
			n := skipPrefix(words[1:])
			s.words = s.words[1+n:]
			continue
		case "npx", "bunx", "pnpx":
			s.words = s.words[1+skipFlags(words[1:], "-p", "--package", "-c"):]
			if len(s.words) > 0 { // a version in the name
				s.words[0].text = withoutVersion(s.words[0].text)
			}
			continue
		case "npm", "pnpm", "yarn", "bun":
			rest, done := w.manager(s, program)
			if done {
				return
			}
			if rest != nil {
				s.words = rest
				continue
			}
		case "run-s", "run-p", "npm-run-all", "npm-run-all2":
			w.several(s, words[1:])
			return
		case "concurrently":
			w.concurrent(s, words[1:])
			return
		case "set", "export", "source", ".", "unset", "pushd", "popd", "shift", "trap", "read", "return":
			return
		}
		if file := shellFile(s); file != "" && len(s.scripts) <= 10 {
			w.file(s, file)
			return
		}
		w.out = append(w.out, s)
		return
	}
}

// shellFile returns the script of the shell that a step runs, or "".
func shellFile(s step) string {
	name := s.words[0].text
	if slices.Contains([]string{"sh", "bash", "zsh", "dash"}, s.program()) {
		if name, _ = scriptOf(s.texts()); slices.ContainsFunc(s.words, func(w word) bool { return w.text == "-c" }) {
			return ""
		}
	} else if path.Ext(name) != ".sh" {
		return ""
	}
	file, ok := inside(s.folder, name)
	if !ok || name == "" {
		return ""
	}
	return file
}

func withoutVersion(name string) string {
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		return name[:at]
	}
	return name
}

// skipPrefix counts flags, assignments and a "--" in front of a program.
func skipPrefix(words []string) int {
	n := 0
	for n < len(words) && (strings.HasPrefix(words[n], "-") || strings.Contains(words[n], "=")) {
		n++
		if words[n-1] == "--" {
			return n
		}
		if (words[n-1] == "-e" || words[n-1] == "-f") && n < len(words) {
			n++
		}
	}
	return n
}

// skipFlags counts the flags in front; those named take a value.
func skipFlags(words []string, valued ...string) int {
	n := 0
	for n < len(words) && strings.HasPrefix(words[n], "-") {
		if slices.Contains(valued, words[n]) {
			n++
		}
		n++
		if words[n-1] == "--" {
			break
		}
	}
	return min(n, len(words))
}

// manager reads a call of a package manager. It returns the program that the
// call runs, or true when the call ran scripts or is of no interest.
func (w *walk) manager(s step, program string) ([]word, bool) {
	words, of := s.texts(), s.pkg
	var rest []string
	for i := 1; i < len(words); i++ {
		switch arg := words[i]; {
		case slices.Contains([]string{"-w", "--workspace", "--filter", "-F", "--prefix", "-C", "--dir", "--cwd"}, arg) && i+1 < len(words):
			of = w.plan.packageNamed(words[i+1], of)
			i++
		case strings.HasPrefix(arg, "--workspace=") || strings.HasPrefix(arg, "--filter=") || strings.HasPrefix(arg, "--prefix=") || strings.HasPrefix(arg, "--cwd="):
			_, name, _ := strings.Cut(arg, "=")
			of = w.plan.packageNamed(name, of)
		case strings.HasPrefix(arg, "-") && len(rest) == 0:
		default:
			rest = append(rest, arg)
		}
	}
	tail := func(n int) []word { return s.words[len(s.words)-len(rest)+n:] }
	switch {
	case len(rest) == 0 || of == nil:
		return nil, true
	case rest[0] == "workspace" && len(rest) > 2:
		if of = w.plan.packageNamed(rest[1], of); of != nil {
			w.script(of, rest[2], s.scripts)
		}
		return nil, true
	case rest[0] == "run" || rest[0] == "run-script":
		if len(rest) > 1 && !w.script(of, rest[1], s.scripts) && program == "bun" {
			return append(s.words[:1:1], tail(1)...), false // a file
		}
		return nil, true
	case slices.Contains([]string{"exec", "dlx", "x"}, rest[0]) && len(rest) > 1:
		if rest[1] == "--" {
			return tail(2), false
		}
		return tail(1), false
	case program == "bun" && rest[0] == "build":
		return nil, false
	case program == "bun" && path.Ext(rest[0]) != "":
		return nil, false
	case w.script(of, rest[0], s.scripts):
		return nil, true
	case slices.Contains([]string{"install", "ci", "i", "add", "pack", "publish", "version", "test", "audit", "link"}, rest[0]):
		return nil, true
	case program == "npm":
		return nil, true
	}
	return tail(0), false // yarn and pnpm also run programs of packages
}

// several is npm-run-all: the names of scripts, with globs.
func (w *walk) several(s step, names []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "-") {
			continue
		}
		if prefix, ok := strings.CutSuffix(name, "*"); ok {
			var all []string
			for script := range s.pkg.scripts {
				if strings.HasPrefix(script, prefix) {
					all = append(all, script)
				}
			}
			slices.Sort(all)
			for _, script := range all {
				w.script(s.pkg, script, s.scripts)
			}
			continue
		}
		w.script(s.pkg, name, s.scripts)
	}
}

// concurrent is a list of command lines, each one argument.
func (w *walk) concurrent(s step, lines []string) {
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "npm:"); ok {
			w.several(s, []string{name})
			continue
		}
		if strings.HasPrefix(line, "-") || len(s.scripts) > 10 {
			continue
		}
		w.line(s.pkg, s.folder, setting{s.scripts[len(s.scripts)-1], line, s.at}, append(slices.Clone(s.scripts), "concurrently"))
	}
}
