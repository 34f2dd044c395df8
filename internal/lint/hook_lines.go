package lint

import (
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/surface"
)

// wholeURL reports whether a text is a URL with a host, or will be one when its
// placeholders are replaced.
func wholeURL(text string) bool {
	if strings.Contains(text, "${") {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.Host != ""
}

// cleartext reports whether a URL sends what it sends over the network unsealed.
func cleartext(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "ws" || u.Host == "" || strings.HasPrefix(u.Host, "$") {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() != "localhost" && !strings.HasSuffix(u.Hostname(), ".localhost") && (ip == nil || !ip.IsLoopback())
}

func urlCleartext() rule[*plugin] {
	return rule[*plugin]{
		code: "url-cleartext", level: diag.Warning,
		meaning: "a server or hook is reached over http, which sends what it sends readably",
		page: Page{
			Group: Servers,
			Why:   "Requests, headers and tokens can be read on the way. The client's strict check fails, and directories may refuse the plugin.",
			Wrong: `{"type": "http", "url": "http://api.example.org/mcp"}`,
			Do:    "Use https. Addresses of the user's own machine are fine.",
		},
		find: func(p *plugin, report reporter) {
			for _, s := range p.servers {
				if cleartext(s.text("url")) {
					report.at(s.at("url"), "use https://", "server %s: what goes to the url can be read on the way", s.key)
				}
			}
			for _, h := range p.handlers {
				if cleartext(h.text("url")) {
					report.at(h.at("url"), "use https://", "hook %s: what goes to the url can be read on the way", h.event)
				}
			}
		},
	}
}

func hookTimeout() rule[*plugin] {
	const longest = 600 // seconds that a command gets when nothing is said
	return rule[*plugin]{
		code: "hook-timeout", level: diag.Warning,
		meaning: "the timeout of a hook is longer than ten minutes; it is in seconds, not in milliseconds",
		page: Page{
			Group: Hooks,
			Why:   "A hook that hangs holds the session until its time is over: 5000 is more than an hour.",
			Wrong: `{"type": "command", "command": "node", "timeout": 5000}`,
			Do:    "Write seconds.",
		},
		find: func(p *plugin, report reporter) {
			for _, h := range p.handlers {
				if seconds, ok := h.fields["timeout"].(float64); ok && seconds > longest {
					report.at(h.at("timeout"), "write seconds", "hook %s: may take %s s", h.event, strconv.FormatFloat(seconds, 'f', -1, 64))
				}
			}
		},
	}
}

var (
	plainKey   = lazyregexp.New(`^[\w-]+$`)
	piped      = lazyregexp.New(`\b(?:curl|wget|iwr|invoke-webrequest)\b[^;&]*\|\s*(?:sudo\s+)?((?:ba|z|da|fi|k)?sh|iex|node|python3?|invoke-expression)\b\s*([^\s;&|]*)`)
	homePath   = lazyregexp.New(`(?:^|[\s"'=])((?:/(?:home|Users|root|private)/|[A-Za-z]:\\)[^\s"';|&]+)`)
	dottedPath = lazyregexp.New(`(?:^|[\s"'])(\.\.?/[^\s"';|&]+)`)
)

// lines returns the lines that a shell reads: those of hooks, and what servers
// give to one.
func (p *plugin) lines() (owners []string, found []text) {
	for _, l := range p.launches {
		switch {
		case l.shell:
			owners, found = append(owners, l.owner), append(found, l.command)
		case slices.Contains(shells(), l.program()):
			for _, argument := range l.args {
				owners, found = append(owners, l.owner), append(found, argument)
			}
		}
	}
	return owners, found
}

func commandDownload() rule[*plugin] {
	return rule[*plugin]{
		code: "command-download", level: diag.Warning,
		meaning: "a hook or server downloads a program and runs it unseen",
		page: Page{
			Group: Hooks,
			Why:   "Whoever holds that address runs what they like on every user's machine, later too. The review of a directory refuses it.",
			Wrong: `"command": "curl -fsSL https://example.org/x.sh | sh"`,
			Do:    "Put the program into the plugin.",
		},
		find: func(p *plugin, report reporter) {
			owners, lines := p.lines()
			for i, line := range lines {
				match := piped.FindStringSubmatch(strings.ToLower(line.value))
				if len(match) == 3 && !readsData(match[1], match[2]) {
					report.at(line.place, "put the program into the plugin", "%s: runs what it downloads", owners[i])
				}
			}
		},
	}
}

// readsData reports whether an interpreter with that argument has a program of its
// own, and so reads data from a pipe.
func readsData(interpreter, argument string) bool {
	return (interpreter == "node" || strings.HasPrefix(interpreter, "python")) && argument != "" && argument != "-"
}

func hookPath() rule[*plugin] {
	return rule[*plugin]{
		code: "hook-path", level: diag.Error,
		meaning: "a shell line names a file of its author's machine, or one of the plugin relative to the user's project",
		page: Page{
			Group: Hooks,
			Why:   "Hooks run in the user's project, on the user's machine. The file is not there, and a hook that fails is easily overlooked.",
			Wrong: `"command": "node ./hooks/x.mjs"`,
			Do:    "Use args: `\"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/hooks/x.mjs\"]`.",
		},
		find: func(p *plugin, report reporter) {
			owners, lines := p.lines()
			for i, line := range lines {
				for _, match := range homePath.FindAllStringSubmatch(line.value, 5) {
					report.at(line.place, "name files of the plugin after ${CLAUDE_PLUGIN_ROOT}/", "%s: %s is on its author's machine", owners[i], clip(match[1]))
				}
				words := strings.Fields(line.value)
				if len(words) > 2 {
					words = words[:2] // the program, or what it runs
				}
				for _, match := range dottedPath.FindAllStringSubmatch(strings.Join(words, " "), 5) {
					file := strings.TrimPrefix(path.Clean(match[1]), "../")
					if !p.exists(file) {
						continue // it is the project's own, such as ./gradlew
					}
					report.at(line.place, "write \"${CLAUDE_PLUGIN_ROOT}/"+file+"\"", "%s: %s is a relative path", owners[i], clip(match[1]))
				}
			}
		},
	}
}

// foreignTool reports a matcher that names a server of this plugin which the
// plugin does not have.
func (p *plugin) foreignTool(matcher string) (key string, found bool) {
	prefix := strings.TrimSuffix(surface.ToolPrefix(p.name(), ""), "__")
	for part := range strings.SplitSeq(matcher, "|") {
		after, own := strings.CutPrefix(strings.Trim(part, "^$()"), prefix)
		key, _, _ := strings.Cut(after, "__")
		if !own || p.name() == "" || !plainKey.MatchString(key) {
			continue
		}
		if !slices.ContainsFunc(p.servers, func(s server) bool { return surface.ToolPrefix(p.name(), s.key) == prefix+key+"__" }) {
			return key, true
		}
	}
	return "", false
}
