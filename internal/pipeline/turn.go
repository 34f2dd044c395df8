package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"omcbuild/internal/diag"
)

// projectCache is the folder in the cache that belongs to one project.
func projectCache(cacheDir, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cacheDir, hex.EncodeToString(sum[:8]))
}

// takeTurn waits until no other build of the same project is running, and
// returns the function that ends the turn. The system ends it too when the
// process dies.
func takeTurn(ctx context.Context, cacheDir, root string) (func(), error) {
	dir := projectCache(cacheDir, root)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, noCache(dir, err)
	}
	lock := flock.New(filepath.Join(dir, "turn.lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, noCache(dir, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

func noCache(dir string, err error) *diag.Failure {
	return diag.Misuse(diag.Diagnostic{
		Code: "no-cache", Message: "the cache folder " + dir + " cannot be used: " + err.Error(),
		Hint: "make it writable, or set XDG_CACHE_HOME to a folder that is",
	}).Because(err)
}
