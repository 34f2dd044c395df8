package lint

import (
	"regexp"

	"omcbuild/internal/diag"
)

// secretPattern is the form of one kind of credential.
type secretPattern struct {
	kind string
	form *regexp.Regexp
}

// secretPatterns lists forms that are credentials and hardly ever anything else.
func secretPatterns() []secretPattern {
	return []secretPattern{
		{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
		{"an API key of Anthropic", regexp.MustCompile(`\bsk-ant-[A-Za-z0-9_-]{20,}`)},
		{"an API key", regexp.MustCompile(`\bsk-(?:proj-|live-)?[A-Za-z0-9_-]{32,}`)},
		{"a payment key", regexp.MustCompile(`\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`)},
		{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`)},
		{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
		{"an npm token", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`)},
		{"a Slack token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
		{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
		{"a Google API key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
		{"a signed web token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
		{"a password in a URL", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@<>{}$]+:[^\s/:@<>{}$]{3,}@`)},
	}
}

// secretIn names the kind of credential in a text, or returns "".
func secretIn(patterns []secretPattern, text string) string {
	for _, pattern := range patterns {
		if pattern.form.MatchString(text) {
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
