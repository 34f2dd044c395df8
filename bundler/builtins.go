package bundler

import (
	"fmt"
	"strconv"
	"strings"

	"omcbuild/internal/diag"
)

// since returns the first Node that has a module without a flag, as major and minor, for
// those that came after the oldest Node that is supported.
func since(spec string) (version [2]int, known bool) {
	switch spec {
	case "node:sqlite":
		return [2]int{22, 13}, true
	case "node:sea":
		return [2]int{20, 12}, true
	}
	return version, false
}

// checkBuiltins reports modules of Node that the oldest Node of the target has not.
func (b *build) checkBuiltins(g *graph) (list diag.List) {
	target, ok := oldestNode(b.o.Target)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	var r *reach
	for _, name := range g.names {
		if g.kept[name] == 0 {
			continue
		}
		for _, edge := range g.Inputs[name].Imports {
			spec := strings.TrimPrefix(edge.Path, externalNamespace+":")
			first, known := since(spec)
			old := target[0] < first[0] || target[0] == first[0] && target[1] < first[1]
			if !known || !old || seen[name+" "+spec] {
				continue
			}
			seen[name+" "+spec] = true
			if r == nil {
				r = b.newReach(g, nil)
			}
			for _, u := range r.sites(name, spec) {
				d := diag.Diagnostic{Code: "newer-module", Level: diag.Warning, Position: r.position(u),
					Message: fmt.Sprintf("%s is part of Node %d.%d and later, and the plugin is for Node %d.%d", spec, first[0], first[1], target[0], target[1]),
					Hint:    "say so under engines in package.json, or import it inside the function that needs it and handle its absence"}
				if u.guarded || inPackage("/"+name) {
					d.Level = diag.Note
				}
				list.Add(d)
			}
		}
	}
	return list
}

// oldestNode reads the version of Node in a target such as "node20.19".
func oldestNode(target string) (version [2]int, ok bool) {
	for _, part := range strings.Split(target, ",") {
		m := targetPattern.FindStringSubmatch(part)
		if len(m) < 3 || m[1] != "node" {
			continue
		}
		major, minor, _ := strings.Cut(m[2], ".")
		minor, _, _ = strings.Cut(minor, ".")
		version[0], _ = strconv.Atoi(major)
		version[1], _ = strconv.Atoi(minor)
		return version, version[0] > 0
	}
	return version, false
}

// IsBuiltin reports whether Node itself has a module of that name, as it is imported:
// "fs", "node:fs", "fs/promises".
func IsBuiltin(spec string) bool { return isBuiltin(spec) }
