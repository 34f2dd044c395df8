package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestExistingPluginPage compares what docs/existing-plugin.md shows with what
// the script init_here expects of the command.
func TestExistingPluginPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "existing-plugin.md"))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "init_here.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, f := range archive.Files {
		if f.Name != "printed" && f.Name != "written" && f.Name != "mcp.json" && f.Name != "package.json" {
			continue
		}
		shown++
		if !strings.Contains(string(page), "\n"+string(f.Data)+"```\n") {
			t.Errorf("docs/existing-plugin.md does not show this as it is:\n%s", f.Data)
		}
	}
	if shown != 4 {
		t.Errorf("%d of the 4 texts are in the script", shown)
	}
}
