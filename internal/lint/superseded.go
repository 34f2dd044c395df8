package lint

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// fileSuperseded finds what an earlier build left, where its bundle has another
// name now.
func fileSuperseded() rule[*plugin] {
	return rule[*plugin]{
		code: "file-superseded", level: diag.Warning,
		meaning: "a server or hook starts what an earlier build left; the bundle has another name now",
		page: Page{
			Group: Paths,
			Why:   "The old file is on disk and runs, and nothing of what is changed in the sources reaches it.",
			Wrong: "\"command\": \"node \\\"${CLAUDE_PLUGIN_ROOT}/dist/hook.js\\\"\", where the configuration has dist/hook.cjs",
			Do:    "Start the bundle, and remove the old file.",
		},
		find: eachFile(func(p *plugin, r reference, file string, report reporter) {
			info, _ := p.stat(file)
			if next := p.successor(file); next != "" && info != nil && !info.IsDir() {
				report.at(r.place, p.remedy(file, ""), "%s: %s is not built any more, but %s is", r.owner, clip(file), clip(next))
			}
		}),
	}
}

// successor returns the bundle that is made in the place of a file: of the same
// name but for the extension, beside it or, for what compilers make, in another
// folder. It is "" when there is none, or when the file is a product itself.
func (p *plugin) successor(file string) string {
	if slices.Contains(p.Products, file) || !isScript(file) {
		return ""
	}
	stem := func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }
	compiled := inOutputFolder(file) && path.Base(stem(file)) != "index"
	for _, product := range p.Products {
		if stem(product) == stem(file) || compiled && path.Base(stem(product)) == path.Base(stem(file)) {
			return product
		}
	}
	return ""
}

// remedy is what to do about a file that servers or hooks name in vain, where
// the bundles say more than usual.
func (p *plugin) remedy(file, usual string) string {
	if next := p.successor(file); next != "" {
		return "start " + next + ", and remove " + path.Base(file) + " if it is still there"
	}
	if _, err := p.root.Lstat(project.ConfigFile); err != nil && len(p.Products) == 0 && isScript(file) && inOutputFolder(file) {
		return usual + "; omcbuild init --here writes a configuration that builds it"
	}
	return usual
}

func isScript(file string) bool {
	return slices.Contains([]string{".js", ".mjs", ".cjs"}, path.Ext(file))
}

// inOutputFolder reports whether a file is where compilers write.
func inOutputFolder(file string) bool {
	folder, _, _ := strings.Cut(file, "/")
	return slices.Contains([]string{"dist", "build", "out", "lib"}, folder)
}
