package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/report"
	"omcbuild/internal/surface"
)

// runStep starts every MCP bundle the way the real client does, and runs the
// collectors that are needed, all at once.
func runStep(ctx context.Context, r *run) error {
	if r.folder == "" { // else it was done once for all plugins
		surface.Sweep(r.machine.Temp)
	}
	found := make([]diag.List, len(r.items))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, it := range r.items {
		if !it.mcp() {
			continue
		}
		group.Go(func() error {
			if it.settled {
				found[i] = slices.Clone(it.ran)
				return nil
			}
			defer r.machine.slot()()
			list, err := r.hear(ctx, it)
			found[i], it.ran = list, slices.Clone(list)
			return err
		})
		if it.collector != nil {
			group.Go(func() error {
				defer r.machine.slot()()
				return r.readSource(ctx, it)
			})
		}
	}
	err := group.Wait()
	for i, list := range found {
		list = r.calledElsewhere(r.items[i], list)
		list.Add(r.items[i].fromSources()...)
		r.items[i].faults = r.items[i].faults || list.HasErrors()
		r.diagnostics.Add(list...)
	}
	r.sayRecalled()
	return err
}

// hear runs a server, unless it was heard already, and returns what is wrong with it.
func (r *run) hear(ctx context.Context, it *item) (diag.List, error) {
	probe := it.heard
	if probe == nil {
		var err error
		if probe, err = r.probe(ctx, it); err != nil {
			return nil, err
		}
	}
	list := it.excuse(probe)
	if it.unproven == nil {
		it.probe = probe
	}
	return r.located(ctx, it, probe, it.accepted(list)), nil
}

// probe runs a server: behind the answers of its front when they still hold, else by itself.
func (r *run) probe(ctx context.Context, it *item) (*surface.Probe, error) {
	if r.glancing {
		return surface.Glance(ctx, r.probeOptions(it))
	}
	if probe, err := r.stands(ctx, it); probe != nil || err != nil {
		return probe, err
	}
	return surface.Run(ctx, r.probeOptions(it))
}

// calledElsewhere leaves out what a server says of calls that are meant for another of
// the plugin's: each is made on the one that lists the tool.
func (r *run) calledElsewhere(it *item, list diag.List) diag.List {
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return d.Code == "tool-call" && !it.lists(d.Tool) && slices.ContainsFunc(r.items, func(other *item) bool { return other.lists(d.Tool) })
	})
}

// lists reports whether the server ran and lists a tool of that name.
func (it *item) lists(tool string) bool {
	return it.probe != nil && slices.ContainsFunc(it.probe.Surface.Tools, func(t surface.Tool) bool { return t.Name == tool })
}

// fromSources returns what the sources say about a bundle that lists nothing,
// which is not counted later on.
func (it *item) fromSources() diag.List {
	if it.probe == nil || it.source == nil || it.probe.Listed() {
		return nil
	}
	return surface.SourceDiagnostics(*it.source, it.bundle.Outfile)
}

func (r *run) probeOptions(it *item) surface.ProbeOptions {
	o := r.startOptions(it)
	o.Bundle, o.Extra = it.file(), map[string][]byte{}
	for _, output := range it.outputs[1:] {
		o.Extra[output.Path] = output.Contents
	}
	r.lookFor(it, &o)
	if r.packaged {
		o.Tree, o.Launch, o.CallReadOnly = r.project.Root, it.launch, true
	}
	for _, call := range r.verify.Calls {
		o.Call = append(o.Call, surface.Call{Name: call.Name, Arguments: call.Arguments})
	}
	return o
}

// Limits on what is read of a bundle, and from beside it.
const (
	bundleBytes    = 256 << 20
	neighbourBytes = 64 << 20
	neighbourFiles = 2000
)

// readStep takes the bundles as they stand on disk, and bundles the collectors
// that say what the sources declare.
func readStep(ctx context.Context, r *run) error {
	if err := readBundles(ctx, r); err != nil {
		return err
	}
	for _, it := range r.items {
		if it.outputs != nil && it.mcp() {
			if err := r.absorb(r.collect(ctx, it)); err != nil {
				return err
			}
		}
	}
	return nil
}

// readBundles takes the bundles as they stand on disk, with the files beside
// them, which they may read when they run.
func readBundles(ctx context.Context, r *run) error {
	root, err := os.OpenRoot(r.project.Root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, it := range r.items {
		contents, err := readUpTo(root, it.bundle.Outfile, bundleBytes)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r.diagnostics.Add(diag.Diagnostic{Code: "bundle-missing", Message: "the bundle is not there", Position: diag.Position{File: it.bundle.Outfile}, Hint: "run omcbuild build"})
			continue
		case err != nil:
			r.diagnostics.Add(diag.Diagnostic{Code: "bundle-missing", Message: "the bundle cannot be read: " + plain(err), Position: diag.Position{File: it.bundle.Outfile}, Hint: "make it a plain file of the project"})
			continue
		}
		if r.fronts && bundler.Tampered(contents) {
			r.diagnostics.Add(staleFront(it.bundle.Outfile, "is not as this omcbuild writes it, so it is not run: it was edited, or built by another version"))
			continue
		}
		it.outputs = []bundler.Output{{Path: it.bundle.Outfile, Contents: contents}}
		if !r.packaged { // else all that is there is copied
			it.outputs = append(it.outputs, neighbours(ctx, root, path.Dir(it.bundle.Outfile), it.bundle.Outfile)...)
		}
	}
	return nil
}

// readUpTo reads a regular file of bounded size, whatever size it claims to have.
func readUpTo(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := project.OpenRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	contents, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(contents)) > limit {
		return nil, fmt.Errorf("it is larger than %s", report.Bytes(limit))
	}
	return contents, err
}

// plain is the reason of an error of the file system without its paths.
func plain(err error) string {
	var pathError *fs.PathError
	var linkError *os.LinkError
	switch {
	case errors.As(err, &pathError):
		return pathError.Err.Error()
	case errors.As(err, &linkError):
		return linkError.Err.Error()
	}
	return err.Error()
}

// neighbours reads the regular files beside a bundle, in a folder and below it, as
// far as the limits go. Installed packages and hidden folders are left out:
// a user's copy does not have them. What cannot be read is left out too.
func neighbours(ctx context.Context, root *os.Root, start, outfile string) []bundler.Output {
	var files []bundler.Output
	var total int64
	_ = fs.WalkDir(root.FS(), start, func(name string, e fs.DirEntry, problem error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case problem != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case problem != nil:
			return fs.SkipAll
		case e.IsDir() && name != start && (e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case !e.Type().IsRegular() || name == outfile || strings.HasSuffix(name, ".tools.json"):
			return nil
		case len(files) == neighbourFiles:
			return fs.SkipAll
		}
		if info, err := e.Info(); err == nil && total+info.Size() <= neighbourBytes {
			if contents, err := readUpTo(root, name, neighbourBytes-total); err == nil {
				total += int64(len(contents))
				files = append(files, bundler.Output{Path: name, Contents: contents})
			}
		}
		return nil
	})
	return files
}
