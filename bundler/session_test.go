package bundler_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/bundler"
)

// TestSessionsOverFixtures saves every module of each fixture and holds what a session
// makes of that against the bundle: both print the same. Most of them are to be linked.
func TestSessionsOverFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	// A bundle changes names of classes; the linked program keeps them.
	renamed := map[string]bool{"class-names-lost": true, "class-names-twice": true}
	quick, all := 0, 0
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			root := unpack(t, archive)
			o := fixtureOptions(t, root, archive)
			s := bundler.NewSession(o)
			defer s.Close()
			built, err := s.Build(context.Background())
			if err != nil || o.Kind == bundler.KindModule {
				return
			}
			if err := s.Prepare(context.Background()); err != nil {
				t.Fatal(err)
			}
			var changed []string
			for _, input := range built.Inputs {
				if ext := filepath.Ext(input.Path); input.Package == "" && (strings.HasSuffix(ext, "ts") || strings.HasSuffix(ext, "js")) {
					changed = append(changed, saveAgain(t, filepath.Join(o.Root, filepath.FromSlash(input.Path))))
				}
			}
			u, err := s.Update(context.Background(), changed)
			if err != nil {
				t.Fatal(err)
			}
			plain, again := build(t, o), rebuilt(t, s)
			if !slices.EqualFunc(plain.Outputs, again.Outputs, func(a, b bundler.Output) bool {
				return a.Path == b.Path && a.Mode == b.Mode && bytes.Equal(a.Contents, b.Contents)
			}) {
				t.Error("a session builds other outputs than Build")
			}
			if got, want := describe(again.Diagnostics), describe(plain.Diagnostics); got != want {
				t.Errorf("a session reports\n%sand Build\n%s", got, want)
			}
			all++
			if !u.Quick {
				t.Logf("not linked: %s", u.Reason)
				return
			}
			quick++
			if want, got := runAlone(t, plain.Outputs), runAlone(t, u.Result.Outputs); got != want && !renamed[filepath.Base(t.Name())] {
				t.Errorf("the linked program prints\n%sand the bundle\n%s", got, want)
			}
		})
	}
	if quick*2 < all {
		t.Errorf("of %d programs %d are linked from their modules", all, quick)
	}
}

func rebuilt(t *testing.T, s *bundler.Session) *bundler.Result {
	t.Helper()
	r, err := s.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// saveAgain changes a file in a way that means nothing.
func saveAgain(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "\n// saved again\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
