package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"omcbuild/internal/lint"
	"omcbuild/internal/project"
)

func put(t *testing.T, root, name string, size int64) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, nil, 0o644), os.Truncate(full, size)); err != nil {
		t.Fatal(err)
	}
}

// Without git, users get all but installed packages, and nothing from outside.
func TestShippedFiles(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for _, name := range []string{"start.mjs", "bridge/s.cjs", ".claude-plugin/plugin.json", "node_modules/a/index.js", "sub/node_modules/b.js", ".git/HEAD"} {
		put(t, root, name, 1)
	}
	put(t, outside, "secret", 1)
	for link, target := range map[string]string{"inside.mjs": "start.mjs", "outside.mjs": filepath.Join(outside, "secret"), "up.mjs": "../x", "folder": "bridge"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := &run{project: &project.Project{Root: root}}
	files, err := r.shipped(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(files)), []string{".claude-plugin/plugin.json", "bridge/s.cjs", "inside.mjs", "start.mjs"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A plugin that is too large to be copied is not run, instead of run without a part.
func TestShippedFilesAreBounded(t *testing.T) {
	large, many := t.TempDir(), t.TempDir()
	put(t, large, "a", shippedBytes/2)
	put(t, large, "b", shippedBytes/2+1)
	for i := range shippedFiles + 1 {
		put(t, many, fmt.Sprint(i), 0)
	}
	for _, root := range []string{large, many} {
		r := &run{project: &project.Project{Root: root}}
		if files, err := r.shipped(t.Context()); !errors.Is(err, errShippedTooMuch) || files != nil {
			t.Errorf("%d files, %v", len(files), err)
		}
	}
	if why := unlaunched(lint.Server{Command: "node", File: "a"}, nil); why != errShippedTooMuch.Error() {
		t.Error(why)
	}
}
