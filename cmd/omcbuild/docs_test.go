package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// TestCommandPages holds docs/commands against the commands themselves.
// `make docs` rewrites the pages.
func TestCommandPages(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "commands")
	pages := map[string][]byte{}
	root := newRoot(&global{streams: streams{io.Discard, io.Discard}})
	root.InitDefaultHelpCmd()
	collectPages(t, root, pages)
	for name, want := range pages {
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/commands/%s is stale; run make docs", name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, known := pages[e.Name()]; !known {
			t.Errorf("docs/commands/%s belongs to no command; delete it", e.Name())
		}
	}
}

func collectPages(t *testing.T, c *cobra.Command, pages map[string][]byte) {
	t.Helper()
	if c.Name() == "help" || c.Name() == "completion" || c.Hidden {
		return
	}
	var page bytes.Buffer
	c.InitDefaultHelpFlag()
	if err := doc.GenMarkdownCustom(c, &page, func(link string) string { return link }); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimRight(page.String(), "\n") + "\n"
	pages[strings.ReplaceAll(c.CommandPath(), " ", "_")+".md"] = []byte(text)
	for _, child := range c.Commands() {
		collectPages(t, child, pages)
	}
}
