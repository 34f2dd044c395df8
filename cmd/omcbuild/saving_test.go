package main

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TestReadersSeeWholeBundles reads the bundle all the time while it is built again and
// again: each reading is a bundle that a build had finished, never a part of one and
// never nothing.
func TestReadersSeeWholeBundles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	bundle := filepath.Join(dir, "bridge", "mcp-server.cjs")
	finished := map[[sha256.Size]byte]bool{}
	build := func() {
		command := exec.Command("omcbuild", "-C", dir, "build", "--no-verify")
		command.Env = env
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("build: %v\n%s", err, out)
		}
		text, err := os.ReadFile(bundle)
		if err != nil {
			t.Fatal(err)
		}
		finished[sha256.Sum256(text)] = true
	}
	build()

	seen := map[[sha256.Size]byte]int{}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			text, err := os.ReadFile(bundle)
			if err != nil {
				t.Errorf("the bundle cannot be read during a build: %v", err)
				return
			}
			seen[sha256.Sum256(text)] = len(text)
		}
	})
	source := filepath.Join(dir, "src", "tools", "greet-tools.ts")
	word := "Hello "
	for round := range 6 {
		next := "Round " + strconv.Itoa(round) + " "
		edit(t, source, `"`+word+`"`, `"`+next+`"`)
		word = next
		build()
	}
	close(stop)
	reader.Wait()
	if len(finished) != 7 {
		t.Errorf("7 builds left %d different bundles", len(finished))
	}
	for sum, size := range seen {
		if !finished[sum] {
			t.Errorf("a reader saw %d bytes that no build had finished", size)
		}
	}
}
