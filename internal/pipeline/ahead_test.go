//go:build unix

package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"omcbuild/internal/project"
)

// A build starts its servers before the bundles are there, a frozen one as the client does,
// and neither leaves anything when the sources do not build.
func TestServersBootWhileTheirBundlesAreMade(t *testing.T) {
	root, rounds := watchedProject(t)
	o, dir := rounds.o, t.TempDir()
	log, launcher := filepath.Join(dir, "log"), filepath.Join(dir, "node")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\necho \"$@\" >> "+log+"\nexec "+o.Machine.Node+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o.Machine.Node = launcher
	build := func(frozen bool) (held, plain int, result *BuildResult) {
		t.Helper()
		_ = os.Remove(log)
		o.Machine.Temp, o.Frozen = t.TempDir(), frozen
		p, err := project.Load(root)
		if err != nil {
			t.Fatal(err)
		}
		if result, err = Build(t.Context(), p, o); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(o.Machine.Temp); len(left) > 0 {
			t.Errorf("%s is left", left[0].Name())
		}
		starts, _ := os.ReadFile(log)
		for start := range strings.Lines(string(starts)) {
			if strings.Contains(start, "hold.cjs") {
				held++
			} else {
				plain++
			}
		}
		return held, plain, result
	}
	if held, plain, result := build(false); held != 2 || plain != 0 || result.Diagnostics.HasErrors() || result.Bundles[0].Verify.Tools != 1 {
		t.Errorf("%d held, %d plain, %v", held, plain, result.Diagnostics)
	}
	if held, plain, result := build(true); held != 0 || plain != 2 || result.Diagnostics.HasErrors() {
		t.Errorf("frozen: %d held, %d plain, %v", held, plain, result.Diagnostics)
	}
	save(t, root, "src/word.ts", "export const")
	if _, plain, result := build(false); plain != 0 || !result.Diagnostics.HasErrors() {
		t.Errorf("broken: %d plain, %v", plain, result.Diagnostics)
	}
}
