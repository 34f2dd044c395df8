package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/analysis"
	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/process"
	"omcbuild/internal/project"
	"omcbuild/internal/release"
	"omcbuild/internal/surface"
)

// packageSteps is what package does, in order, up to the place: what is on disk has to
// be what the sources build, then files become a payload, the payload becomes archives,
// and these are proved.
func packageSteps() []step {
	catalog := catalogStep()
	catalog.goOn = frozen
	stale := buildSteps()
	for i := range stale {
		switch stale[i].name {
		case "plugin": // the first step has looked
			stale[i] = catalog
		case "frozen":
			stale[i].do, stale[i].goOn = staleStep, nil
		}
	}
	return slices.Concat(
		[]step{{name: "disk", do: diskStep}},
		stale,
		[]step{
			{name: "payload", do: payloadStep},
			{name: "notices", do: noticesStep, skip: withoutBundles},
			{name: "bill", do: billStep, skip: withoutBundles},
			{name: "npm", do: npmStep, skip: withoutNpm},
			{name: "archives", do: archivesStep},
			{name: "proof", do: proofStep},
		})
}

// placeSteps put the packages in place.
func placeSteps() []step { return []step{{name: "place", do: placeStep}} }

// packing is what the steps of package leave to each other.
type packing struct {
	options  PackageOptions
	identity release.Identity
	disk     diag.List    // what is wrong with what is on disk
	named    []lint.Named // what the plugin names of itself
	git      *lint.Git    // nil outside of work trees

	executable map[string]bool // see release.Selection
	payload    *release.Payload
	inventory  *analysis.Inventory // what is in the bundles; nil without any
	artifacts  []artifact
	proof      *VerifyResult
}

// artifact is a package that was made: an archive with its bytes, or a folder with its
// payload.
type artifact struct {
	name    string // in the folder of packages
	format  release.Format
	bytes   []byte           // of an archive
	payload *release.Payload // what is in it
}

// Package makes the release archives of a plugin from what is on disk, and puts them in
// place when they are proved: each server of the unpacked archive runs and offers what
// it should. What it found wrong is in the result's diagnostics, and then no package
// was replaced; the error is for wrong configuration and for the end of ctx.
func Package(ctx context.Context, p *project.Project, o PackageOptions) (*PackageResult, error) {
	started := time.Now()
	done, err := takeTurn(ctx, o.CacheDir, p.Root)
	if err != nil {
		return nil, err
	}
	defer done()
	r := newPackageRun(p, o)
	if err := r.do(ctx, append(packageSteps(), placeSteps()...)); err != nil {
		return nil, err
	}
	return r.packageResult(time.Since(started)), nil
}

// PackageAll packages every plugin of a repository into one folder. A plugin in which
// something is wrong keeps the packages that it had.
func PackageAll(ctx context.Context, repository *project.Repository, o PackageOptions) (*Several[PackageResult], error) {
	o.Machine.slots = slots()
	surface.Sweep(o.Machine.Temp)
	c := command[PackageResult]{repository: repository, cacheDir: o.CacheDir, exclusive: true,
		start: func(p *project.Project) *run { return newPackageRun(p, o) }, steps: packageSteps(), finish: placeSteps(),
		result: func(r *run) *PackageResult { return r.packageResult(r.took) }}
	c.found = catalogForm(repository)
	return c.all(ctx)
}

func newPackageRun(p *project.Project, o PackageOptions) *run {
	r := newBuildRun(p, BuildOptions{
		Minify: o.Minify, Sourcemap: o.Sourcemap, Verify: true, Frozen: true, Env: o.Env,
		ToolVersion: o.ToolVersion, CacheDir: o.CacheDir, Machine: o.Machine, BeforeBundling: o.BeforeBundling,
	})
	r.packing = &packing{options: o}
	return r
}

// diskStep looks at the plugin as it is on disk: manifests, paths, hooks, what is
// shipped by git, and the text of the bundles. Sources that build something better do
// not mend what is there.
func diskStep(ctx context.Context, r *run) error {
	in := r.pluginInput()
	list, err := r.machine.checkPlugin(ctx, in, r.project.Config.Plugin.Name+"--v"+r.project.Package.Version)
	if err != nil {
		return err
	}
	git, err := r.askGit(ctx)
	if err != nil {
		return err
	}
	r.packing.git = git
	excluded := release.Selection{Exclude: r.patterns(r.project.Config.Exclude, "exclude")}.Excluded
	list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool { // of what is in the package, the proof says it
		return lint.GroupOf(d.Code) == lint.Shipped && (d.Code != "shipped-link-out" || git == nil || excluded(d.File))
	})
	for i, d := range list {
		if d.Code == "file-ignored" { // a package is not made by git
			list[i].Level = diag.Warning
			list[i].Hint = "the package has it, and an installation from this repository has not; publish the package, or take the file out of .gitignore"
		}
	}
	root, err := os.OpenRoot(r.project.Root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, it := range r.items {
		if text, err := readUpTo(root, it.bundle.Outfile, bundleBytes); err == nil {
			list.Add(lint.CheckBundle(lint.BundleInput{File: it.bundle.Outfile, Text: text, HostPaths: append(r.hostPaths(), r.project.Root)})...)
		}
	}
	r.packing.disk = list
	r.packing.named, err = lint.NamedFiles(in)
	return err
}

