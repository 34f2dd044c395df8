package lint

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
)

// program returns the bare name of what a launch starts: "node" for "node.exe".
// For a line of a shell that is its first word.
func (l launch) program() string {
	name := l.command.value
	if l.shell {
		fields := strings.Fields(name)
		if len(fields) == 0 {
			return ""
		}
		name = strings.Trim(fields[0], `"'`)
	}
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimSuffix(name, ".exe"))
}

// eachLaunch makes a rule's function from one that looks at a single launch.
func eachLaunch(find func(p *plugin, l launch, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for _, l := range p.launches {
			find(p, l, report)
		}
	}
}

func shells() []string {
	return []string{"sh", "bash", "zsh", "dash", "fish", "ksh", "cmd", "powershell", "pwsh"}
}

// launchers are programs that fetch, translate or start others.
func launchers() []string {
	return []string{"npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "tsx", "ts-node", "uvx", "deno"}
}

func commandShell() rule[*plugin] {
	return rule[*plugin]{
		code: "command-shell", level: diag.Error,
		meaning: "a server is started through a shell, which is missing on other systems and expands placeholders its own way",
		page: Page{
			Group: Servers,
			Why:   "Windows has no sh. A shell also splits paths with spaces, and stays between the client and the server when the client wants to end it.",
			Wrong: "{\"command\": \"sh\", \"args\": [\"-c\", \"node ${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs\"]}",
			Do:    "Start `node` with the file as its argument.",
		},
		find: eachLaunch(func(_ *plugin, l launch, report reporter) {
			if !l.shell && slices.Contains(shells(), l.program()) {
				report.at(l.command.place, "start node with the file as its argument; do in JavaScript what the shell was for", "%s is started through %s", l.owner, clip(l.command.value))
			}
		}),
	}
}

func commandLauncher() rule[*plugin] {
	return rule[*plugin]{
		code: "command-launcher", level: diag.Warning,
		meaning: "a program is started by a package runner or a script; it needs the network or another program, is no real program on Windows, and leaves processes behind",
		page: Page{
			Group: Servers,
			Why:   "A package runner downloads at the user's first start, runs what was published last, needs .cmd files on Windows, and may leave the server behind when it is ended.",
			Wrong: "{\"command\": \"npx\", \"args\": [\"-y\", \"clock-server@latest\"]}",
			Do:    "Bundle the program and start it with `node`.",
		},
		find: eachLaunch(func(_ *plugin, l launch, report reporter) {
			name := l.program()
			script := slices.Contains([]string{".sh", ".cmd", ".bat", ".ps1"}, path.Ext(name))
			if !script && !slices.Contains(launchers(), strings.TrimSuffix(name, ".cmd")) {
				return
			}
			hint := "bundle the program and start it as node with the file as its argument"
			if slices.ContainsFunc(l.args, func(a text) bool { return strings.HasSuffix(a.value, "@latest") }) {
				hint += "; @latest also runs whatever was published last"
			}
			report.at(l.command.place, hint, "%s is started by %s", l.owner, clip(l.command.value))
		}),
	}
}

func commandForeign() rule[*plugin] {
	reported := slices.Concat(shells(), launchers())
	return rule[*plugin]{
		code: "command-foreign", level: diag.Warning,
		meaning: "a server is started with a program other than node that nobody said users have",
		page: Page{
			Group: Servers,
			Why:   "The client's users have Node or can be told to install it. For another program the client only says ENOENT, without its name.",
			Wrong: "{\"command\": \"python3\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/server.py\"]}",
			Do:    "Start `node` with a bundle, or say in the README that the program is needed.",
		},
		find: eachLaunch(func(p *plugin, l launch, report reporter) {
			name := l.program()
			switch {
			case l.shell, name == "node", slices.Contains(p.Commands, name), slices.Contains(p.Commands, l.command.value),
				slices.Contains(reported, strings.TrimSuffix(name, ".cmd")), strings.ContainsAny(l.command.value, "$/\\"):
				return
			}
			report.at(l.command.place, "start node with a bundle, or declare the program", "%s needs the program %s", l.owner, clip(l.command.value))
		}),
	}
}
