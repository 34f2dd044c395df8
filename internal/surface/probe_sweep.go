package surface

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A temporary folder has a file that its owner holds locked. The system releases the
// lock when the owner dies, however it dies, and a later run removes the folder.
const ownerMark = "owner.lock"

// Kind says what a temporary folder is for; its name begins with it.
type Kind string

const (
	// OfProbe is the world in which one process of a bundle lives.
	OfProbe Kind = "omcbuild-probe-"
	// OfCollector is the folder from which the sources' collector runs.
	OfCollector Kind = "omcbuild-source-"
	// OfPackage is where an archive is unpacked.
	OfPackage Kind = "omcbuild-package-"
)

// Temporary is a folder for the files of one run, which a later run removes when this
// one was killed.
type Temporary struct {
	Path  string       // absolute
	owner *flock.Flock // held as long as the folder is used, or nil
}

// NewTemporary makes such a folder in another, "" for the system's. The caller removes it.
func NewTemporary(temp string, kind Kind) (*Temporary, error) {
	path, err := os.MkdirTemp(temp, string(kind))
	if err != nil {
		return nil, err
	}
	return &Temporary{Path: path, owner: mark(path)}, nil
}

// Remove ends the folder. What cannot be removed stays.
func (t *Temporary) Remove() {
	if t.owner != nil {
		_ = t.owner.Close()
	}
	_ = os.RemoveAll(t.Path)
}

// Limits on one sweep, and the age at which a mark that nobody holds is left over:
// between making and locking it lie milliseconds.
const (
	sweptEntries = 20_000
	sweptFolders = 50
	leftAfter    = time.Minute
)

// mark locks the owner's file of a new folder. Where locks are not known, the
// folder has no mark, and nobody sweeps it.
func mark(root string) *flock.Flock {
	lock := flock.New(filepath.Join(root, ownerMark))
	if held, err := lock.TryLock(); err != nil || !held {
		_ = lock.Close()
		_ = os.Remove(lock.Path())
		return nil
	}
	return lock
}

// Sweep removes the folders of NewTemporary in another, "" for the system's, that
// runs of this user left when they were killed. Links are not followed, and folders
// of others, without a mark, or whose owner lives are left alone. What cannot be
// looked at or removed stays.
func Sweep(temp string) {
	if temp == "" {
		temp = os.TempDir()
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	swept := 0
	for seen := 0; seen < sweptEntries; {
		entries, err := dir.ReadDir(1000)
		for _, entry := range entries {
			if isTemporary(entry.Name()) && entry.IsDir() && swept < sweptFolders && abandoned(root, entry.Name()) {
				_ = root.RemoveAll(entry.Name())
				swept++
			}
		}
		if seen += len(entries); err != nil {
			return
		}
	}
}

func isTemporary(name string) bool {
	return slices.ContainsFunc([]Kind{OfProbe, OfCollector, OfPackage}, func(kind Kind) bool { return strings.HasPrefix(name, string(kind)) })
}

// abandoned reports whether a folder is this user's and its owner is gone.
func abandoned(root *os.Root, name string) bool {
	folder, err := root.Lstat(name)
	if err != nil || !folder.IsDir() || !ours(folder) {
		return false
	}
	file, err := root.Lstat(filepath.Join(name, ownerMark))
	if err != nil || file.Mode().Type() != 0 || !ours(file) || time.Since(file.ModTime()) < leftAfter {
		return false
	}
	lock := flock.New(filepath.Join(root.Name(), name, ownerMark), flock.SetFlag(os.O_RDWR))
	held, err := lock.TryLock()
	_ = lock.Close()
	return err == nil && held
}
