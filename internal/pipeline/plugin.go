package pipeline

import (
	"context"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
)

// pluginStep checks the plugin around the bundles: what the real client
// accepts in silence and a user then suffers.
func pluginStep(ctx context.Context, r *run) error {
	in := lint.PluginInput{Root: r.project.Root}
	for _, it := range r.items {
		if it.mcp() && it.bundle.Register {
			in.Bundles = append(in.Bundles, it.bundle.Outfile)
		}
	}
	list, err := r.machine.checkPlugin(ctx, in)
	r.diagnostics.Add(list...)
	return err
}

// checkPlugin applies the plugin rules to a folder. Without git, what only git
// knows is not checked.
func (m Machine) checkPlugin(ctx context.Context, in lint.PluginInput) (diag.List, error) {
	if git, err := process.LookPath("git", m.Path); err == nil {
		known, err := lint.ReadGit(ctx, git, in.Root)
		if err != nil {
			return nil, err
		}
		in.Git = known
	}
	return lint.CheckPlugin(in), nil
}

// checkCatalog applies the plugin rules to the catalog of a repository whose
// root is no plugin. What they find beside it is about no plugin.
func (m Machine) checkCatalog(ctx context.Context, repository *project.Repository) (diag.List, error) {
	if repository.Catalog == nil || slices.Contains(repository.Paths(), ".") {
		return nil, nil
	}
	list, err := m.checkPlugin(ctx, lint.PluginInput{Root: repository.Root})
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.File != project.CatalogFile }), err
}
