package inspect

import (
	"path"
	"slices"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

// pkg is one package.json of the repository.
type pkg struct {
	folder  string // "." for the root
	file    string // its path
	doc     *project.Document
	name    string
	version string
	kind    string // the field type
	scripts map[string]setting
	bins    []setting // value is a path below the root
}

// readPackage reads the package.json of a folder; nil when there is none.
func (p *plan) readPackage(folder string) *pkg {
	file := path.Join(folder, project.PackageFile)
	doc := p.repo.document(file, project.Strict)
	if doc == nil {
		return nil
	}
	out := &pkg{
		folder: folder, file: file, doc: doc, scripts: map[string]setting{},
		name: doc.String("name"), version: doc.String("version"), kind: doc.String("type"),
	}
	all := fromJSON(doc, &doc.Value)
	for _, m := range all.get("scripts").members {
		if m.value.kind == text {
			out.scripts[m.key] = setting{m.key, m.value.text, m.value.at}
		}
	}
	bins := all.get("bin")
	if bins.kind == text {
		bins = value{kind: object, members: []member{{unscoped(out.name), bins}}}
	}
	if bins.kind == absent {
		bins = value{kind: object, members: []member{{unscoped(out.name), all.get("main")}}}
	}
	for _, m := range bins.members {
		if target, ok := inside(folder, m.value.text); ok && m.value.kind == text {
			out.bins = append(out.bins, setting{m.key, target, m.value.at})
		}
	}
	return out
}

func unscoped(name string) string {
	if _, rest, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(name, "@") {
		return rest
	}
	return name
}

// workspaces lists the folders of the packages that belong to the root's
// workspace, as npm, yarn, bun and pnpm declare them.
func (p *plan) workspaces() []string {
	var patterns []value
	if p.root.doc != nil {
		all := fromJSON(p.root.doc, &p.root.doc.Value).get("workspaces")
		if all.kind == object {
			all = all.get("packages")
		}
		patterns = all.items()
	}
	patterns = append(patterns, p.pnpmWorkspace()...)
	var out []string
	for _, pattern := range patterns {
		if pattern.kind != text || strings.HasPrefix(pattern.text, "!") {
			continue
		}
		for _, file := range p.repo.glob(".", path.Join(pattern.text, project.PackageFile)) {
			out = append(out, path.Dir(file))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxFolders {
		p.repo.leave("workspaces", diag.Position{File: project.PackageFile}, "there are more packages than are looked into; name the bundles by hand")
		return nil
	}
	return slices.DeleteFunc(out, func(folder string) bool { return folder == "." })
}

// pnpmWorkspace reads the list in pnpm-workspace.yaml in its usual form, one
// quoted or plain pattern a line.
func (p *plan) pnpmWorkspace() []value {
	const file = "pnpm-workspace.yaml"
	data, err := p.repo.read(file)
	if err != nil {
		return nil
	}
	var out []value
	listed := false
	line := 0
	for raw := range strings.Lines(string(data)) {
		line++
		trimmed := strings.TrimSpace(raw)
		switch {
		case strings.HasPrefix(raw, "packages:"):
			listed = true
		case listed && strings.HasPrefix(trimmed, "-"):
			pattern := strings.Trim(strings.TrimSpace(trimmed[1:]), `"'`)
			out = append(out, value{kind: text, text: pattern, at: diag.Position{File: file, Line: line}})
		case trimmed != "" && !strings.HasPrefix(trimmed, "#"):
			listed = false
		}
	}
	return out
}
