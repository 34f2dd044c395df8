package products_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/diag"
	"omcbuild/internal/products"
)

// tree lists what is below a folder: path, permission and text of each file.
func tree(t *testing.T, root string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		short, _ := filepath.Rel(root, path)
		lines = append(lines, filepath.ToSlash(short)+" "+info.Mode().String()[1:4]+" "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func TestWriteFoldersReplacesThemAsAWhole(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new", "out")
	write := func(text string, more ...products.File) error {
		folder := products.Folder{Name: "acorn", Files: append([]products.File{{Path: "a/run", Contents: []byte(text), Mode: 0o755}}, more...)}
		return products.WriteFolders(root, []products.Folder{folder}, []products.File{{Path: "SUMS", Contents: []byte(text)}})
	}
	if err := write("1", products.File{Path: "gone.md", Contents: []byte("x"), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, root); got != "SUMS rw- 1\nacorn/a/run rwx 1\nacorn/gone.md rw- x" {
		t.Errorf("got\n%s", got)
	}
	if err := os.MkdirAll(filepath.Join(root, ".acorn.new-123", "a"), 0o755); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	if err := write("2"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 2 {
		t.Errorf("left %v, %v", entries, err)
	}
	if got := tree(t, root); got != "SUMS rw- 2\nacorn/a/run rwx 2" {
		t.Errorf("got\n%s", got)
	}
}

func TestWriteFoldersLeavesEverythingWhenOneThingFails(t *testing.T) {
	root := filepath.Join(t.TempDir(), "out")
	first := []products.Folder{{Name: "acorn", Files: []products.File{{Path: "a", Contents: []byte("1"), Mode: 0o644}}}}
	if err := products.WriteFolders(root, first, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "SUMS"), 0o755); err != nil {
		t.Fatal(err)
	}
	second := []products.Folder{{Name: "acorn", Files: []products.File{{Path: "a", Contents: []byte("2"), Mode: 0o644}}}, {Name: "oak", Files: []products.File{{Path: "o", Contents: []byte("2"), Mode: 0o644}}}}
	for name, fail := range map[string]func() error{
		"a folder in place of a file": func() error {
			return products.WriteFolders(root, second, []products.File{{Path: "SUMS", Contents: []byte("2")}})
		},
		"a file that leads out": func() error {
			return products.WriteFolders(root, append(second, products.Folder{Name: "elm", Files: []products.File{{Path: "../x"}}}), nil)
		},
		"the root itself": func() error {
			return products.WriteFolders(root, []products.Folder{{Name: ".", Files: second[0].Files}}, nil)
		},
		"no name": func() error {
			return products.WriteFolders(root, []products.Folder{{Files: second[0].Files}}, nil)
		},
		"another folder": func() error {
			return products.WriteFolders(root, []products.Folder{{Name: "../out", Files: second[0].Files}}, nil)
		},
		"a new root": func() error {
			return products.WriteFolders(filepath.Join(root, "x", "y"), []products.Folder{{Name: "elm", Files: []products.File{{Path: "../x"}}}}, nil)
		},
	} {
		var failure *diag.Failure
		if err := fail(); !errors.As(err, &failure) || failure.Diagnostics[0].Code != "unwritable-output" {
			t.Errorf("%s: %v", name, err)
		}
		entries, err := os.ReadDir(root)
		if err != nil || len(entries) != 2 || tree(t, root) != "acorn/a rw- 1" {
			t.Errorf("%s: left %v\n%s", name, entries, tree(t, root))
		}
	}
}
