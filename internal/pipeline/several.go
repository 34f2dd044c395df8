package pipeline

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// Of is what a command did for one of several plugins.
type Of[R any] struct {
	Name, Path, Version string
	OK                  bool // no error is about this plugin or keeps it from being written
	Result              *R   // nil when the plugin could not be read; files in it are relative to Path
}

// Several is what a command did for the plugins of a repository.
type Several[R any] struct {
	Plugins     []Of[R]      // in the order of the repository
	Metadata    []FileReport // the catalog, for commands that look at it
	Diagnostics diag.List    // of all plugins in their order, then of the repository; files are relative to its root
	Duration    time.Duration
}

// BuildAll builds every plugin of a repository. A plugin in which something is
// wrong is left as it was, and so is its entry in the catalog; the others are
// built. Nothing is written before all of them are done.
func BuildAll(ctx context.Context, repository *project.Repository, o BuildOptions) (*Several[BuildResult], error) {
	o.Machine.slots = slots()
	surface.Sweep(o.Machine.Temp)
	c := command[BuildResult]{repository: repository, cacheDir: o.CacheDir, readOnly: o.Frozen, exclusive: true,
		start: func(p *project.Project) *run { return newBuildRun(p, o) }, steps: buildSteps(), finish: finishSteps(), catalog: true,
		result: func(r *run) *BuildResult { return r.buildResult(r.took) }}
	c.found = catalogForm(repository)
	return c.all(ctx)
}

// SyncAll brings the metadata of every plugin of a repository and its catalog
// into step.
func SyncAll(ctx context.Context, repository *project.Repository, o SyncOptions) (*Several[SyncResult], error) {
	c := command[SyncResult]{repository: repository, cacheDir: o.CacheDir, readOnly: o.Check, withDiff: o.Check, exclusive: !o.Check,
		start: func(p *project.Project) *run { return newSyncRun(p, o) }, steps: syncSteps(), finish: finishSteps(), catalog: true,
		result: (*run).syncResult}
	return c.all(ctx)
}

// VerifyAll verifies the bundles on disk of every plugin of a repository.
func VerifyAll(ctx context.Context, repository *project.Repository, o VerifyOptions) (*Several[VerifyResult], error) {
	return verifyAll(ctx, repository, o, verifySteps())
}

// ToolsAll runs the bundles on disk of every plugin of a repository and reports
// what they offer.
func ToolsAll(ctx context.Context, repository *project.Repository, o VerifyOptions) (*Several[VerifyResult], error) {
	return verifyAll(ctx, repository, o, toolsSteps())
}

func verifyAll(ctx context.Context, repository *project.Repository, o VerifyOptions, steps []step) (*Several[VerifyResult], error) {
	o.Machine.slots = slots()
	surface.Sweep(o.Machine.Temp)
	c := command[VerifyResult]{repository: repository, cacheDir: o.CacheDir, exclusive: o.Update,
		start: func(p *project.Project) *run { return newVerifyRun(p, o, steps) }, steps: steps,
		result: func(r *run) *VerifyResult { return r.verifyResult(r.took) }}
	if o.Plugin {
		found, err := o.Machine.checkCatalog(ctx, repository)
		if err != nil {
			return nil, err
		}
		c.found = found
	}
	return c.all(ctx)
}

// DiffAll compares the bundles on disk of every plugin of a repository with the
// lock files of a git revision. A lock file is that of one bundle.
func DiffAll(ctx context.Context, repository *project.Repository, o DiffOptions) (*Several[DiffResult], error) {
	if _, _, ok := lockFileAt(o); ok {
		return nil, repository.Several("a lock file is that of one bundle")
	}
	whole := &run{project: &project.Project{Root: repository.Root}, machine: o.Machine}
	if _, err := whole.revision(ctx, o.Against); err != nil {
		return nil, err
	}
	o.Machine.slots = slots()
	c := command[DiffResult]{repository: repository, cacheDir: o.CacheDir,
		start: func(p *project.Project) *run { return newRun(p, o.Machine, o.CacheDir, "") }, steps: diffSteps(o), result: (*run).diffResult}
	return c.all(ctx)
}

// command is what is done for every plugin of a repository.
type command[R any] struct {
	repository *project.Repository
	cacheDir   string
	exclusive  bool // plugins are written, so that two commands wait for each other
	readOnly   bool // what would be written is an error
	withDiff   bool

	start   func(*project.Project) *run
	steps   []step    // for the plugins side by side
	finish  []step    // for those without an error, one after the other
	catalog bool      // whether the catalog is brought into step at the end
	found   diag.List // what was found in it before
	result  func(*run) *R
}

// slots are as many as there are processors, and no fewer than one plugin uses
// by itself.
func slots() chan struct{} { return make(chan struct{}, max(parallel, runtime.GOMAXPROCS(0))) }

func (c command[R]) all(ctx context.Context) (*Several[R], error) {
	started := time.Now()
	if c.exclusive && !c.readOnly {
		done, err := takeTurns(ctx, c.cacheDir, c.repository)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	runs, err := c.prepare(ctx)
	if err != nil {
		return nil, err
	}
	// From here on it takes milliseconds, and stopping half-way helps nobody.
	ctx = context.WithoutCancel(ctx)
	out := &Several[R]{}
	found, err := c.catalogFirst(runs)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if r != nil && !r.held && !r.diagnostics.HasErrors() {
			if err := r.alone(r.do(ctx, c.finish)); err != nil {
				return nil, err
			}
		}
	}
	if c.catalog && c.repository.Catalog != nil && !found.HasErrors() && !c.refused() {
		edit := catalogEdit{cacheDir: c.cacheDir, root: c.repository.Root, readOnly: c.readOnly, withDiff: c.withDiff}
		files, more, err := edit.apply(ctx, c.entries(runs))
		var failure *diag.Failure
		if errors.As(err, &failure) {
			more, err = failure.Diagnostics, nil
		}
		if err != nil {
			return nil, err
		}
		if !more.HasErrors() || c.readOnly {
			out.Metadata = files
		}
		found.Add(more...)
	}
	c.collect(out, runs, slices.Concat(c.repository.Diagnostics, c.found, found))
	out.Duration = time.Since(started)
	return out, nil
}

