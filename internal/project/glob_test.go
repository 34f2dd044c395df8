package project_test

import (
	"strings"
	"testing"

	"omcbuild/internal/project"
)

func TestGlobsThatStandForTooMuch(t *testing.T) {
	times := strings.Repeat
	for glob, want := range map[string]string{
		times("{a,b}", 22) + "*-tools.ts":          "stands for more than 100 names",
		times("{a,", 22) + times("}", 22):          "stands for more than 100 names",
		"src/" + times("**/*/", 6) + "x.ts":        "has ** more than 3 times",
		times("*a", 40) + ".ts":                    "has more than 30 stars",
		"src/{mcp,tools}/**/*-{tools,handlers}.ts": "matches no file",
	} {
		root := t.TempDir()
		write(t, root, "src/a.ts", "")
		write(t, root, project.PackageFile, `{ "name": "p", "version": "1.0.0" }`)
		write(t, root, project.ConfigFile, `{ "bundles": [{ "name": "t", "entry": "src/a.ts", "outfile": "bridge/t.cjs", "families": "`+glob+`" }] }`)
		if _, err := project.Load(root); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", glob, err, want)
		}
	}
}
