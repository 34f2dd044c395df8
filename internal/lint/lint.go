// Package lint holds the rules that omcbuild applies to what it has built and to
// the plugin around it: faults that no compiler sees, that the client accepts in
// silence, and that a user then meets as a tool that is not there.
//
// There are three subjects, each with its own check and its own rules:
//
//   - CheckSurface looks at what a server lists: names as the model will see
//     them, schemas as the strictest known client reads them, texts as they reach
//     the model.
//   - CheckBundle looks at the bytes of a bundle.
//   - CheckPlugin looks at the plugin folder: manifests, versions, hooks, and the
//     files that they name. It reads through os.Root, so no link leads out.
//
// A rule is a small file: its code, which is stable and may be looked up in the
// documentation, its level, what it means in one line, and the function that
// finds it. Rules lists them all.
//
// Everything that is looked at was written by somebody else and may be hostile:
// sizes and depths are bounded, and a rule that cannot make sense of its subject
// stays silent, because another rule has reported why.
package lint

import (
	"fmt"
	"slices"

	"omcbuild/internal/diag"
)

// Subject is what a rule looks at.
type Subject string

// The subjects of rules.
const (
	OfSurface Subject = "surface"
	OfBundle  Subject = "bundle"
	OfPlugin  Subject = "plugin"
)

// Rule describes a rule, for documentation.
type Rule struct {
	Code    string     `json:"code"` // stable, kebab-case
	Subject Subject    `json:"subject"`
	Level   diag.Level `json:"level"`
	Meaning string     `json:"meaning"` // one line, what is wrong and what comes of it
	Raised  bool       `json:"raised"`  // a directory of plugins objects: with ForListing the level is one higher
	Page    Page       `json:"page"`    // of rules of a plugin only
}

// Page is what the documentation says of a rule beside its meaning.
type Page struct {
	Group  Group  `json:"group"`
	Why    string `json:"why"`              // what the client does, and what comes of it
	Wrong  string `json:"wrong"`            // an example of the fault: lines of a file, or a listing
	Do     string `json:"do"`               // what to do about it
	Client string `json:"client,omitempty"` // the client's own code for the fault, where it has one
}

// Rules returns all rules, by subject and in the order in which they are applied.
func Rules() []Rule {
	return slices.Concat(described(OfSurface, surfaceRules()), described(OfBundle, bundleRules()), described(OfPlugin, pluginRules()))
}

// rule is a rule that can be applied to a T.
type rule[T any] struct {
	code    string
	level   diag.Level
	meaning string
	raised  bool
	page    Page
	find    func(subject T, report reporter)
}

// reporter is how a rule says what it found. Code and level are those of the rule;
// a position without a file gets the file of the subject.
type reporter func(diag.Diagnostic)

// in reports a fault of a tool or of a subject as a whole.
func (r reporter) in(tool, hint, format string, args ...any) {
	r(diag.Diagnostic{Tool: tool, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// at reports a fault at a place.
func (r reporter) at(place diag.Position, hint, format string, args ...any) {
	r(diag.Diagnostic{Position: place, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

// maxFindings is how often one rule speaks about one subject.
const maxFindings = 50

// apply runs rules over a subject.
func apply[T any](subject T, file string, rules []rule[T]) diag.List {
	var list diag.List
	for _, r := range rules {
		found := 0
		r.find(subject, func(d diag.Diagnostic) {
			if found++; found > maxFindings {
				return
			}
			d.Code, d.Level = r.code, r.level
			if d.File == "" {
				d.File = file
			}
			list.Add(d)
		})
		if found > maxFindings {
			list.Add(diag.Diagnostic{Code: r.code, Level: r.level, Position: diag.Position{File: file},
				Message: fmt.Sprintf("%d more findings of %s are not shown", found-maxFindings, r.code), Hint: "mend the first ones and run again"})
		}
	}
	return list
}

func described[T any](subject Subject, rules []rule[T]) []Rule {
	out := make([]Rule, len(rules))
	for i, r := range rules {
		out[i] = Rule{Code: r.code, Subject: subject, Level: r.level, Meaning: r.meaning, Raised: r.raised, Page: r.page}
	}
	return out
}
