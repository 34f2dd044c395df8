package bundler_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// TestSessionFollowsLinks to a folder: one that leads elsewhere is a change, and then
// what it leads to is consulted.
func TestSessionFollowsLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "src/main.ts"), "import { x } from './gen/x.js'; console.log(x);")
	write(t, filepath.Join(root, "made/a/x.ts"), "export const x = 'from a';")
	write(t, filepath.Join(root, "made/b/x.ts"), "export const x = 'from b';")
	link := filepath.Join(root, "src/gen")
	lead := func(to string) {
		t.Helper()
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	lead("../made/a")
	s := bundler.NewSession(bundler.Options{Root: root, Entry: "src/main.ts", Outfile: "out.cjs"})
	defer s.Close()
	if _, err := s.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	sees := func(changed []string, want string) {
		t.Helper()
		u, err := s.Update(context.Background(), changed)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(u.Result.Outputs[0].Contents), want) {
			t.Errorf("the bundle is not %s (%s)", want, u.Reason)
		}
	}
	if files, _, _ := s.Consulted(); !slices.Contains(files, link) {
		t.Errorf("the link is not consulted: %q", files)
	}
	lead("../made/b")
	sees([]string{link}, "from b")
	made := filepath.Join(root, "made/b/x.ts")
	if files, _, _ := s.Consulted(); !slices.Contains(files, made) {
		t.Errorf("what the link leads to is not consulted: %q", files)
	}
	write(t, made, "export const x = 'new b';")
	sees([]string{made}, "new b")
	lead("../made/a")
	sees(nil, "from a")
}
