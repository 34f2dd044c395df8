//go:build unix

package release_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"omcbuild/internal/release"
)

// To open a named pipe would take until somebody writes to it.
func TestCollectRefusesWhatIsNoFile(t *testing.T) {
	root := folder(t, "-- skills/one/SKILL.md --\nx\n")
	for _, name := range []string{"skills/one/pipe", "README.md"} {
		if err := syscall.Mkfifo(filepath.Join(root, filepath.FromSlash(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	paths, found := collect(t, release.Selection{Root: root, Parts: []string{"skills"}})
	equal(t, "files", paths, "skills/one/SKILL.md")
	equal(t, "findings", found, "error package-unreadable README.md: is no regular file", "error package-unreadable skills/one/pipe: is no regular file")
	if _, _, err := release.Collect(context.Background(), release.Selection{Root: filepath.Join(root, "none")}); err == nil {
		t.Error("a folder that is not there was packed")
	}
}
