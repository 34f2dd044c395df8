package pipeline

import (
	"context"
	"path/filepath"
	"slices"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/release"
)

// shipStep refuses to tag what nobody should install: what verify --plugin finds wrong
// in the folder and in git, and what package would not take. What a build looks at in
// the files that it writes, the build has looked at.
func shipStep(ctx context.Context, r *run) error {
	in := r.pluginInput()
	in.WithoutCatalog = r.project.Within != nil
	list, err := r.machine.checkPlugin(ctx, in, "") // whether the tag is there, tagStep looks
	if err != nil {
		return err
	}
	excluded := release.Selection{Exclude: r.patterns(r.project.Config.Exclude, "exclude")}.Excluded
	list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		known := lint.GroupOf(d.Code) != lint.Shipped && d.Code != "file-ignored" && d.Code != "catalog-plugin"
		return d.Level != diag.Error || known || excluded(d.File)
	})
	refused, err := r.unpackable(ctx, in)
	if err != nil {
		return err
	}
	for _, d := range refused { // one finding a file is enough
		if d.Level == diag.Error && !slices.ContainsFunc(list, func(o diag.Diagnostic) bool { return o.File == d.File }) {
			list.Add(d)
		}
	}
	r.diagnostics.Add(list...)
	return nil
}

// unpackable is what package finds in the files that it would take. Bundles that are not
// there yet are built before anybody packs them.
func (r *run) unpackable(ctx context.Context, in lint.PluginInput) (list diag.List, err error) {
	r.packing = &packing{options: PackageOptions{Out: filepath.Join(r.project.Root, "dist")}} // where package has its folder
	if r.packing.git, err = r.askGit(ctx); err != nil {
		return nil, err
	}
	if r.packing.named, err = lint.NamedFiles(in); err != nil {
		return nil, err
	}
	selection := r.selection()
	selection.Executable = r.packing.executable
	if r.packing.git != nil {
		selection.Ignored = r.packing.git.Ignores
	}
	selection.Products = slices.DeleteFunc(selection.Products, func(file string) bool { return !r.has(file) })
	payload, list, err := release.Collect(ctx, selection)
	if err != nil {
		return nil, err
	}
	list.Add(payload.CheckImports(func(file string) bool { return r.isProgram(selection, file) })...)
	return list, nil
}
