package project_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/project"
)

var update = flag.Bool("update", false, "write what the tests saw as what they want")

// TestLoad reads one small repository from each testdata/load/*.txtar. A line
// "link NAME -> TARGET" of its head makes a symbolic link, "from FOLDER" says
// where to load from. The section want holds what is to come of it: the
// diagnostics, or the origin of every value that is no default.
func TestLoad(t *testing.T) {
	golden(t, "testdata/load", outcome)
}

// golden compares what seen makes of the repository in each archive of a folder
// with the archive's section want.
func golden(t *testing.T, folder string, seen func(root, from string) string) {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "want" {
				t.Fatal("the last section must be want")
			}
			root, from := unpack(t, archive)
			got := seen(root, from)
			if *update {
				archive.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(archive.Files[last].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// unpack writes the repository of an archive and returns its root, free of
// links, and the folder to load from.
func unpack(t testing.TB, archive *txtar.Archive) (root, from string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from = root
	for _, f := range archive.Files {
		if f.Name != "want" {
			write(t, root, f.Name, string(f.Data))
		}
	}
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		if folder, ok := strings.CutPrefix(line, "from "); ok {
			from = filepath.Join(root, folder)
		}
		if link, ok := strings.CutPrefix(line, "link "); ok {
			name, target, _ := strings.Cut(link, " -> ")
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root, from
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// outcome describes what Load makes of a repository.
func outcome(root, from string) string {
	var b strings.Builder
	p, err := project.Load(from)
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		class := "failed"
		if failure.Class == diag.Usage {
			class = "usage"
		}
		fmt.Fprintln(&b, class)
		describe(&b, failure.Diagnostics)
	case err != nil:
		fmt.Fprintln(&b, "error:", err)
	default:
		if p.Root != root {
			fmt.Fprintln(&b, "root", p.Root)
		}
		for _, o := range p.Effective().Origins {
			if o.From != "default" || strings.HasSuffix(o.Key, ".name") {
				fmt.Fprintf(&b, "%s = %s (%s)\n", o.Key, o.Value, o.From)
			}
		}
		describe(&b, p.Diagnostics)
	}
	return strings.ReplaceAll(b.String(), root, "$ROOT")
}

func describe(b *strings.Builder, list diag.List) {
	for _, d := range list {
		fmt.Fprintf(b, "%s: %s\n\thint: %s\n", d.Level, d, d.Hint)
	}
}
