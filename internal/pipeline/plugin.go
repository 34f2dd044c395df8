package pipeline

import (
	"context"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// pluginStep checks the plugin around the bundles: what the real client
// accepts in silence and a user then suffers.
func pluginStep(ctx context.Context, r *run) error {
	in := r.pluginInput()
	in.ForListing = r.verify.ForListing
	list, err := r.machine.checkPlugin(ctx, in, r.project.Config.Plugin.Name+"--v"+r.project.Package.Version)
	if r.packaged { // nothing of it can be somebody's own affair any more
		for i := range list {
			if list[i].Code == "lockfile-beside-package" {
				list[i].Level = diag.Error
			}
		}
	}
	r.diagnostics.Add(list...)
	if !r.packaged {
		r.diagnostics.Add(r.behind()...)
	}
	return err
}

// checkPlugin applies the plugin rules to a folder, whose version has the tag.
// Without git, what only git knows is not checked.
func (m Machine) checkPlugin(ctx context.Context, in lint.PluginInput, tag string) (diag.List, error) {
	if git, err := process.LookPath("git", m.Path); err == nil {
		known, err := lint.ReadGit(ctx, git, in.Root)
		if err != nil {
			return nil, err
		}
		if in.Git = known; known != nil && tag != "" {
			if known.TaggedChanges, err = lint.CompareTag(ctx, git, in.Root, tag); err != nil {
				return nil, err
			}
		}
	}
	return lint.CheckPlugin(in), nil
}

// checkCatalog applies the plugin rules to the catalog of a repository whose
// root is no plugin. What they find beside it is about no plugin.
func (m Machine) checkCatalog(ctx context.Context, repository *project.Repository) (diag.List, error) {
	if repository.Catalog == nil || slices.Contains(repository.Paths(), ".") {
		return nil, nil
	}
	list, err := m.checkPlugin(ctx, lint.PluginInput{Root: repository.Root}, "")
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.File != project.CatalogFile }), err
}

// catalogForm finds what the client refuses in the catalog of a repository whose
// root is no plugin, in those parts that no command writes.
func catalogForm(repository *project.Repository) diag.List {
	if repository.Catalog == nil || repository.Catalog.Problem != nil || slices.Contains(repository.Paths(), ".") {
		return nil
	}
	list := lint.CheckPlanned(lint.PluginInput{Root: repository.Root})
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Code != "catalog-form" })
}

// plannedStep checks the plugin as it will be once the build has written its
// products, for errors only.
func plannedStep(_ context.Context, r *run) error {
	in := r.pluginInput()
	in.Planned = map[string]lint.Planned{}
	in.WithoutCatalog = r.project.Within != nil // it is written when all of its plugins are done
	for _, file := range r.products {
		in.Planned[file.Path] = lint.Planned{Contents: file.Contents, Mode: file.Mode}
	}
	for _, it := range r.items {
		for _, output := range it.outputs {
			in.Planned[output.Path] = lint.Planned{Contents: output.Contents, Mode: output.Mode}
		}
	}
	r.diagnostics.Add(lint.CheckPlanned(in)...)
	return nil
}

func (r *run) pluginInput() lint.PluginInput {
	in := r.bundlesInput()
	in.Tools = map[string][]string{}
	for _, it := range r.items {
		if tools, known := r.toolsOf(it); known {
			in.Tools[it.bundle.Name] = tools
		}
	}
	return in
}

// bundlesInput is pluginInput without what the servers list.
func (r *run) bundlesInput() lint.PluginInput {
	in := lint.PluginInput{Root: r.project.Root}
	for _, it := range r.items {
		in.Products = append(in.Products, it.bundle.Outfile)
		switch {
		case it.mcp() && it.bundle.Register:
			in.Bundles = append(in.Bundles, it.bundle.Outfile)
		case it.mcp():
			in.Unregistered = append(in.Unregistered, it.bundle.Outfile)
		}
	}
	return in
}

// toolsOf names the tools of a server: those it lists, or where it did not run those
// of its lock file.
func (r *run) toolsOf(it *item) (names []string, known bool) {
	switch {
	case !it.mcp():
		return nil, false
	case it.probe != nil && it.probe.Listed():
		for _, tool := range it.probe.Surface.Tools {
			names = append(names, tool.Name)
		}
	default:
		lock, err := surface.ReadLock(r.project.Root, it.bundle.LockFile)
		if err != nil {
			return nil, false
		}
		for _, tool := range lock.Tools {
			names = append(names, tool.Name)
		}
	}
	return names, true
}
