package lint

import (
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// eachSetting calls find for every string of the servers' env, headers, args and
// url, with the name it is given under.
func eachSetting(find func(name, value string, s server, at diag.Position, report reporter)) func(*plugin, reporter) {
	return func(p *plugin, report reporter) {
		for _, s := range p.servers {
			for _, field := range []string{"env", "headers"} {
				entries, _ := s.fields[field].(map[string]any)
				for _, name := range slices.Sorted(maps.Keys(entries)) {
					if value, ok := entries[name].(string); ok {
						find(name, value, s, s.at(field, name), report)
					}
				}
			}
			for _, argument := range argumentsOf(s.fields["args"], s.doc, append(slices.Clone(s.keys), "args")) {
				find("", argument.value, s, argument.place, report)
			}
			find("", s.text("url"), s, s.at("url"), report)
		}
	}
}

func secretInConfig(patterns func() []secretPattern) rule[*plugin] {
	return rule[*plugin]{
		code: "secret-in-config", level: diag.Error,
		meaning: "a server's settings hold something that looks like a credential, which every user would get",
		page: Page{
			Group: Servers,
			Why:   "The file is committed and copied to every user.",
			Wrong: "\"env\": {\"TOKEN\": \"ghp_…\"}",
			Do:    "Revoke it. Take the value from the user: `${TOKEN}` or an option in userConfig with sensitive.",
		},
		find: eachSetting(func(_, value string, s server, at diag.Position, report reporter) {
			if kind := secretIn(patterns(), value); kind != "" {
				report.at(at, "revoke it, and take the value from the user: ${NAME} or ${user_config.name}", "server %s: holds what looks like %s", s.key, kind)
			}
		}),
	}
}

// secretLiteral finds values that are written out under a name that asks for a
// secret.
func secretLiteral(patterns func() []secretPattern) rule[*plugin] {
	secretName := lazyregexp.New(`(?i)(?:^|[_-])(?:token|secret|password|passwd|credentials?|api[_-]?key|private[_-]?key|authorization)$`)
	harmless := lazyregexp.New(`(?i)^$|dummy|example|placeholder|changeme|your[_-]|^<.*>$|^x+$|^(?:test|none|null|true|false)$`)
	return rule[*plugin]{
		code: "secret-literal", level: diag.Warning,
		meaning: "a variable or header that is named like a secret has its value written out",
		page: Page{
			Group: Servers,
			Why:   "What is written out is the same for all users, and visible to them.",
			Wrong: "\"env\": {\"API_KEY\": \"a1b2c3\"}",
			Do:    "Take the value from the user: `${API_KEY}` or an option in userConfig with sensitive.",
		},
		find: eachSetting(func(name, value string, s server, at diag.Position, report reporter) {
			if secretName.MatchString(name) && !strings.Contains(value, "${") && !harmless.MatchString(value) && secretIn(patterns(), value) == "" {
				report.at(at, "take the value from the user: ${"+name+"} or ${user_config.name}", "server %s: the value of %s is written out", s.key, clip(name))
			}
		}),
	}
}
