package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The script that docs/packaging.md shows for a branch is the one that
// testdata/script/package_branch.txtar runs.
func TestPackagingPageShowsTheScriptThatIsTested(t *testing.T) {
	page, err := os.ReadFile("../../docs/packaging.md")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/script/package_branch.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "plugin/publish.sh" {
			if !strings.Contains(string(page), "```sh\n"+string(file.Data)+"```\n") {
				t.Errorf("docs/packaging.md shows another script than:\n%s", file.Data)
			}
			return
		}
	}
	t.Error("the script is not there")
}
