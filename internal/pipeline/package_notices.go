package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"omcbuild/bundler"
	"omcbuild/internal/analysis"
	"omcbuild/internal/diag"
	"omcbuild/internal/release"
)

func withoutBundles(r *run) string { return unless(len(r.items) > 0, "no bundles") }

// noticesStep adds the licence texts of the packages in the bundles. Notices that the
// plugin has of its own stay as they are, and have to name every package.
func noticesStep(_ context.Context, r *run) error {
	var results []*bundler.Result
	for _, it := range r.items {
		results = append(results, it.made)
	}
	inventory, list := r.inventory(results)
	r.diagnostics.Add(list...)
	r.packing.inventory = inventory
	if len(inventory.Installed()) == 0 || r.selection().Excluded(release.NoticesFile) {
		return nil
	}
	text := inventory.Notices(r.title())
	kept, there := r.packing.payload.FileLike(release.NoticesFile)
	switch {
	case !there:
		r.diagnostics.Add(inventory.CheckTexts()...)
		return r.packing.payload.Add(release.File{Path: release.NoticesFile, Mode: release.PlainMode, Contents: text})
	case !bytes.Contains(kept.Contents[:min(len(kept.Contents), 1024)], []byte(analysis.NoticesMark)):
		r.diagnostics.Add(unnamed(kept, inventory)...)
	default:
		r.diagnostics.Add(inventory.CheckTexts()...)
		if r.packing.payload.Replace(kept.Path, text); !bytes.Equal(kept.Contents, text) {
			r.diagnostics.Add(diag.Diagnostic{Code: "notices-stale", Level: diag.Warning, Position: diag.Position{File: kept.Path},
				Message: "is not what omcbuild writes of the bundles now; the package has it as it should be, an installation from the repository has not",
				Hint:    "run omcbuild analyze --notices " + kept.Path + " and commit the result, or remove the file"})
		}
	}
	return nil
}

// unnamed finds what notices of the plugin's own do not name.
func unnamed(kept release.File, inventory *analysis.Inventory) (list diag.List) {
	if labels := inventory.Unnamed(kept.Contents); len(labels) > 0 {
		more := ""
		if len(labels) > 5 {
			labels, more = labels[:5], fmt.Sprintf(" and %d more", len(labels)-5)
		}
		list.Add(diag.Diagnostic{Code: "notices-incomplete", Level: diag.Warning, Position: diag.Position{File: kept.Path},
			Message: "does not name what is in the bundles: " + strings.Join(labels, ", ") + more,
			Hint:    "add them with the texts of their licences, or remove the file, and the package gets one that is made from the bundles"})
	}
	return list
}

// inventory takes stock of bundles that were built with their graphs, and gives it the
// texts that the configuration names.
func (r *run) inventory(results []*bundler.Result) (*analysis.Inventory, diag.List) {
	var list diag.List
	above := r.project.Root
	if r.project.Within != nil {
		above = r.project.Within.Root
	}
	inventory := analysis.Take(r.project.Root, above, results)
	texts := r.project.Config.Notices
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text, problem := r.project.ReadFile(texts[name])
		switch {
		case problem != nil:
			list.Add(*problem)
		case !inventory.Supply(name, texts[name], text):
			list.Add(diag.Diagnostic{Code: "notices-unused", Level: diag.Warning, Position: r.project.Config.Document.Position("package", "notices", name),
				Message: "package.notices: no package " + name + " is in a bundle", Hint: "correct the name, or remove the line"})
		}
	}
	return inventory, list
}

// billStep adds the bill of materials.
func billStep(_ context.Context, r *run) error {
	if r.selection().Excluded(release.BillFile) {
		return nil
	}
	if kept, there := r.packing.payload.FileLike(release.BillFile); there {
		return diag.Fail(diag.Diagnostic{Code: "package-clash", Position: diag.Position{File: kept.Path}, Message: "is where the package has its bill of materials",
			Hint: "rename it, or leave the bill of materials out: name " + release.BillFile + " under package.exclude"})
	}
	bill := release.Bill{Identity: r.packing.identity, Inventory: r.packing.inventory, Tool: r.tool(), Time: r.packing.options.Time}
	if withoutNpm(r) == "" {
		bill.NpmName = r.project.Package.Name
	}
	for _, it := range r.items {
		for _, out := range it.outputs {
			if file, there := r.packing.payload.File(out.Path); there {
				bill.Built = append(bill.Built, file)
			}
		}
	}
	text, err := bill.Encode()
	if err != nil {
		return err
	}
	return r.packing.payload.Add(release.File{Path: release.BillFile, Mode: release.PlainMode, Contents: text})
}

// tool is the version of omcbuild, without what tells two builds of it apart.
func (r *run) tool() string {
	version, _, _ := strings.Cut(r.toolVersion, " ")
	return version
}
