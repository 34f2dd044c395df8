package inspect_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/inspect"
	"omcbuild/internal/project"
)

var update = flag.Bool("update", false, "write what the tests saw as what they want")

// TestHere inspects one small repository from each testdata/here/*.txtar. Lines
// of its head make what txtar cannot hold: "link NAME -> TARGET", "big NAME
// BYTES" and "deep NAME BRACKETS". The section want holds the configuration and
// what was left.
func TestHere(t *testing.T) {
	cases, err := filepath.Glob("testdata/here/*.txtar")
	if err != nil || len(cases) < 14 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			root, want := unpack(t, archive)
			before := tree(t, root)
			result, err := inspect.Here(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			if after := tree(t, root); after != before {
				t.Errorf("the repository was changed:\n%s\nwas:\n%s", after, before)
			}
			got := outcome(result)
			if *update {
				setWant(archive, got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if shown := regexp.MustCompile(`SECRET\d+|4242|12345`).FindAllString(got+fmt.Sprint(result.Taken), -1); shown != nil {
				t.Errorf("this is copied or shown: %s", shown)
			}
			loads(t, root, result)
		})
	}
}

// loads writes the configuration and reads it as every command does.
func loads(t *testing.T, root string, result inspect.Result) {
	t.Helper()
	if result.Config == nil {
		return
	}
	write(t, root, project.ConfigFile, string(result.Config))
	p, several, err := project.Open(root)
	if err == nil && several != nil {
		for _, m := range several.Plugins {
			if m.Path == "." {
				p = m.Project
			}
		}
	}
	if err != nil || p == nil {
		t.Fatalf("the configuration does not load: %v\n%s", err, result.Config)
	}
	if len(p.Bundles) != result.Bundles {
		t.Errorf("%d bundles are loaded, %d were said", len(p.Bundles), result.Bundles)
	}
	if _, err := inspect.Here(t.Context(), root); !isMisuse(err, "config-exists") {
		t.Errorf("a second run says %v", err)
	}
}

func isMisuse(err error, code string) bool {
	var failure *diag.Failure
	return errors.As(err, &failure) && failure.Class == diag.Usage && failure.Diagnostics[0].Code == code
}

func outcome(r inspect.Result) string {
	var b strings.Builder
	b.Write(r.Config)
	for _, l := range r.Left {
		fmt.Fprintf(&b, "left %s (%s): %s\n", l.What, l.From, l.Why)
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "changes %s (%s): %s\n", c.What, c.From, c.Why)
	}
	return strings.ToValidUTF8(b.String(), "?")
}

func setWant(archive *txtar.Archive, got string) {
	last := len(archive.Files) - 1
	if archive.Files[last].Name != "want" {
		archive.Files = append(archive.Files, txtar.File{Name: "want"})
		last++
	}
	archive.Files[last].Data = []byte(got)
}

// unpack writes the repository of an archive and returns its root and what is
// wanted.
func unpack(t *testing.T, archive *txtar.Archive) (root, want string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		write(t, root, f.Name, string(f.Data))
	}
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 4 && words[0] == "link":
			if err := os.Symlink(words[3], filepath.Join(root, words[1])); err != nil {
				t.Fatal(err)
			}
		case len(words) == 3 && words[0] == "big":
			write(t, root, words[1], strings.Repeat(" ", number(t, words[2])))
		case len(words) == 3 && words[0] == "deep":
			n := number(t, words[2])
			write(t, root, words[1], "esbuild.build("+strings.Repeat("[", n)+strings.Repeat("]", n)+")")
		}
	}
	return root, want
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
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

// tree describes every file of a folder: name, mode, time and size.
func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			fmt.Fprintln(&b, strings.TrimPrefix(path, root), info.Mode(), info.ModTime().UnixNano(), info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
