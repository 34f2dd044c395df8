package bundler_test

import (
	"context"
	"os"
	"path/filepath"
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
			all++
			if !u.Quick {
				t.Logf("not linked: %s", u.Reason)
				return
			}
			quick++
			if want, got := runAlone(t, build(t, o).Outputs), runAlone(t, u.Result.Outputs); got != want && !renamed[filepath.Base(t.Name())] {
				t.Errorf("the linked program prints\n%sand the bundle\n%s", got, want)
			}
		})
	}
	if quick*2 < all {
		t.Errorf("of %d programs %d are linked from their modules", all, quick)
	}
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
