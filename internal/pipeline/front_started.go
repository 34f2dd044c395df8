package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/front"
	"omcbuild/internal/lint"
)

// turnedOff finds fronts that never answer, because the plugin's own manifest starts
// the server in a way that turns its front off.
func (r *run) turnedOff() error {
	if r.lone {
		return nil // there is no plugin around it
	}
	servers, err := lint.StartedServers(r.bundlesInput())
	if err != nil {
		return err
	}
	for _, s := range servers {
		i := slices.IndexFunc(r.items, func(it *item) bool { return it.bundle.Outfile == s.Bundle })
		if i < 0 || len(r.items[i].outputs) == 0 {
			continue
		}
		if len(s.Env) == 0 && len(s.Args) < 2 {
			continue // nothing that could turn it off
		}
		if f, has := bundler.FrontOf(r.items[i].file()); has {
			r.diagnostics.Add(offWhenStarted(s, f.Env)...)
		}
	}
	return nil
}

// offWhenStarted says what in the entry of a server turns off a front with these
// variables, nothing when it answers.
func offWhenStarted(s lint.Server, switches []string) (list diag.List) {
	for _, variable := range s.Env {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(switches, name) || name == front.Switch && value == "0" {
			list.Add(diag.Diagnostic{
				Code: "front-off", Level: diag.Warning, Position: s.EnvAt,
				Message: fmt.Sprintf("sets %s for server %s, which turns the front of %s off: it never answers a client", name, s.Key, s.Bundle),
				Hint:    "take " + name + " out here; where the list of tools does not depend on it, read it in the handler and take it out of front.env",
			})
		}
	}
	if s.Direct && len(s.Args) > 1 {
		list.Add(diag.Diagnostic{
			Code: "front-off", Level: diag.Warning, Position: s.Place,
			Message: fmt.Sprintf("gives server %s arguments, which turn the front of %s off: it never answers a client", s.Key, s.Bundle),
			Hint:    "take them out here, or set front to false",
		})
	}
	return list
}

// heardStep says where a bundle that is only shown has a front that tells clients
// something else than the server behind it, which is what is shown.
func heardStep() step {
	compare := func(_ context.Context, r *run) error {
		for _, it := range r.items {
			if it.probe == nil || !r.fronted(it) {
				continue
			}
			f, _ := bundler.FrontOf(it.file())
			var names []string
			for _, answer := range front.Untrue(it.probe, f) {
				names = append(names, method(answer))
			}
			if slices.Sort(names); len(names) > 0 {
				stale := staleFront(it.bundle.Outfile, "answers "+strings.Join(slices.Compact(names), ", ")+" otherwise than its server, and what is shown here is what the server says")
				stale.Level = diag.Warning
				r.diagnostics.Add(stale)
			}
		}
		return nil
	}
	return step{name: "heard", do: compare, skip: withoutFronts}
}
