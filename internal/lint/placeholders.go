package lint

import (
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
)

// Placeholders that the client replaces in commands, arguments and variables.
const (
	rootName = "CLAUDE_PLUGIN_ROOT"
	dataName = "CLAUDE_PLUGIN_DATA"
	projName = "CLAUDE_PROJECT_DIR"
)

var (
	braced   = lazyregexp.New(`\$\{([^{}]*)\}`)
	unbraced = lazyregexp.New(`\$([A-Za-z_][A-Za-z0-9_]*)`)
)

// configured returns every string of the servers in which placeholders are
// replaced, with its owner.
func (p *plugin) configured() (owners []string, values []text) {
	for _, l := range p.launches {
		for _, t := range l.texts() {
			owners, values = append(owners, l.owner), append(values, t)
		}
	}
	for _, s := range p.servers {
		for _, field := range []string{"env", "headers"} {
			entries, _ := s.fields[field].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(entries)) {
				if value, ok := entries[name].(string); ok {
					owners, values = append(owners, "server "+s.key), append(values, text{value, s.at(field, name)})
				}
			}
		}
		if url := s.text("url"); url != "" {
			owners, values = append(owners, "server "+s.key), append(values, text{url, s.at("url")})
		}
	}
	return owners, values
}

// eachPlaceholder calls find for everything in braces after a dollar.
func eachPlaceholder(find func(p *plugin, owner, inside string, at text, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		owners, values := p.configured()
		for i, value := range values {
			for _, match := range braced.FindAllStringSubmatch(value.value, 20) {
				find(p, owners[i], match[1], value, report)
			}
		}
	}
}

func placeholderDefault() rule[*plugin] {
	return rule[*plugin]{
		code: "placeholder-default", level: diag.Error,
		meaning: "a variable of the client is given a default, which hides that it was not replaced",
		page: Page{
			Group: Paths,
			Why:   "The client always sets its own variables. With a default a client that does not replace them starts something else instead of failing.",
			Wrong: "\"${CLAUDE_PLUGIN_ROOT:-.}/bridge/s.cjs\"",
			Do:    "Leave the default out.",
		},
		find: eachPlaceholder(func(_ *plugin, owner, inside string, at text, report reporter) {
			name, _, found := strings.Cut(inside, ":-")
			if found && slices.Contains([]string{rootName, dataName, projName}, name) {
				report.at(at.place, "write ${"+name+"}; the client always sets it", "%s: ${%s} has a default", owner, clip(inside))
			}
		}),
	}
}

// placeholderUnknown finds variables that are meant to be the client's and are
// not spelled so.
func placeholderUnknown() rule[*plugin] {
	return rule[*plugin]{
		code: "placeholder-unknown", level: diag.Error,
		meaning: "a variable of the client is misspelled or lacks its braces, so the text is passed on as it is",
		page: Page{
			Group: Paths,
			Why:   "What the client does not know it passes on as text, so node looks for a file with a dollar sign in its name. The status is a closed connection.",
			Wrong: "\"${PLUGIN_ROOT}/bridge/s.cjs\"\n\"$CLAUDE_PLUGIN_ROOT/bridge/s.cjs\"",
			Do:    "Write `${CLAUDE_PLUGIN_ROOT}`, with its braces.",
		},
		find: func(p *plugin, report reporter) {
			owners, values := p.configured()
			for i, value := range values {
				for _, match := range braced.FindAllStringSubmatch(value.value, 20) {
					name, _, _ := strings.Cut(match[1], ":-")
					if meant := meantName(name); meant != "" && meant != name {
						report.at(value.place, "write ${"+meant+"}", "%s: ${%s} is not known to the client", owners[i], clip(name))
					}
				}
				if strings.HasPrefix(owners[i], "hook ") {
					continue // hooks get the variables in their environment as well
				}
				for _, match := range unbraced.FindAllStringSubmatch(value.value, 20) {
					if meant := meantName(match[1]); meant != "" {
						report.at(value.place, "write ${"+meant+"}", "%s: $%s has no braces and is not replaced", owners[i], clip(match[1]))
					}
				}
			}
		},
	}
}

// meantName returns the client's variable that a name most likely stands for.
func meantName(name string) string {
	upper := strings.ToUpper(strings.TrimSpace(name))
	words := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(word string) bool { return !strings.Contains(upper, word) })
	}
	switch {
	case words("PLUGIN", "ROOT"), words("PLUGIN", "DIR"), words("PLUGIN", "PATH"), upper == "CLAUDE_ROOT", upper == "EXTENSION_PATH", upper == "__DIRNAME":
		return rootName
	case words("CLAUDE", "PLUGIN", "DATA"):
		return dataName
	case words("CLAUDE", "PROJECT", "DIR"), words("CLAUDE", "PROJECT", "ROOT"):
		return projName
	}
	for _, known := range []string{rootName, dataName, projName} {
		if project.Distance(upper, known) <= 3 {
			return known
		}
	}
	return ""
}

// placeholderUnexpanded finds spellings of a shell, which the client does not
// know.
func placeholderUnexpanded() rule[*plugin] {
	nested := lazyregexp.New(`\$\{[^{}]*\$\{`)
	dash := lazyregexp.New(`\$\{[A-Za-z_][A-Za-z0-9_]*[-+?=]`)
	return rule[*plugin]{
		code: "placeholder-unexpanded", level: diag.Warning,
		meaning: "a server's setting uses a form of a shell that the client does not replace",
		page: Page{
			Group: Paths,
			Why:   "The client replaces `${NAME}` and `${NAME:-text}` and nothing else. No shell is between it and the server.",
			Wrong: "\"env\": {\"CACHE\": \"~/cache\", \"ZONE\": \"$ZONE\"}",
			Do:    "Use the two forms, or read the variable in the server.",
		},
		find: func(p *plugin, report reporter) {
			owners, values := p.configured()
			for i, value := range values {
				if strings.HasPrefix(owners[i], "hook ") {
					continue
				}
				plain := unbraced.FindStringSubmatch(value.value)
				form := ""
				switch {
				case nested.MatchString(value.value):
					form = "a placeholder inside a placeholder"
				case dash.MatchString(value.value):
					form = dash.FindString(value.value) + "…}"
				case strings.HasPrefix(value.value, "~/"):
					form = "~"
				case len(plain) > 1 && meantName(plain[1]) == "":
					form = plain[0]
				}
				if form != "" {
					report.at(value.place, "use ${NAME} or ${NAME:-text}", "%s: %s is passed on as it is", owners[i], clip(form))
				}
			}
		},
	}
}

func userConfigUndeclared() rule[*plugin] {
	return rule[*plugin]{
		code: "user-config-undeclared", level: diag.Error,
		meaning: "a setting uses an option of the user that the manifest does not declare",
		page: Page{
			Group: Manifest,
			Why:   "The client refuses a plugin that uses an option of the user which its manifest does not declare.",
			Wrong: "\"args\": [\"${user_config.zone}\"]",
			Do:    "Declare the option under userConfig, with type, title and description.",
		},
		find: eachPlaceholder(func(p *plugin, owner, inside string, at text, report reporter) {
			name, isOption := strings.CutPrefix(inside, "user_config.")
			if isOption && p.manifest.Find("userConfig", name) == nil {
				report.at(at.place, "declare it under userConfig in "+manifestFile, "%s: the option %s is not declared", owner, clip(name))
			}
		}),
	}
}
