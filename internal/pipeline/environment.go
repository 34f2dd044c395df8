package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/surface"
)

// environment is what a bundle runs with: what the configuration gives it, and what
// was given on the command line, which wins.
func (r *run) environment(it *item) []string {
	values := maps.Clone(it.bundle.Env)
	if values == nil {
		values = map[string]string{}
	}
	maps.Copy(values, r.env)
	var env []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		env = append(env, name+"="+values[name])
	}
	return env
}

// secretLength is from how many bytes on a value of the command line counts as a
// secret. Shorter ones, such as "1" or "true", are no secrets and stand in any text.
const secretLength = 6

// hide takes the values of the command line out of a text that a server wrote.
func (r *run) hide(text string) string {
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		if value := r.env[name]; len(value) >= secretLength {
			text = strings.ReplaceAll(text, value, "["+name+"]")
		}
	}
	return text
}

func (r *run) hideAll(texts []string) []string {
	if len(r.env) == 0 {
		return texts
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = r.hide(text)
	}
	return out
}

// shown are the diagnostics as they are reported.
func (r *run) shown() diag.List {
	list := r.diagnostics
	if r.packing != nil {
		list = distinct(slices.Concat(r.packing.disk, list))
	}
	if len(r.env) == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Message, list[i].Hint, list[i].Tool = r.hide(list[i].Message), r.hide(list[i].Hint), r.hide(list[i].Tool)
	}
	return list
}

// leaked reports the values of the command line that a server lists, and that the lock
// file would keep.
func (r *run) leaked(it *item) (list diag.List) {
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		value := r.env[name]
		if len(value) < secretLength {
			continue
		}
		for _, tool := range it.probe.Surface.Tools {
			if bytes.Contains(tool.InputSchema, []byte(value)) || tool.Description != nil && strings.Contains(*tool.Description, value) {
				list.Add(diag.Diagnostic{Code: "env-in-surface", Tool: tool.Name, Position: diag.Position{File: it.bundle.Outfile},
					Message: "the value of " + name + " that --env gives stands in what the tool lists, and the lock file would keep it",
					Hint:    "leave it out of descriptions and schemas, or give another value"})
			}
		}
	}
	return list
}

// excuse turns the findings about a server that does not start into one warning, when
// the configuration says that it may fail. Nothing is then known of what it offers.
func (it *item) excuse(probe *surface.Probe) diag.List {
	if it.bundle.MayFail == "" || probe.Listed() {
		return probe.Diagnostics
	}
	it.unproven = probe
	d := diag.Diagnostic{Code: "not-proven", Level: diag.Warning, Position: diag.Position{File: it.bundle.Outfile},
		Message: fmt.Sprintf("was not proven: it does not start here, as the configuration says it may (%s)", it.bundle.MayFail),
		Hint:    "give what it needs with --env, and let somebody verify it who has it"}
	if errors := probe.Diagnostics.At(diag.Error); len(errors) > 0 {
		d.Message += "; " + errors[0].Message
	}
	return diag.List{d}
}
