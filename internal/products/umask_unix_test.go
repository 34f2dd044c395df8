//go:build unix

package products_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"omcbuild/internal/products"
)

// New files and folders have what the umask leaves; old ones keep what they have.
func TestNewFilesFollowTheUmask(t *testing.T) {
	for umask, want := range map[int]map[string]fs.FileMode{
		0o000: {"bridge": 0o777, "bridge/a.cjs": 0o777, "b.json": 0o666, "old.json": 0o640},
		0o077: {"bridge": 0o700, "bridge/a.cjs": 0o700, "b.json": 0o600, "old.json": 0o640},
	} {
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "old.json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(root, "old.json"), 0o640); err != nil {
			t.Fatal(err)
		}
		before := syscall.Umask(umask)
		_, err := products.Write(root, []products.File{{Path: "bridge/a.cjs", Mode: 0o755, Contents: []byte("a")}, {Path: "b.json", Contents: []byte("b")}, {Path: "old.json", Contents: []byte("c")}})
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		for path, mode := range want {
			if info, err := os.Stat(filepath.Join(root, path)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("umask %03o: %s has %v, want %v (%v)", umask, path, info.Mode(), mode, err)
			}
		}
	}
}
