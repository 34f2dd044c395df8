//go:build unix

package bundler

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNoPipesAreLookedForAfterTheEnd holds the search up to the moment at which the
// build is over.
func TestNoPipesAreLookedForAfterTheEnd(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "package.json")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	b := &build{o: Options{Root: root}}
	for over, want := range map[bool]int{true: 0, false: 1} {
		if found := b.stuckOn(func() bool { return over }); len(found) != want {
			t.Errorf("over: %t, found %v", over, found)
		}
	}
}
