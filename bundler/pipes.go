package bundler

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuild opens more files than it asks for: the package.json and the tsconfig.json of
// each folder that it comes through. Where one of them is a named pipe, it waits for
// somebody to write to it, for good. What lies around the entry and in packages is looked
// at before; the rest is looked for when a build takes long.

// patience is how long a build may take before pipes are looked for; then each time as
// long again.
const patience = 2 * time.Second

// maxLook is how many names are looked at in one search.
const maxLook = 200_000

// stuckOn finds the pipes that esbuild waits for, and lets it go on. It ends when the
// build is over.
func (b *build) stuckOn(over func() bool) (found []api.Message) {
	left := maxLook
	for _, dir := range b.visited() {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			left--
			switch {
			case left < 0 || over():
				return fs.SkipAll
			case err != nil:
				return nil //nolint:nilerr // the search goes on elsewhere
			case entry.IsDir() && path != dir && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".")):
				return fs.SkipDir
			case strings.HasSuffix(entry.Name(), ".json") && isPipe(path, entry) && release(path):
				found = append(found, b.unreadable(path, errIrregular))
			}
			return nil
		})
	}
	return found
}

// visited are the root, the packages that were imported, and the folders of workspaces
// that were read, each without those below it.
func (b *build) visited() (dirs []string) {
	b.packages.mu.Lock()
	defer b.packages.mu.Unlock()
	dirs = append(dirs, b.o.Root)
	for _, dir := range sortedKeys(b.packages.byDir) {
		if b.packages.byDir[dir] == nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}

// isPipe reports whether a name in a folder leads to a named pipe.
func isPipe(path string, entry fs.DirEntry) bool {
	mode := entry.Type()
	if mode&fs.ModeSymlink != 0 {
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode()
		}
	}
	return mode&fs.ModeNamedPipe != 0
}
