//go:build !windows

package products

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// staged is a file beside its target, written and then renamed over it. A reader
// opens the old or the new file, whole, and once the rename has returned so does
// one after a loss of power.
type staged = renameio.PendingFile

// stage makes an empty file beside the target. The umask is taken off the mode of
// a file that is new.
func stage(target string, mode fs.FileMode, isNew bool) (*staged, error) {
	permissions := renameio.WithStaticPermissions(mode)
	if isNew {
		permissions = renameio.WithPermissions(mode)
	}
	return renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)), permissions)
}

// rename moves a file or folder over a file, or to where nothing is.
func rename(from, to string) error { return os.Rename(from, to) }
