package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"omcbuild/internal/project"
)

// TakeWatch waits until no other watch of the same project is running, and returns
// the function that lets the next begin. It calls wait once when there is one. Builds
// do not wait for a watch; they take turns with its rounds.
func TakeWatch(ctx context.Context, cacheDir string, p *project.Project, wait func()) (func(), error) {
	dir := projectCache(cacheDir, p.Root)
	var told sync.Once
	lock, err := lockIn(dir, watchLock, func(lock *flock.Flock) error {
		free, err := lock.TryLock()
		if err == nil && !free {
			told.Do(wait)
			_, err = lock.TryLockContext(ctx, 100*time.Millisecond)
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, noCache(dir, err)
	}
	return func() { _ = lock.Unlock() }, nil
}
