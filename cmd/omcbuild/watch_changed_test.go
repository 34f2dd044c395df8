package main

import (
	"path/filepath"
	"slices"
	"testing"

	"omcbuild/internal/project"
)

// TestChangedAreOwnFiles has no files of packages beside those of the plugin, as when a
// folder that holds both is renamed.
func TestChangedAreOwnFiles(t *testing.T) {
	p := &watchedPlugin{project: &project.Project{Root: t.TempDir()}}
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(p.project.Root, filepath.FromSlash(name)))
		}
		return paths
	}
	for _, test := range []struct{ changed, want []string }{
		{[]string{"src/a.ts", "src/node_modules/x/index.js", "src/node_modules/x/package.json"}, []string{"src/a.ts"}},
		{[]string{"src/node_modules/x/index.js"}, []string{"src/node_modules/x/index.js"}},
		{nil, nil},
	} {
		if got := p.below(at(test.changed...)); !slices.Equal(got, test.want) {
			t.Errorf("of %v are shown %v, want %v", test.changed, got, test.want)
		}
	}
}
