//go:build unix

package project_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestReadFileDoesNotWaitForAPipe would hang if a named pipe were opened.
func TestReadFileDoesNotWaitForAPipe(t *testing.T) {
	root := fixture(t)
	p := load(t, root)
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problem := p.ReadFile("pipe"); problem == nil {
		t.Error("a named pipe was read")
	}
}
