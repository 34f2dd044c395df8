package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const monorepoPage = "../../docs/monorepo.md"

// pageFile is a file that the page shows and tells the reader to write.
var pageFile = regexp.MustCompile("(?m)Write `([^`]+)`:\n\n```(?:json|yaml)\n((?:[^`].*\n|\n)*)```$")

// TestMonorepoPage follows docs/monorepo.md as TestNewcomerPage does the page of a
// new plugin: it runs the commands in order, and writes the files that the page
// shows where the page has them.
func TestMonorepoPage(t *testing.T) {
	text, err := os.ReadFile(monorepoPage)
	if err != nil {
		t.Fatal(err)
	}
	page, home := string(text), newcomerHome(t)
	root := filepath.Join(home.dir, "acorns")
	var written strings.Builder
	commands := []string{}
	for page != "" {
		part, rest := page, ""
		file := pageFile.FindStringSubmatchIndex(page)
		if file != nil {
			part, rest = page[:file[1]], page[file[1]:]
		}
		shown := shownCommands(part)
		home.dir = placeOf(home.dir, root)
		outputs := home.follow(t, shown)
		commands = append(commands, shown...)
		written.WriteString(withOutputs(part, shown, outputs))
		if file != nil {
			writePageFile(t, filepath.Join(root, page[file[2]:file[3]]), page[file[4]:file[5]])
		}
		page = rest
	}
	if len(commands) < 10 || commands[0] != "git init --quiet acorns" {
		t.Errorf("the page no longer begins with making a repository: %q", commands)
	}
	comparePage(t, "docs/monorepo.md", "TestMonorepoPage", string(text), written.String())
}

// placeOf is the repository once it was made: each part of the page goes on in it.
func placeOf(dir, root string) string {
	if _, err := os.Stat(root); err == nil {
		return root
	}
	return dir
}

func writePageFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestMonorepoWorkflow holds the workflow of the page against that of a new
// plugin: what it does for one plugin it does for each.
func TestMonorepoWorkflow(t *testing.T) {
	page, err := os.ReadFile(monorepoPage)
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile("../../plugin-template/files/.github/workflows/build.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(template), "path: src/package-lock.json", "path: plugins/*/src/package-lock.json")
	want = regexp.MustCompile(`run: (npm .*) --prefix src\n`).ReplaceAllString(want, "run: for src in plugins/*/src; do $1 --prefix \"$$src\" || exit 1; done\n")
	want = strings.ReplaceAll(want, "committed bundle, its lock file and the manifests are what the sources say, and the plugin is whole", "committed bundles, their lock files and the manifests are what the sources say, and the plugins are whole")
	if !strings.Contains(string(page), "```yaml\n"+want+"```\n") {
		t.Errorf("docs/monorepo.md does not show this workflow:\n%s", want)
	}
}
