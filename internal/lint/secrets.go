package lint

import (
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
)

// secretPattern is the form of one kind of credential. Every text of that form
// holds its sign or, if there are several, one of them. Finding none in a long
// text takes a hundredth of the time that the form takes.
type secretPattern struct {
	kind  string
	signs []string
	form  *lazyregexp.Regexp
	but   *lazyregexp.Regexp // what of that form stands for a credential and is none; may be nil
}

func (p secretPattern) in(text string) bool {
	for _, sign := range p.signs {
		if strings.Contains(text, sign) {
			return slices.ContainsFunc(p.form.FindAllString(text, -1), func(found string) bool { return p.but == nil || !p.but.MatchString(found) })
		}
	}
	return false
}

// secretPatterns lists forms that are credentials and hardly ever anything else.
func secretPatterns() []secretPattern {
	return []secretPattern{
		{"a private key", []string{"PRIVATE KEY-----"}, lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----`), nil},
		{"an API key of Anthropic", []string{"sk-ant-"}, lazyregexp.New(`\bsk-ant-[A-Za-z0-9_-]{20,}`), nil},
		{"an API key", []string{"sk-"}, lazyregexp.New(`\bsk-(?:proj-|live-)?[A-Za-z0-9_-]{32,}`), nil},
		{"a payment key", []string{"k_live_", "k_test_"}, lazyregexp.New(`\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`), nil},
		{"a GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, lazyregexp.New(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`), nil},
		{"a GitLab token", []string{"glpat-"}, lazyregexp.New(`\bglpat-[A-Za-z0-9_-]{20,}`), nil},
		{"an npm token", []string{"npm_"}, lazyregexp.New(`\bnpm_[A-Za-z0-9]{36}`), nil},
		{"a Slack token", []string{"xox"}, lazyregexp.New(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`), nil},
		{"an AWS access key", []string{"AKIA", "ASIA"}, lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`), nil},
		{"a Google API key", []string{"AIza"}, lazyregexp.New(`\bAIza[A-Za-z0-9_-]{35}`), nil},
		{"a signed web token", []string{"eyJ"}, lazyregexp.New(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`), nil},
		{"a password in a URL", []string{"://"}, lazyregexp.New(`\b[a-z][a-z0-9+.-]*://[^\s/:@<>{}$]+:[^\s/:@<>{}$]{3,}@`),
			lazyregexp.New(`(?i):(?:pass|passwd|password|pwd|secret|token|your[a-z_-]*|x{3,}|\*{3,}|\.{3})@$`)},
	}
}

// secretIn names the kind of credential in a text, or returns "".
func secretIn(patterns []secretPattern, text string) string {
	for _, pattern := range patterns {
		if pattern.in(text) {
			return pattern.kind
		}
	}
	return ""
}

// secretInText finds credentials in what is sent to every client and model. The
// finding does not repeat them.
func secretInText() rule[*offer] {
	return rule[*offer]{
		code: "secret-in-text", level: diag.Error,
		meaning: "a description, default or example holds something that looks like a credential",
		find: func(o *offer, report reporter) {
			patterns := secretPatterns()
			const hint = "remove it, and revoke it: it is in the bundle and in every request"
			if kind := secretIn(patterns, o.Surface.Instructions); kind != "" {
				report.in("", hint, "the instructions hold what looks like %s", kind)
			}
			for _, t := range o.tools {
				eachText(t.Raw, func(path, text string) {
					if kind := secretIn(patterns, text); kind != "" {
						report.in(t.label, hint, "%s holds what looks like %s", path, kind)
					}
				})
			}
		},
	}
}
