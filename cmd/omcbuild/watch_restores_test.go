package main

import (
	"os"
	"path/filepath"
	"testing"

	"omcbuild/internal/pipeline"
)

// TestWatchRestoresBundles puts a bundle right that somebody else overwrites, replaces or
// removes, without any save: after it was settled the bundle of build, and while sources
// do not build the last good one.
func TestWatchRestoresBundles(t *testing.T) {
	w := startWatch(t, layPlugin(t))
	bundle := w.path("bridge/mcp-server.cjs")
	spoil := map[string]func() error{
		"overwritten": func() error { return os.WriteFile(bundle, []byte("console.log(1);\n"), 0o755) },
		"emptied":     func() error { return os.Truncate(bundle, 0) },
		"removed":     func() error { return os.Remove(bundle) },
		"replaced": func() error {
			other := filepath.Join(w.dir, "bridge", "other")
			if err := os.WriteFile(other, []byte("console.log(2);\n"), 0o755); err != nil {
				return err
			}
			return os.Rename(other, bundle)
		},
	}
	for how, spoiled := range spoil {
		n, before := w.count(), w.bundle()
		if err := spoiled(); err != nil {
			t.Fatal(err)
		}
		line := w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundRestored })
		if !line.OK || !line.Bundles[0].Changed || len(line.Changed) != 1 || w.bundle() != before {
			t.Errorf("%s: %+v", how, line)
		}
	}
	if w.bundle() != w.built() {
		t.Error("it is not the bundle of build")
	}
	n := w.count()
	edit(t, w.path(greetings), `export `, `export export `)
	w.line(n, func(l watchLine) bool { return !l.OK })
	n, before := w.count(), w.bundle()
	if err := os.Remove(bundle); err != nil {
		t.Fatal(err)
	}
	w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundRestored })
	if w.bundle() != before {
		t.Error("the last good bundle is not there")
	}
}
