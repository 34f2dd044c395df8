package pipeline

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/front"
	"omcbuild/internal/project"
	"omcbuild/internal/surface"
)

// parallel is how many bundles are built or run at once. The programs that
// are run are single threaded and mostly wait.
const parallel = 4

// item is one bundle on its way through the steps.
type item struct {
	bundle    project.Bundle
	outputs   []bundler.Output // the bundle first; from the build or from disk
	inputs    int
	externals []string
	gzip      int64 // bytes of the bundle when compressed; 0 when not known yet
	metafile  []byte
	made      *bundler.Result // what it was built to, with its Graph; nil unless a package is made
	stamp     *bundler.Stamp
	upToDate  bool
	took      time.Duration
	said, ran diag.List       // what there is to say about bundling and about running it
	fronting  diag.List       // and about its front
	launch    *surface.Launch // how its entry starts it, where that is more than a file and arguments

	session *bundler.Session // that bundles it; nil is none
	settled bool             // all but what its sources declare is known from before and still true
	heard   *surface.Probe   // what running it gives, when that is known from before

	collector *collection     // how that is found out; nil when it is known
	source    *surface.Source // what the sources declare
	probe     *surface.Probe
	proof     *front.Proof     // how it started with its front; nil without
	standing  []bundler.Output // with the front that it had before, which the run has proved; nil when it has not
	other     *otherWorld      // what is kept of its run elsewhere; nil when nothing is, or it was not looked for
	recalled  bool             // it was not run elsewhere, because what it does there is known
	unproven  *surface.Probe   // instead of probe: it failed to start, which it may
	lock      *surface.Lock    // nil when there is none yet
	changes   []Change         // since the lock
	faults    bool             // whether a check of this bundle found an error
	met       []string         // codes that the configuration accepts and that were found
}

func (it *item) file() []byte { return it.outputs[0].Contents }

// mcp reports whether the bundle is a server whose tools can be listed.
func (it *item) mcp() bool { return it.bundle.Kind == project.MCP }

// bundleStep builds every bundle in memory, unless its stamp says that
// building again would give what is on disk.
func bundleStep(ctx context.Context, r *run) error {
	r.ahead(ctx)
	found := make([]diag.List, len(r.items))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, it := range r.items {
		group.Go(func() (err error) {
			found[i], err = r.bundle(ctx, it)
			return err
		})
		if r.build.Verify && it.mcp() {
			group.Go(func() error { return r.collect(ctx, it) })
		}
	}
	err := group.Wait()
	for _, list := range found {
		r.diagnostics.Add(list...)
	}
	return err
}

func (r *run) bundle(ctx context.Context, it *item) (diag.List, error) {
	if it.settled {
		return it.said, nil
	}
	began := time.Now()
	o := r.bundlerOptions(it.bundle)
	if !r.build.Frozen && r.build.Metafile == "" && it.session == nil {
		if list, ok := r.recognise(it, o); ok {
			it.upToDate, it.took = true, time.Since(began)
			return list, nil
		}
	}
	if r.build.BeforeBundling != nil {
		r.build.BeforeBundling()
	}
	done := r.machine.slot()
	result, err := it.build(ctx, o)
	done()
	if err != nil {
		return nil, err
	}
	if o.Graph {
		it.made = result
	}
	it.outputs, it.stamp, it.metafile = result.Outputs, result.Stamp, result.Metafile
	it.inputs, it.externals, it.took = len(result.Inputs), result.Externals, time.Since(began)
	it.said = result.Diagnostics
	return result.Diagnostics, nil
}

// build bundles as a whole.
func (it *item) build(ctx context.Context, o bundler.Options) (*bundler.Result, error) {
	if it.session != nil {
		return it.session.Plain(ctx)
	}
	return bundler.Build(ctx, o)
}

// bundlerOptions translates the configuration of a bundle.
func (r *run) bundlerOptions(b project.Bundle) bundler.Options {
	o := bundler.Options{
		Root: r.project.Root, Entry: b.Entry, Outfile: b.Outfile,
		External: b.External, Define: b.Define, Loader: b.Loader, Assets: b.Assets, Target: b.Target,
		Minify: r.build.Minify, Sourcemap: r.build.Sourcemap, Metafile: r.build.Metafile != "",
		Graph: r.packing != nil, HostPaths: r.hostPaths(), ToolVersion: r.toolVersion,
	}
	for _, other := range r.project.Bundles {
		if other.Outfile != b.Outfile {
			o.Beside = append(o.Beside, other.Outfile)
		}
	}
	switch b.Kind {
	case project.Script:
		o.Kind = bundler.KindScript
	case project.Module:
		o.Kind = bundler.KindModule
	}
	switch b.Header {
	case project.HeaderNodePath:
	case project.HeaderNone:
		o.Header = bundler.HeaderNone
	default:
		o.Header, o.HeaderSource = bundler.HeaderText, b.HeaderSource
	}
	return o
}

