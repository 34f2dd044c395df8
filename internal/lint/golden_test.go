package lint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"omcbuild/internal/diag"
)

var update = flag.Bool("update", false, "write what the rules find into the golden files")

// golden runs a check over every story of testdata/DIR and holds the findings
// against its file "findings". Each story is named for the rule it is about; the
// comment at its head says what it shows.
func golden(t *testing.T, dir string, check func(t *testing.T, files map[string]string) diag.List) {
	t.Helper()
	stories, err := filepath.Glob("testdata/" + dir + "/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories in %s: %v", dir, err)
	}
	for _, story := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(story), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(story)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, file := range archive.Files {
				files[file.Name] = string(file.Data)
			}
			got := render(check(t, files))
			if got == files["findings"] {
				return
			}
			if !*update {
				t.Fatalf("got\n%s\nwant\n%s", got, files["findings"])
			}
			archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "findings" })
			archive.Files = append(archive.Files, txtar.File{Name: "findings", Data: []byte(got)})
			if err := os.WriteFile(story, txtar.Format(archive), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// render writes findings one a line, hints below.
func render(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		tool := d.Tool
		if tool != "" {
			tool += ": "
		}
		fmt.Fprintf(&b, "%s %s: %s: %s%s\n", d.Level, d.Code, d.Position, tool, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, "    %s\n", d.Hint)
		}
	}
	return b.String()
}
