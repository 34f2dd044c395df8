package pipeline

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The files in a project's folder of the cache that say whose it is and who uses it.
// Everything else there is made again when it is missing.
const (
	turnLock  = "turn.lock"  // held by a build; its time is that of the last one
	watchLock = "watch.lock" // held by a watch
	rootFile  = "root.txt"   // path of the project
)

// Limits on one sweep of the cache, and after which time what is left over.
const (
	sweepEvery  = 24 * time.Hour      // so that a build mostly looks at one time only
	unusedAfter = 30 * 24 * time.Hour // a folder nobody built from
	emptyAfter  = 24 * time.Hour      // one that keeps nothing
	sweptMost   = 1000
	sweptMark   = "swept"
	goneSuffix  = ".gone"
)

// sweepCache removes the folders of projects that are no longer there, that were not
// built in a month, or that keep nothing. It does so once a day, and leaves alone what a
// build or a watch holds, what it does not know, and what it cannot remove.
func sweepCache(cacheDir string) {
	mark := filepath.Join(cacheDir, sweptMark)
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < sweepEvery {
		return
	}
	if writeAtomically(mark, nil) != nil {
		return
	}
	dir, err := os.Open(cacheDir)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	swept := 0
	for {
		entries, err := dir.ReadDir(1000)
		for _, entry := range entries {
			path := filepath.Join(cacheDir, entry.Name())
			switch {
			case !entry.IsDir() || !isProjectCache(strings.TrimSuffix(entry.Name(), goneSuffix)) || swept == sweptMost:
			case strings.HasSuffix(entry.Name(), goneSuffix): // of a sweep that was killed
				_ = os.RemoveAll(path)
				swept++
			case leftOver(path) && removeFolder(path):
				swept++
			}
		}
		if err != nil {
			return
		}
	}
}

func isProjectCache(name string) bool {
	bytes, err := hex.DecodeString(name)
	return err == nil && len(bytes) == projectSum && name == strings.ToLower(name)
}

// leftOver reports whether a project's folder is of no more use.
func leftOver(path string) bool {
	folder, err := os.Lstat(path)
	if err != nil {
		return false
	}
	used := folder.ModTime()
	if info, err := os.Lstat(filepath.Join(path, turnLock)); err == nil && info.ModTime().After(used) {
		used = info.ModTime()
	}
	if age := time.Since(used); age > unusedAfter || age > emptyAfter && keepsNothing(path) {
		return true
	}
	root, err := os.ReadFile(filepath.Join(path, rootFile))
	if err != nil || !filepath.IsAbs(string(root)) {
		return false
	}
	_, err = os.Lstat(string(root)) //nolint:gosec // only whether it is there, of a path that a build of this user wrote
	return errors.Is(err, fs.ErrNotExist)
}

func keepsNothing(path string) bool {
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		if name := entry.Name(); name != turnLock && name != watchLock && name != rootFile {
			return false
		}
	}
	return err == nil
}

// removeFolder removes a project's folder, unless it is in use or was used just now.
// Under its other name nobody finds it, and whoever waits for its locks notices (inPlace).
func removeFolder(path string) bool {
	_, missing := os.Lstat(filepath.Join(path, turnLock)) // then taking it makes the folder look used
	turn, watch := flock.New(filepath.Join(path, turnLock)), flock.New(filepath.Join(path, watchLock))
	defer func() { _ = turn.Close() }()
	defer func() { _ = watch.Close() }()
	if held, err := turn.TryLock(); err != nil || !held || missing == nil && !leftOver(path) {
		return false
	}
	if held, err := watch.TryLock(); err != nil || !held {
		return false
	}
	gone := path + goneSuffix
	if os.Rename(path, gone) != nil {
		return false
	}
	_ = os.RemoveAll(gone)
	return true
}

// inPlace reports whether a lock that was taken is the one that others find. It is not
// when the folder was removed while it was waited for.
func inPlace(lock *flock.Flock) bool {
	own, err := lock.Stat()
	found, problem := os.Stat(lock.Path())
	return err == nil && problem == nil && os.SameFile(own, found)
}
