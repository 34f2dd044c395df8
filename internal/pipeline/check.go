package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"omcbuild/internal/diag"
	"omcbuild/internal/lint"
	"omcbuild/internal/report"
	"omcbuild/internal/schemadiff"
	"omcbuild/internal/surface"
)

// checkStep holds what each bundle offers against its lock file, its sources
// and the rules. Compressing the bundles, for the report, takes longer, and goes on
// beside it and what follows.
func checkStep(_ context.Context, r *run) error {
	for _, it := range r.items {
		if len(it.outputs) > 0 {
			r.compressing.Go(func() { it.gzipped() })
		}
	}
	for _, it := range r.items {
		list, err := r.itemChecks(it)
		if err != nil {
			return err
		}
		it.faults = it.faults || list.HasErrors()
		r.diagnostics.Add(list...)
	}
	return nil
}

// itemChecks looks at the bytes of a bundle and at what it listed, side by side.
func (r *run) itemChecks(it *item) (diag.List, error) {
	if it.probe == nil {
		return r.bundleChecks(it), nil
	}
	var list diag.List
	var looking sync.WaitGroup
	looking.Go(func() { list = r.bundleChecks(it) })
	more, err := r.surfaceChecks(it)
	looking.Wait()
	if err != nil {
		return nil, err
	}
	list.Add(more...)
	list.Add(r.leaked(it)...)
	return list, nil
}

// bundleChecks looks at the bytes of a bundle.
func (r *run) bundleChecks(it *item) diag.List {
	list := lint.CheckBundle(lint.BundleInput{File: it.bundle.Outfile, Text: it.file(), HostPaths: append(r.hostPaths(), r.project.Root)})
	if limit := it.bundle.Budget.Bytes; limit > 0 && int64(len(it.file())) > limit {
		list.Add(diag.Diagnostic{Code: "budget-bytes", Message: fmt.Sprintf("is %s, over its budget of %s", report.Bytes(int64(len(it.file()))), report.Bytes(limit)),
			Position: diag.Position{File: it.bundle.Outfile}, Hint: "omcbuild analyze shows what is in it; leave something out, or raise budget.bytes"})
	}
	if it.probe == nil {
		return list
	}
	took := it.probe.Initialize
	if it.proof != nil {
		took = it.proof.Initialize
	}
	if limit := it.bundle.Budget.Initialize; limit > 0 && took > limit {
		list.Add(diag.Diagnostic{Code: "budget-initialize", Message: fmt.Sprintf("answers initialize after %s, over its budget of %s", report.Duration(took), report.Duration(limit)),
			Position: diag.Position{File: it.bundle.Outfile}, Hint: "import heavy packages inside handlers, or raise budget.initializeMs"})
	}
	return list
}

// surfaceChecks looks at what a bundle listed.
func (r *run) surfaceChecks(it *item) (diag.List, error) {
	list := lint.CheckSurface(lint.SurfaceInput{
		File: it.bundle.Outfile, Plugin: r.project.Config.Plugin.Name, Key: it.bundle.Name,
		Version: r.project.Package.Version, Surface: it.probe.Surface,
	})
	list = it.accepted(list)
	list.Add(it.unmet()...)
	if it.source != nil {
		list.Add(surface.CountDiagnostics(*it.source, it.probe.Surface, it.bundle.Outfile)...)
	}
	changes, err := r.compareWithLock(it)
	if err != nil {
		return nil, err
	}
	list.Add(r.judge(it, unexplained(changes, list))...)
	return list, nil
}

// unexplained leaves out the removal of tools that another finding is about
// already, such as one that says why the tool is gone.
func unexplained(changes []schemadiff.Change, list diag.List) []schemadiff.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c schemadiff.Change) bool {
		return c.Kind == "tool-removed" && slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.About(c.Tool) && d.Level == diag.Error })
	})
}

func (r *run) compareWithLock(it *item) ([]schemadiff.Change, error) {
	if r.lone {
		return nil, nil
	}
	lock, err := surface.ReadLock(r.project.Root, it.bundle.LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	it.lock = &lock
	offered := it.probe.Surface
	if r.glancing { // other protocols were not asked for
		offered.Protocols = lock.Protocol
	}
	changes := schemadiff.Compare(lock.Surface(), offered)
	for _, c := range changes {
		it.changes = append(it.changes, Change{Bundle: it.bundle.Name, Change: c})
	}
	return changes, nil
}

// judge decides which changes since the lock file stop the command: breaking
// ones stop a build, any stop a verify, none stop an update. A frozen build
// finds the rest itself, since the lock file would be written anew.
func (r *run) judge(it *item, changes []schemadiff.Change) diag.List {
	strict := !r.build.Verify
	switch {
	case r.lone:
		return nil
	case r.update:
		return r.unraised(it)
	}
	var list diag.List
	if it.lock == nil && strict && !r.packaged {
		return diag.List{{Code: "lock-missing", Message: "the lock file is not there", Position: diag.Position{File: it.bundle.LockFile}, Hint: "run omcbuild build and commit it"}}
	}
	for _, c := range changes {
		if c.Level != schemadiff.Breaking && !strict {
			continue
		}
		d := diag.Diagnostic{Code: "surface-" + string(c.Level), Message: c.Message, Tool: c.Tool, Position: diag.Position{File: it.bundle.LockFile}, Hint: c.Hint}
		if d.Hint == "" {
			d.Hint = "run omcbuild build to record it"
			if c.Level == schemadiff.Breaking {
				d.Hint = "mend the source, or accept it with omcbuild build --update and raise the version"
			}
		}
		if r.watching {
			d.Level = diag.Warning
		}
		list.Add(d)
	}
	return list
}

// lockBytes is the lock file that records what the bundle offered.
func (it *item) lockBytes() ([]byte, error) {
	return surface.EncodeLock(surface.NewLock(it.probe.Surface))
}

// firstDifference returns the 1-based line at which two texts part.
func firstDifference(a, b []byte) int {
	for line := 1; ; line++ {
		var left, right []byte
		var more, others bool
		left, a, more = bytes.Cut(a, []byte("\n"))
		right, b, others = bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(left, right) || more != others || !more {
			return line
		}
	}
}
