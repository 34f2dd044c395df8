package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
	"omcbuild/internal/schemadiff"
	"omcbuild/internal/surface"
)

// Diff runs the bundles on disk and compares what they offer with the lock
// files of a git revision, or with one lock file.
func Diff(ctx context.Context, p *project.Project, o DiffOptions) (*DiffResult, error) {
	if err := p.NeedsBundles(); err != nil {
		return nil, err
	}
	r := newRun(p, o.Machine, o.CacheDir, "")
	if err := r.do(ctx, diffSteps(o)); err != nil {
		return nil, err
	}
	return r.diffResult(), nil
}

func diffSteps(o DiffOptions) []step {
	compare := func(ctx context.Context, r *run) error {
		for _, it := range r.items {
			if it.probe == nil {
				continue
			}
			old, err := r.earlier(ctx, it, o)
			if err != nil {
				return err
			}
			for _, c := range schemadiff.Compare(old, it.probe.Surface) {
				r.changes = append(r.changes, Change{Bundle: it.bundle.Name, Change: c})
			}
		}
		return nil
	}
	return []step{{name: "read", do: readBundles}, {name: "run", do: runStep}, heardStep(), {name: "compare", do: compare}}
}

func (r *run) diffResult() *DiffResult {
	result := &DiffResult{Changes: []Change{}, Diagnostics: r.diagnostics}
	var changes []schemadiff.Change
	for _, c := range r.changes {
		result.Changes, changes = append(result.Changes, c), append(changes, c.Change)
	}
	result.Bump = schemadiff.Bump(changes, r.project.Package.Version)
	if schemadiff.Worst(changes) == schemadiff.Breaking && result.Bump != "major" {
		result.BumpReason = "below 1.0.0 a breaking change raises the minor version"
	}
	return result
}

// earlier is what a server offered at the revision, or by the file, that was
// named. A server that had no lock file then offered nothing.
func (r *run) earlier(ctx context.Context, it *item, o DiffOptions) (surface.Surface, error) {
	if data, name, ok := lockFileAt(o); ok {
		lock, err := surface.ParseLock(name, data)
		return lock.Surface(), err
	}
	revision, err := r.revision(ctx, o.Against)
	if err != nil {
		return surface.Surface{}, err
	}
	data, err := r.git(ctx, "show", revision+":./"+it.bundle.LockFile)
	if err != nil || data == nil {
		return surface.Surface{ServerName: it.probe.Surface.ServerName, ServerVersion: it.probe.Surface.ServerVersion, Protocols: it.probe.Surface.Protocols}, err
	}
	lock, err := surface.ParseLock(o.Against+":"+it.bundle.LockFile, data)
	return lock.Surface(), err
}

// revision is the commit that a git revision means.
func (r *run) revision(ctx context.Context, name string) (string, error) {
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err == nil && commit == nil {
		err = diag.Misuse(diag.Diagnostic{Code: "unknown-revision", Message: name + " is neither a git revision of this project nor a lock file",
			Hint: "name a tag, a branch, a commit, or a file ending in .tools.json"})
	}
	return strings.TrimSpace(string(commit)), err
}

func lockFileAt(o DiffOptions) (data []byte, name string, ok bool) {
	path := o.Against
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, "", false
	}
	data, err := os.ReadFile(path)
	return data, filepath.ToSlash(o.Against), err == nil
}

// git runs one git command in the project and returns what it prints, or nil
// when it says no.
func (r *run) git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := r.machine.askGit(ctx, r.project.Root, args...)
	if err != nil || !out.Status.Success() {
		return nil, err
	}
	return out.Stdout, nil
}
