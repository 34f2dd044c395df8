//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLookPath(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for file, mode := range map[string]fs.FileMode{
		filepath.Join(first, "tool"):  0o644, // not executable: passed over
		filepath.Join(second, "tool"): 0o755,
		filepath.Join(first, "here"):  0o755,
	} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(first, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(first)
	path := strings.Join([]string{"", ".", "relative", first, second}, string(filepath.ListSeparator))
	tests := []struct{ name, path, want string }{
		{"tool", path, filepath.Join(second, "tool")},
		{"here", path, filepath.Join(first, "here")},
		{"here", ".", ""},
		{"folder", path, ""},
		{"nowhere", path, ""},
		{"tool", "", ""},
		{"./here", path, ""},
		{filepath.Join(first, "here"), "", filepath.Join(first, "here")},
		{filepath.Join(first, "tool"), "", ""},
	}
	for _, test := range tests {
		got, err := LookPath(test.name, test.path)
		if got != test.want {
			t.Errorf("LookPath(%q, %q) = %q, want %q", test.name, test.path, got, test.want)
		}
		if test.want == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("LookPath(%q, %q): error %v does not wrap fs.ErrNotExist", test.name, test.path, err)
		}
	}
}