// hostPaths are the folders of this machine, beside the plugin's own, that no
// bundle may name.
func (r *run) hostPaths() []string {
	var out []string
	if home := r.machine.Home; home != "" && home != "/" {
		out = append(out, home)
	}
	if within := r.project.Within; within != nil {
		out = append(out, within.Root)
	}
	return out
}

// record is what the cache keeps of a bundle.
type record struct {
	Stamp     *bundler.Stamp `json:"stamp"`
	Outputs   []string       `json:"outputs"`
	Inputs    int            `json:"inputs"`
	Externals []string       `json:"externals"`
	Gzip      int64          `json:"gzip"`            // bytes of the bundle when compressed
	Front     string         `json:"front,omitempty"` // which it was built to have
}

func (r *run) recordPath(b project.Bundle) string {
	return filepath.Join(projectCache(r.cacheDir, r.project.Root), b.Name+".json")
}

// recorded returns what the cache keeps of a bundle, or nil.
func (r *run) recorded(it *item) *record {
	data, err := os.ReadFile(r.recordPath(it.bundle))
	if err != nil {
		return nil
	}
	var known record
	if json.Unmarshal(data, &known) != nil || known.Stamp == nil || len(known.Outputs) == 0 {
		return nil
	}
	return &known
}

// behind finds bundles on disk that were built here, from sources that have
// changed since. Of bundles built elsewhere nothing is known.
func (r *run) behind() (list diag.List) {
	for _, it := range r.items {
		known := r.recorded(it)
		if known == nil {
			continue
		}
		if behind, reason := known.Stamp.Behind(r.project.Root); behind {
			list.Add(diag.Diagnostic{Code: "bundle-behind", Level: diag.Warning, Message: "the sources changed since it was built: " + reason,
				Position: diag.Position{File: it.bundle.Outfile}, Hint: "run omcbuild build and commit the result"})
		}
	}
	return list
}

// recognise fills the item from disk when its record is still true, and returns
// what there was to say about the bundle when it was built.
func (r *run) recognise(it *item, o bundler.Options) (diag.List, bool) {
	known := r.recorded(it)
	if known == nil || known.Front != frontKey(it.bundle) {
		return nil, false
	}
	if it.bundle.Front.Enabled && o.Sourcemap {
		return nil, false // the map on disk is that of the bundle with its front
	}
	for _, path := range known.Outputs {
		info, err := os.Lstat(filepath.Join(r.project.Root, filepath.FromSlash(path)))
		if err != nil || !info.Mode().IsRegular() || !filepath.IsLocal(filepath.FromSlash(path)) {
			return nil, false
		}
	}
	if fresh, _ := known.Stamp.UpToDate(r.project.Root, o); !fresh {
		return nil, false
	}
	var outputs []bundler.Output
	for _, path := range known.Outputs {
		full := filepath.Join(r.project.Root, filepath.FromSlash(path))
		info, err := os.Lstat(full)
		if err != nil {
			return nil, false
		}
		contents, err := os.ReadFile(full)
		if err != nil {
			return nil, false
		}
		outputs = append(outputs, bundler.Output{Path: path, Contents: contents, Mode: info.Mode().Perm()})
	}
	it.outputs, it.inputs, it.externals, it.gzip = outputs, known.Inputs, known.Externals, known.Gzip
	return known.Stamp.Diagnostics(), true
}

// remember writes the records of the bundles that were built. A cache that
// cannot be written costs time, not correctness.
func (r *run) remember() {
	r.compressing.Wait()
	for _, it := range r.items {
		if it.stamp == nil {
			continue
		}
		known := record{Stamp: it.stamp, Inputs: it.inputs, Externals: it.externals, Gzip: it.gzipped(), Front: frontKey(it.bundle)}
		for _, output := range it.outputs {
			known.Outputs = append(known.Outputs, output.Path)
		}
		if data, err := json.Marshal(known); err == nil {
			_ = writeAtomically(r.recordPath(it.bundle), data)
		}
	}
}
