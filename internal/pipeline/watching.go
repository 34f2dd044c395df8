package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"omcbuild/internal/project"
)

// Finish puts the plain products in place where a quick round left others, unproven,
// and nothing else: it is for the end of watching, which is not to take long. Sources
// that do not build leave what is there.
func (r *Rounds) Finish(ctx context.Context) *RoundResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	out := &RoundResult{Kind: RoundSettled}
	defer func() { out.Duration = time.Since(began) }()
	if r.project == nil || len(r.broken) > 0 {
		return out
	}
	done, err := takeTurn(ctx, r.o.CacheDir, r.project.Root)
	if err == nil {
		defer done()
		o := r.o
		o.Verify, o.Typecheck = false, false
		run := newBuildRun(r.project, o)
		for i, k := range r.kept {
			if k.changed {
				run.items[i].session = k.session
			}
		}
		err = run.do(ctx, append([]step{{name: "bundle", do: bundleStep}}, finishSteps()...))
		out.Diagnostics = run.shown()
	}
	out.Canceled = ctx.Err() != nil
	out.Diagnostics.Add(failures(err)...)
	return out
}

// TakeWatch waits until no other watch of the same project is running, and returns
// the function that lets the next begin. It calls wait once when there is one. Builds
// do not wait for a watch; they take turns with its rounds.
func TakeWatch(ctx context.Context, cacheDir string, p *project.Project, wait func()) (func(), error) {
	dir := projectCache(cacheDir, p.Root)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, noCache(dir, err)
	}
	lock := flock.New(filepath.Join(dir, "watch.lock"))
	free, err := lock.TryLock()
	if err == nil && !free {
		wait()
		_, err = lock.TryLockContext(ctx, 100*time.Millisecond)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, noCache(dir, err)
	}
	return func() { _ = lock.Unlock() }, nil
}