// catalogFirst finds out whether the catalog can be written, and is one that the client
// reads. If not, nothing is written: the plugins are held back, so that they and their
// entries stay in step.
func (c command[R]) catalogFirst(runs []*run) (diag.List, error) {
	if !c.catalog || c.readOnly || c.repository.Catalog == nil {
		return nil, nil
	}
	var failure diag.Failure
	if !c.refused() {
		err := catalogEdit{root: c.repository.Root}.possible(c.entries(runs))
		var impossible *diag.Failure
		if !errors.As(err, &impossible) {
			return nil, err
		}
		failure = *impossible
	}
	for _, r := range runs {
		if r != nil {
			r.held = true
		}
	}
	return failure.Diagnostics, nil
}

// refused reports whether the catalog is one that the client does not read, which was
// said before, and something is to be written.
func (c command[R]) refused() bool {
	return !c.readOnly && (c.found.HasErrors() || c.repository.Catalog.Problem != nil)
}

// prepare goes through the steps for the plugins side by side. The run of a
// plugin that cannot be read is nil.
func (c command[R]) prepare(ctx context.Context) ([]*run, error) {
	runs := make([]*run, len(c.repository.Plugins))
	var group errgroup.Group
	group.SetLimit(cap(slots()))
	for i, m := range c.repository.Plugins {
		if m.Project == nil {
			continue
		}
		group.Go(func() error {
			began := time.Now()
			r := c.start(m.Project)
			r.folder = m.Path
			err := r.alone(r.do(ctx, c.steps))
			r.took = time.Since(began)
			runs[i] = r
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return runs, ctx.Err()
}

// alone turns what stopped one of several plugins, wrong configuration too,
// into diagnostics of that plugin. What the machine cannot do stays an error.
func (r *run) alone(err error) error {
	var failure *diag.Failure
	if errors.As(err, &failure) {
		r.diagnostics.Add(failure.Diagnostics...)
		return nil
	}
	return err
}

// entries are what the catalog has to say about the plugins that are as they
// should be, or with readOnly would be.
func (c command[R]) entries(runs []*run) []metadata.Entry {
	var out []metadata.Entry
	for _, r := range runs {
		if r != nil && r.entry != nil && (c.readOnly || !r.diagnostics.HasErrors()) {
			out = append(out, *r.entry)
		}
	}
	return out
}

// collect puts the results of the plugins and what was found into their order.
// A finding that two of them have, about the same place, is listed once.
func (c command[R]) collect(out *Several[R], runs []*run, found diag.List) {
	for i, m := range c.repository.Plugins {
		of := Of[R]{Name: m.Name, Path: m.Path}
		list := m.Faults
		if r := runs[i]; r != nil {
			of.Version = cmp.Or(m.Project.Package.Version, m.Project.Manifest.String("version"))
			of.Result = c.result(r)
			list = seenFromRoot(r.shown(), m.Path)
		}
		of.OK = !list.HasErrors() && (runs[i] == nil || !runs[i].held)
		out.Plugins = append(out.Plugins, of)
		out.Diagnostics.Add(list...)
	}
	for _, d := range found {
		same := func(other diag.Diagnostic) bool {
			return other.Code == d.Code && other.Position == d.Position && d.Line > 0
		}
		if !slices.ContainsFunc(out.Diagnostics, same) {
			out.Diagnostics.Add(d)
		}
	}
}

// climbing is a path that leads out of the folder of a plugin, in a text.
var climbing = lazyregexp.New(`(^|[^\w./-])((?:\.\./)+)`)

// seenFromRoot returns what was found in a plugin with all paths relative to the
// repository's root: those of files, and those in texts that lead out of the
// plugin.
func seenFromRoot(list diag.List, folder string) diag.List {
	out := list.Below(folder)
	if folder == "." {
		return out
	}
	up := strings.Repeat("../", 1+strings.Count(folder, "/"))
	shorten := func(text string) string {
		return climbing.ReplaceAllStringFunc(text, func(found string) string {
			at := strings.Index(found, "../")
			return found[:at] + strings.TrimPrefix(found[at:], up)
		})
	}
	for i := range out {
		out[i].Message, out[i].Hint = shorten(out[i].Message), shorten(out[i].Hint)
	}
	return out
}

// takeTurns takes the turns of all plugins, always in the same order, so that
// two commands never wait for each other both.
func takeTurns(ctx context.Context, cacheDir string, repository *project.Repository) (func(), error) {
	var roots []string
	for _, m := range repository.Plugins {
		if m.Project != nil {
			roots = append(roots, m.Project.Root)
		}
	}
	slices.Sort(roots)
	var taken []func()
	release := func() {
		for _, done := range taken {
			done()
		}
	}
	for _, root := range roots {
		done, err := takeTurn(ctx, cacheDir, root)
		if err != nil {
			release()
			return nil, err
		}
		taken = append(taken, done)
	}
	return release, nil
}
