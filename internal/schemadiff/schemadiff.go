// Package schemadiff tells what a change of a tool surface means for those who
// use it: the model that was told the old schemas, and the prompts and scripts
// that were written against them.
//
// Compare walks two surfaces side by side and returns one Change for each thing
// that differs, with a Level:
//
//   - Breaking: a call that was right before may now be refused, or an answer may
//     hold something its reader does not expect.
//   - Feature: every call that was right stays right, and more is possible.
//   - Text: wording and order; nothing that a validator would notice.
//
// An input schema says what callers may send, so accepting less is breaking and
// accepting more is a feature. An output schema says what readers must expect, so
// there it is the other way round: promising less is breaking.
//
// Schemas are compared by structure. Local references are followed, bounds that
// are written differently and mean the same are equal, and alternatives (anyOf,
// oneOf, allOf) are matched branch by branch. Where structure does not decide
// whether more or less is accepted, the answer is the cautious one: breaking.
//
// Schemas come from servers and are not trusted: recursion, depth and work are
// bounded, and a schema that is malformed is compared as the bytes it is.
package schemadiff

import (
	"slices"

	"github.com/Masterminds/semver/v3"

	"omcbuild/internal/surface"
)

// Level says what a change means for users of the surface.
type Level string

// The levels, from the gravest to the lightest.
const (
	Breaking Level = "breaking"
	Feature  Level = "feature"
	Text     Level = "text"
)

// Change is one difference between two surfaces.
type Change struct {
	// Tool is the tool's name, empty for changes of the server as a whole.
	Tool string `json:"tool,omitempty"`
	// Path is the place in the tool's definition: "inputSchema.filter.depth",
	// "outputSchema.hits[].line", "description", "annotations.readOnlyHint"; for the
	// server "server.name", "protocol". Empty when the tool as a whole is meant.
	Path string `json:"path,omitempty"`
	// Kind names what happened, for example "property-required". Kinds are stable.
	Kind  string `json:"kind"`
	Level Level  `json:"level"`
	// Message is the whole change in one sentence, for example
	// "state_read: session_id is now required (was optional): breaking".
	Message string `json:"message"`
	// Hint is a guess that may help, such as the new name of a tool.
	Hint string `json:"hint,omitempty"`
}

// Compare returns what changed from one surface to another: the server first,
// then each tool in the order of the old surface, then new tools, then the order
// itself. It looks at the parts a lock file records; a surface compared with
// itself gives no changes, and two surfaces with different lock files give at
// least one.
func Compare(old, updated surface.Surface) []Change {
	c := &comparison{budget: totalBudget}
	c.server(old, updated)
	c.tools(old.Tools, updated.Tools)
	return c.changes
}

// comparison collects changes while two surfaces are walked.
type comparison struct {
	changes []Change
	budget  int // pairs of schema nodes that may still be visited
}

// Worst returns the gravest level among changes, or "" when there are none.
func Worst(changes []Change) Level {
	for _, level := range []Level{Breaking, Feature, Text} {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Level == level }) {
			return level
		}
	}
	return ""
}

// Bump proposes the part of the version to raise: "major" for breaking changes,
// "minor" for features, "patch" for texts, "none" when only the server's version
// differs or nothing does. While the current version is 0.x a breaking change
// asks for "minor", because 1.0.0 is a promise that only the author can make.
// A current version that is no semantic version is taken to be 1.0.0 or later.
func Bump(changes []Change, current string) string {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.Kind == kindServerVersion })
	switch Worst(changes) {
	case Breaking:
		if version, err := semver.NewVersion(current); err == nil && version.Major() == 0 {
			return "minor"
		}
		return "major"
	case Feature:
		return "minor"
	case Text:
		return "patch"
	}
	return "none"
}
