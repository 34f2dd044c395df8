package metadata_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
	"omcbuild/internal/metadata"
	"omcbuild/internal/project"
)

var update = flag.Bool("update", false, "write what the tests saw as what they want")

// TestPlan works on one small plugin from each testdata/plan/*.txtar. Its head
// may hold lines "tools BUNDLE N" (facts), "link NAME -> TARGET", "crlf FILE"
// and "bom FILE". The section want holds the diagnostics, what changed in
// words, and the differences. Every plan is applied and must then be empty.
func TestPlan(t *testing.T) {
	golden(t, "testdata/plan", func(t *testing.T, archive *txtar.Archive) string {
		root, facts := unpack(t, archive)
		return outcome(t, root, facts)
	})
}

// golden compares what seen makes of each archive in a folder with the
// archive's last section, want.
func golden(t *testing.T, folder string, seen func(*testing.T, *txtar.Archive) string) {
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
			got := seen(t, archive)
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

// unpack writes the plugin of an archive. Unless it has sources of its own it
// gets an entry, so that it loads.
func unpack(t *testing.T, archive *txtar.Archive) (root string, facts metadata.Facts) {
	t.Helper()
	root = t.TempDir()
	facts.Tools = map[string]int{}
	write(t, root, "src/mcp/standalone-server.ts", "")
	for _, f := range archive.Files {
		if f.Name != "want" {
			write(t, root, f.Name, string(f.Data))
		}
	}
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		path := filepath.Join(root, rest)
		switch word {
		case "tools":
			name, count, _ := strings.Cut(rest, " ")
			facts.Tools[name], _ = strconv.Atoi(count)
		case "link":
			name, target, _ := strings.Cut(rest, " -> ")
			if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		case "crlf":
			write(t, root, rest, strings.ReplaceAll(read(t, path), "\n", "\r\n"))
		case "bom":
			write(t, root, rest, "\xef\xbb\xbf"+read(t, path))
		}
	}
	return root, facts
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

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// plan loads a plugin and plans.
func plan(t testing.TB, root string, facts metadata.Facts) (*metadata.Result, error) {
	t.Helper()
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return metadata.Plan(p, facts)
}

// outcome describes a plan and applies it.
func outcome(t *testing.T, root string, facts metadata.Facts) string {
	t.Helper()
	var b strings.Builder
	result, err := plan(t, root, facts)
	var failure *diag.Failure
	switch {
	case errors.As(err, &failure):
		if failure.Class != diag.Failed {
			t.Errorf("class %v", failure.Class)
		}
		describe(&b, failure.Diagnostics)
		return b.String()
	case err != nil:
		t.Fatal(err)
	}
	describe(&b, result.Diagnostics)
	for _, c := range result.Changes {
		fmt.Fprintf(&b, "%s: %s\n", c.Path, strings.Join(c.Fields, ", "))
	}
	for _, c := range result.Changes {
		b.WriteString(strings.ReplaceAll(metadata.Diff(c), "\r", "\\r"))
	}
	apply(t, root, result)
	again, err := plan(t, root, facts)
	if err != nil {
		t.Fatalf("after applying: %v", err)
	}
	for _, c := range again.Changes {
		t.Errorf("%s changes again:\n%s", c.Path, metadata.Diff(c))
	}
	return b.String()
}

func apply(t testing.TB, root string, result *metadata.Result) {
	t.Helper()
	for _, c := range result.Changes {
		if c.After == nil || bytes.Equal(c.Before, c.After) || len(c.Fields) == 0 {
			t.Errorf("%s is no change: %q", c.Path, c.Fields)
		}
		write(t, root, c.Path, string(c.After))
	}
}

func describe(b *strings.Builder, list diag.List) {
	for _, d := range list {
		fmt.Fprintf(b, "%s: %s\n\thint: %s\n", d.Level, d, d.Hint)
	}
}
