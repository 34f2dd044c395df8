package lint

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

var (
	windowsPath = lazyregexp.New(`^[A-Za-z]:[\\/]|^\\\\`)
	scriptPath  = lazyregexp.New(`\.(?:c|m)?[jt]sx?$|\.(?:py|sh|cmd|bat|wasm|exe|node)$`)
)

// eachPath calls find for the command and arguments of servers and hooks that
// are not lines for a shell. An option such as --config=FILE counts by its value.
func eachPath(find func(l launch, value string, at text, first bool, report reporter)) func(*plugin, reporter) {
	return eachLaunch(func(_ *plugin, l launch, report reporter) {
		if l.shell || slices.Contains(shells(), l.program()) {
			return
		}
		script := true // the first argument that is no option is the program for node
		for i, t := range l.texts() {
			value := t.value
			if _, after, found := strings.Cut(value, "="); found && strings.HasPrefix(value, "-") {
				value = after
			}
			first := i > 0 && script && !strings.HasPrefix(value, "-")
			find(l, value, t, first && l.program() == "node", report)
			script = script && !first
		}
	})
}

func pathAbsolute() rule[*plugin] {
	return rule[*plugin]{
		code: "path-absolute", level: diag.Error,
		meaning: "a server or hook names a file by an absolute path, which exists on its author's machine",
		page: Page{
			Group: Paths,
			Why:   "The client starts what is written. On other machines the path leads nowhere, and the only sign is a closed connection.",
			Wrong: "\"args\": [\"/opt/clock/bridge/s.cjs\"]",
			Do:    "Name files of the plugin after `${CLAUDE_PLUGIN_ROOT}/`, and programs by their bare name.",
		},
		find: eachPath(func(l launch, value string, at text, _ bool, report reporter) {
			if strings.HasPrefix(value, "/") || windowsPath.MatchString(value) || strings.HasPrefix(value, "file://") {
				report.at(at.place, "write ${CLAUDE_PLUGIN_ROOT}/… for files of the plugin, the bare name for programs", "%s: %s is an absolute path", l.owner, clip(value))
			}
		}),
	}
}

func pathRelative() rule[*plugin] {
	return rule[*plugin]{
		code: "path-relative", level: diag.Error,
		meaning: "a server or hook names a file by a relative path; it is started in the user's project, where the file is not",
		page: Page{
			Group: Paths,
			Why:   "Servers and hooks run in the user's project. A relative path works for the author, who happens to stand in the plugin.",
			Wrong: "\"args\": [\"./bridge/s.cjs\"]",
			Do:    "Write `${CLAUDE_PLUGIN_ROOT}/bridge/s.cjs`.",
		},
		find: eachPath(func(l launch, value string, at text, first bool, report reporter) {
			dotted := strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") || strings.HasPrefix(value, `.\`) || strings.HasPrefix(value, `..\`)
			script := !strings.Contains(value, "$") && !strings.Contains(value, "://") && scriptPath.MatchString(value) && (first || strings.ContainsAny(value, `/\`))
			absolute := strings.HasPrefix(value, "/") || windowsPath.MatchString(value)
			if dotted || script && !absolute {
				report.at(at.place, "write ${CLAUDE_PLUGIN_ROOT}/"+strings.TrimPrefix(path.Clean(strings.ReplaceAll(value, `\`, "/")), "../"), "%s: %s is a relative path", l.owner, clip(value))
			}
		}),
	}
}

// reference is a file of the plugin that is named after its placeholder.
type reference struct {
	owner   string
	file    string // slash separated, as written, without the placeholder
	place   diag.Position
	command bool // it is what is started
}

var rootInShell = lazyregexp.New(`["']?\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)["']?([/\\][^\s"';&|)<>]*)?`)

// references returns the files of the plugin that servers and hooks name.
func (p *plugin) references() (found []reference) {
	for _, l := range p.launches {
		for i, t := range l.texts() {
			if l.shell && i == 0 {
				for _, match := range rootInShell.FindAllStringSubmatchIndex(t.value, 20) {
					if match[2] >= 0 {
						started := strings.TrimSpace(t.value[:match[0]]) == "" // it is the first word
						found = append(found, reference{l.owner, t.value[match[2]:match[3]], t.place, started})
					}
				}
				continue
			}
			if _, after, ok := strings.Cut(t.value, "${"+rootName+"}"); ok {
				found = append(found, reference{l.owner, after, t.place, i == 0 && !l.shell})
			}
		}
	}
	for i := range found {
		found[i].file = strings.TrimLeft(strings.ReplaceAll(found[i].file, `\`, "/"), "/")
	}
	return slices.DeleteFunc(found, func(r reference) bool { return r.file == "" || strings.ContainsAny(r.file, "*$?\x00") })
}

// inside returns a reference's path from the plugin's root, and false when it
// leaves the plugin.
func (r reference) inside() (string, bool) {
	clean := path.Clean(r.file)
	return clean, clean != ".." && !strings.HasPrefix(clean, "../")
}

func pathParent() rule[*plugin] {
	return rule[*plugin]{
		code: "path-parent", level: diag.Error,
		meaning: "a path has .. after the plugin's folder; after an installation other things are there, or nothing",
		page: Page{
			Group: Paths,
			Why:   "An installation copies the plugin's folder alone into a cache. What was beside it is not there.",
			Wrong: "\"args\": [\"${CLAUDE_PLUGIN_ROOT}/../shared/s.cjs\"]",
			Do:    "Bundle what is shared into the plugin.",
		},
		find: func(p *plugin, report reporter) {
			for _, r := range p.references() {
				if slices.Contains(strings.Split(r.file, "/"), "..") {
					report.at(r.place, "keep the file inside the plugin and name it without ..", "%s: %s has .. in it", r.owner, clip(r.file))
				}
			}
		},
	}
}
