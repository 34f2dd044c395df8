package products_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestWriteCreatesFoldersAndSetsModes(t *testing.T) {
	root := t.TempDir()
	written, err := products.Write(root, []products.File{
		{Path: "bridge/deep/server.cjs", Contents: []byte("a"), Mode: 0o755},
		{Path: "manifest.json", Contents: []byte("{}")},
	})
	if err != nil || len(written) != 2 || !written[0].Changed || !written[1].Changed {
		t.Fatalf("written %v, err %v", written, err)
	}
	for path, mode := range map[string]os.FileMode{"bridge/deep/server.cjs": 0o755, "manifest.json": 0o644} {
		info, err := os.Stat(filepath.Join(root, path))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, err %v", path, info.Mode(), err)
		}
	}
	if got, want := names(t, root), ". bridge bridge/deep bridge/deep/server.cjs manifest.json"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}

func TestUnchangedFilesKeepTheirTimeStamp(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.json")
	put(t, path, "same")
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	written, err := products.Write(root, []products.File{{Path: "a.json", Contents: []byte("same")}})
	if err != nil || written[0].Changed {
		t.Fatalf("written %v, err %v", written, err)
	}
	if info, _ := os.Stat(path); !info.ModTime().Equal(old) {
		t.Errorf("time stamp moved to %v", info.ModTime())
	}
	if _, err := products.Write(root, []products.File{{Path: "a.json", Contents: []byte("same"), Mode: 0o755}}); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o755 {
		t.Errorf("a wrong mode must be mended, got %v", info.Mode())
	}
}

func TestAFileThatCannotBeWrittenChangesNothing(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "good.cjs"), "last good")
	put(t, filepath.Join(root, "blocked/occupied"), "")
	before := names(t, root)
	_, err := products.Write(root, []products.File{
		{Path: "good.cjs", Contents: []byte("new")},
		{Path: "fresh/folder/a.cjs", Contents: []byte("new")},
		{Path: "blocked", Contents: []byte("a folder is in the way")},
	})
	var failure *diag.Failure
	if !errors.As(err, &failure) || failure.Diagnostics[0].File != "blocked" || failure.Diagnostics[0].Code != "unwritable-output" {
		t.Fatalf("got %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(root, "good.cjs")); string(got) != "last good" {
		t.Errorf("the last good file was lost: %q", got)
	}
	if after := names(t, root); after != before {
		t.Errorf("left behind %q, want %q", after, before)
	}
}

func TestPathsAreContained(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "bridge")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../x", "/etc/x", "bridge/server.cjs"} {
		if _, err := products.Write(root, []products.File{{Path: path, Contents: []byte("x")}}); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if got := names(t, outside); got != "." {
		t.Errorf("written outside the root: %q", got)
	}
}

func TestALinkIsReplacedNotFollowed(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	put(t, filepath.Join(outside, "secret"), "untouched")
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "a.cjs")); err != nil {
		t.Fatal(err)
	}
	if _, err := products.Write(root, []products.File{{Path: "a.cjs", Contents: []byte("new")}}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "untouched" {
		t.Errorf("the link was followed: %q", got)
	}
	if info, _ := os.Lstat(filepath.Join(root, "a.cjs")); !info.Mode().IsRegular() {
		t.Errorf("still a link")
	}
}

func TestWriteRemovesWhatKilledBuildsLeft(t *testing.T) {
	root := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{".server.cjs7628091958538876826", ".server.cjs", ".other.cjs7628091958538876826", ".server.cjs7628091958538876826.txt", "server.cjs7628091958538876826"} {
		put(t, filepath.Join(root, "bridge", name), "half")
		if err := os.Chtimes(filepath.Join(root, "bridge", name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(root, "bridge/.server.cjs1234567890123456789"), "of a build that runs")
	if _, err := products.Write(root, []products.File{{Path: "bridge/server.cjs", Contents: []byte("a")}}); err != nil {
		t.Fatal(err)
	}
	want := ". bridge bridge/.other.cjs7628091958538876826 bridge/.server.cjs bridge/.server.cjs1234567890123456789 bridge/.server.cjs7628091958538876826.txt bridge/server.cjs bridge/server.cjs7628091958538876826"
	if got := names(t, root); got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}

func TestChangedComparesOfModesWhatGitRecords(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "server.cjs"), "a")
	for mode, want := range map[os.FileMode]bool{0o755: false, 0o775: false, 0o700: false, 0o644: true, 0o600: true} {
		if err := os.Chmod(filepath.Join(root, "server.cjs"), mode); err != nil {
			t.Fatal(err)
		}
		if got := products.Changed(root, products.File{Path: "server.cjs", Contents: []byte("a"), Mode: 0o755}); got != want {
			t.Errorf("mode %04o: changed %v, want %v", mode, got, want)
		}
	}
}

func TestCheckFindsWhatCannotBeWrittenAndLeavesNothing(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "taken", "inside"), "x")
	fine := products.File{Path: "bridge/server.cjs", Contents: []byte("a")}
	if err := products.Check(root, []products.File{fine}); err != nil {
		t.Error(err)
	}
	var failure *diag.Failure
	if err := products.Check(root, []products.File{fine, {Path: "taken", Contents: []byte("b")}}); !errors.As(err, &failure) || failure.Diagnostics[0].File != "taken" {
		t.Errorf("err %v", err)
	}
	if got, want := names(t, root), ". taken taken/inside"; got != want {
		t.Errorf("left %q, want %q", got, want)
	}
}