// staleStep is frozenStep, and stops when something is wrong on disk: that is kept so
// long, so that all that is stale is named as well.
func staleStep(ctx context.Context, r *run) error {
	err := frozenStep(ctx, r)
	r.diagnostics.Add(r.packing.disk...)
	return err
}

// payloadStep reads the files that go into the package.
func payloadStep(ctx context.Context, r *run) error {
	r.packing.identity = r.identity()
	if r.packing.identity.Version == "" {
		return diag.Fail(diag.Diagnostic{Code: "package-version", Position: diag.Position{File: project.PackageFile}, Message: "there is no version, by which users get updates and packages are named", Hint: `add "version": "0.1.0" and run omcbuild sync`})
	}
	selection := r.selection()
	if selection.Ignored = r.packing.git.Ignores; r.packing.git == nil {
		selection.Ignored = nil
	}
	selection.Executable = r.packing.executable
	payload, list, err := release.Collect(ctx, selection)
	if err != nil {
		return err
	}
	r.diagnostics.Add(list...)
	r.diagnostics.Add(payload.CheckImports(func(file string) bool { return r.isProgram(selection, file) })...)
	r.packing.payload = payload
	if r.project.Catalog != nil {
		original, problem := r.project.ReadFile(project.CatalogFile)
		if problem != nil {
			return diag.Fail(*problem)
		}
		if catalog := release.CatalogFor(original, r.packing.identity, false); catalog != nil {
			return payload.Add(release.File{Path: project.CatalogFile, Mode: release.PlainMode, Contents: catalog})
		}
	}
	return nil
}

// askGit learns what git knows of the plugin, nil where it is in no work tree; and which
// files can be started, on a system whose files do not say it.
func (r *run) askGit(ctx context.Context) (*lint.Git, error) {
	git, err := process.LookPath("git", r.machine.Path)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // a plugin need not be in git
	}
	known, err := lint.ReadGit(ctx, git, r.project.Root)
	if err == nil && known != nil && runtime.GOOS == "windows" {
		r.packing.executable, err = lint.Executables(ctx, git, r.project.Root)
	}
	return known, err
}

// isProgram reports whether a file of the package is a script that servers and hooks
// may come to, and no bundle. What lies among skills is for their readers.
func (r *run) isProgram(s release.Selection, file string) bool {
	below := func(folder string) bool { return folder == file || strings.HasPrefix(file, folder+"/") }
	return !slices.Contains(s.Products, file) && !slices.ContainsFunc(s.Parts, below)
}

// selection says what of the plugin's folder goes into the package.
func (r *run) selection() release.Selection {
	s := release.Selection{Root: r.project.Root, Sourcemaps: r.build.Sourcemap, Earlier: r.earlierPackages()}
	for _, it := range r.items {
		for _, output := range it.outputs {
			s.Products = append(s.Products, output.Path)
		}
		if it.mcp() && (it.probe != nil || r.has(it.bundle.LockFile)) { // one that may fail may have none yet
			s.Products = append(s.Products, it.bundle.LockFile)
		}
	}
	in := r.project.Config.Plugin
	for _, part := range []string{in.Skills, in.Commands, in.Agents, in.Hooks} {
		if part != "" && r.has(part) {
			s.Parts = append(s.Parts, part)
		}
	}
	for _, n := range r.packing.named {
		if n.Part {
			s.Parts = append(s.Parts, n.Path)
		} else {
			s.Programs = append(s.Programs, n.Path)
		}
		if n.Starts {
			s.Starts = append(s.Starts, n.Path)
		}
	}
	s.Include = r.patterns(r.project.Config.Include, "include")
	s.Exclude = append(r.patterns(r.project.Config.Exclude, "exclude"), release.Pattern{Glob: project.CatalogFile})
	return s
}

// has reports whether a path of the plugin is there, link or not.
func (r *run) has(file string) bool {
	_, err := os.Lstat(filepath.Join(r.project.Root, filepath.FromSlash(file)))
	return err == nil
}

// earlierPackages tells the files of packages that were made before, where they lie in
// the plugin's own folder.
func (r *run) earlierPackages() func(file string) bool {
	folder, err := filepath.Rel(r.project.Root, r.packing.options.Out)
	if err != nil || !filepath.IsLocal(folder) {
		return nil
	}
	made := map[string]bool{filepath.ToSlash(filepath.Join(folder, release.SumsFile)): true}
	text, _ := os.ReadFile(filepath.Join(r.packing.options.Out, release.SumsFile))
	for _, sum := range release.DecodeSums(text) {
		made[filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(sum.File)))] = true
	}
	return func(file string) bool { return made[file] }
}

// patterns gives the globs of a list under package their places.
func (r *run) patterns(globs []string, key string) []release.Pattern {
	out := make([]release.Pattern, len(globs))
	for i, glob := range globs {
		out[i] = release.Pattern{Glob: glob, Place: r.project.Config.Document.Position("package", key, itoa(i))}
	}
	return out
}
