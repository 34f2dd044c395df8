package bundler

import (
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"omcbuild/internal/diag"
)

// awaitUnsupported is how esbuild begins to say that a file waits at its top level
// and that CommonJS cannot.
const awaitUnsupported = "Top-level await is currently not supported"

// needsAwait returns the files whose top-level await keeps the program from being
// CommonJS.
func needsAwait(errors []api.Message) (files []string) {
	for _, m := range errors {
		if strings.HasPrefix(m.Text, awaitUnsupported) && m.Location != nil {
			files = append(files, m.Location.File)
		}
	}
	return files
}

// checkAwaits refuses requires of modules that wait at their top level, themselves or
// through what they import: require returns at once, and so would hand out names that
// have no value yet. esbuild refuses them only in files that wait themselves.
func (b *build) checkAwaits(g *graph) (list diag.List) {
	if len(b.waiting) == 0 {
		return nil
	}
	waits := map[string]bool{}
	for _, name := range b.waiting {
		waits[name] = true
	}
	for grown := true; grown; {
		grown = false
		for _, name := range g.names {
			for _, edge := range g.Inputs[name].Imports {
				if edge.Kind == "import-statement" && waits[edge.Path] && !waits[name] {
					waits[name], grown = true, true
				}
			}
		}
	}
	r := b.newReach(g, nil)
	for _, name := range g.names {
		for _, edge := range g.Inputs[name].Imports {
			if edge.Kind != "require-call" || !waits[edge.Path] || g.kept[name] == 0 {
				continue
			}
			at := r.position(r.sites(name, edge.Original)[0])
			d := diag.Diagnostic{Code: "top-level-await", Position: at, Message: edge.Path + " waits at its top level and cannot be required",
				Hint: "load it with import, or require another form of the package"}
			if !slices.Contains(list, d) {
				list.Add(d)
			}
		}
	}
	return list
}
