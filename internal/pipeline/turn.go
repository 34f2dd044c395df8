package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"omcbuild/internal/diag"
)

// projectSum is of how many bytes the name of a project's folder in the cache is made.
const projectSum = 8

// projectCache is the folder in the cache that belongs to one project.
func projectCache(cacheDir, root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cacheDir, hex.EncodeToString(sum[:projectSum]))
}

// takeTurn waits until no other build of the same project is running, and
// returns the function that ends the turn. The system ends it too when the
// process dies. Now and then it removes what is left over in the cache.
func takeTurn(ctx context.Context, cacheDir, root string) (func(), error) {
	dir := projectCache(cacheDir, root)
	lock, err := lockIn(dir, turnLock, func(lock *flock.Flock) error {
		_, err := lock.TryLockContext(ctx, 20*time.Millisecond)
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, noCache(dir, err)
	}
	now := time.Now()
	_ = os.Chtimes(lock.Path(), now, now)
	if name := filepath.Join(dir, rootFile); !isFile(name) {
		_ = writeAtomically(name, []byte(root))
	}
	sweepCache(cacheDir)
	return func() { _ = lock.Unlock() }, nil
}

// lockIn takes a lock in a project's folder of the cache, which it makes if need be. It
// begins again when the folder was removed meanwhile.
func lockIn(dir, name string, take func(*flock.Flock) error) (*flock.Flock, error) {
	for range 100 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		lock := flock.New(filepath.Join(dir, name))
		if err := take(lock); err != nil {
			_ = lock.Close()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, err
		}
		if inPlace(lock) {
			return lock, nil
		}
		_ = lock.Close()
	}
	return nil, errors.New("it is removed again and again")
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func noCache(dir string, err error) *diag.Failure {
	return diag.Misuse(diag.Diagnostic{
		Code: "no-cache", Message: "the cache folder " + dir + " cannot be used: " + err.Error(),
		Hint: "make it writable, or set XDG_CACHE_HOME to a folder that is",
	}).Because(err)
}
