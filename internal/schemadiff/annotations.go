package schemadiff

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"omcbuild/internal/surface"
)

// annotations compares the hints by which a client decides what to ask its user.
// A hint that is missing means what the protocol says it means: not read-only,
// destructive.
func (c *comparison) annotations(tool string, oldRaw, newRaw json.RawMessage) {
	if surface.Same(oldRaw, newRaw) {
		return
	}
	before := len(c.changes)
	old, updated := members(oldRaw), members(newRaw)
	for _, name := range slices.Sorted(maps.Keys(union(old, updated))) {
		if surface.Same(old[name], updated[name]) {
			continue
		}
		level, text := judgeHint(name, old[name], updated[name])
		c.add(Change{Tool: tool, Path: "annotations." + name, Kind: "annotation-changed", Level: level},
			"%s %s", name, text)
	}
	if len(c.changes) == before {
		c.add(Change{Tool: tool, Path: "annotations", Kind: "annotation-changed", Level: Text}, "annotations are written differently")
	}
}

// judgeHint weighs the change of one annotation.
func judgeHint(name string, old, updated json.RawMessage) (Level, string) {
	text := "is now " + spelled(updated) + " (was " + spelled(old) + ")"
	switch name {
	case "readOnlyHint":
		switch {
		case isTrue(old):
			return Breaking, text
		case isTrue(updated):
			return Feature, text
		}
	case "destructiveHint":
		// A hint that goes missing counts as destructive, one that was missing and is
		// now said aloud still changes what a client shows.
		switch {
		case isTrue(updated), isFalse(old):
			return Breaking, text
		case isFalse(updated):
			return Feature, text
		}
	}
	return Text, text
}

func isTrue(raw json.RawMessage) bool  { return string(bytes.TrimSpace(raw)) == "true" }
func isFalse(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "false" }

func spelled(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	return short(string(raw))
}

func members(raw json.RawMessage) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

func union[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

// short cuts a value to what fits in a message.
func short(text string) string {
	const limit = 60
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}
