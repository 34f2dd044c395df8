package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	plugintemplate "omcbuild/plugin-template"
)

const newcomerPage = "../../docs/new-plugin.md"

// consoleBlock is a block of the page that shows commands, each after "$ ", and
// what they print.
var consoleBlock = regexp.MustCompile("(?m)^```text\n((?:[^`].*\n|\n)*)```$")

// TestNewcomerPage follows docs/new-plugin.md from its first command to its last,
// in one shell, and compares what the page shows with what is printed. Times and
// sizes count as equal. `go test ./cmd/omcbuild -run TestNewcomerPage -update`
// writes what is printed into the page. It needs src/node_modules, which takes the
// place of what npm would download.
func TestNewcomerPage(t *testing.T) {
	page, err := os.ReadFile(newcomerPage)
	if err != nil {
		t.Fatal(err)
	}
	commands := shownCommands(string(page))
	if len(commands) < 5 || commands[0] != "omcbuild init my-plugin" || commands[4] != "omcbuild -C my-plugin verify --plugin" {
		t.Fatalf("five commands no longer lead to a verified plugin: %q", commands)
	}
	home := newcomerHome(t)
	outputs := home.follow(t, commands)
	comparePage(t, "docs/new-plugin.md", "TestNewcomerPage", string(page), withOutputs(string(page), commands, outputs))
	home.runWorkflow(t)
}

// withOutputs returns a page with what its commands printed.
func withOutputs(page string, commands, outputs []string) string {
	next := 0
	return consoleBlock.ReplaceAllStringFunc(page, func(block string) string {
		var b strings.Builder
		b.WriteString("```text\n")
		for range shownCommands(block) {
			fmt.Fprintf(&b, "$ %s\n%s", commands[next], outputs[next])
			next++
		}
		return b.String() + "```"
	})
}

// comparePage holds a page against the same page with what was printed, and with
// -update writes that into it.
func comparePage(t *testing.T, page, test, shows, prints string) {
	t.Helper()
	switch diff := firstDifference(measureless(shows), measureless(prints)); {
	case diff == "":
	case *update:
		if err := os.WriteFile(filepath.Join("..", "..", page), []byte(prints), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show what is printed: %s\nrun go test ./cmd/omcbuild -run %s -update", page, diff, test)
	}
}

// shownCommands returns the commands of all blocks, in order.
func shownCommands(page string) []string {
	var out []string
	for _, block := range consoleBlock.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				out = append(out, strings.TrimSpace(command))
			}
		}
	}
	return out
}

// measureless takes times and sizes out of a text, how many packages npm says it
// added, and what a busy machine is warned of.
func measureless(text string) string {
	text = regexp.MustCompile(`(?m)^warning: .* \[slow-start\]\n  .*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`\d+(\.\d+)? ?(ms|s|min)\b`).ReplaceAllString(text, "TIME")
	text = regexp.MustCompile(`\d+(\.\d+)? (B|kB|MB)\b`).ReplaceAllString(text, "SIZE")
	return regexp.MustCompile(`added \d+ packages`).ReplaceAllString(text, "added packages")
}

func firstDifference(page, printed string) string {
	shown, real := strings.Split(page, "\n"), strings.Split(printed, "\n")
	for i := range min(len(shown), len(real)) {
		if shown[i] != real[i] {
			return fmt.Sprintf("line %d\nshows  %s\nprints %s", i+1, shown[i], real[i])
		}
	}
	if len(shown) != len(real) {
		return fmt.Sprintf("it has %d lines in place of %d", len(shown), len(real))
	}
	return ""
}

// newcomer is a machine on which nothing has been done yet.
type newcomer struct {
	dir string // where the newcomer works
	env []string
}

func newcomerHome(t *testing.T) newcomer {
	t.Helper()
	root := t.TempDir()
	modules, err := filepath.Abs("../../src/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Fatal("src/node_modules is missing; run make build")
	}
	for _, folder := range []string{"home", "cache", "bin", "work"} {
		if err := os.Mkdir(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	npm := "#!/bin/sh\nset -e\n[ \"$1 $2\" = 'install --prefix' ]\nmkdir \"$3/node_modules\"\n" +
		"for package in \"$MODULES\"/*; do ln -s \"$package\" \"$3/node_modules/\"; done\necho\necho 'added 51 packages in 21s'\n"
	if err := os.WriteFile(filepath.Join(root, "bin/npm"), []byte(npm), 0o755); err != nil {
		t.Fatal(err)
	}
	return newcomer{dir: filepath.Join(root, "work"), env: append(os.Environ(),
		"HOME="+filepath.Join(root, "home"), "XDG_CACHE_HOME="+filepath.Join(root, "cache"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"MODULES="+modules, "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))}
}

// follow runs commands in one shell and returns what each of them printed. All
// of them have to succeed.
func (n newcomer) follow(t *testing.T, commands []string) []string {
	t.Helper()
	const mark = "--- next command ---\n"
	var script strings.Builder
	for _, command := range commands {
		fmt.Fprintf(&script, "%s || { echo \"exit code $?\"; exit 1; }\necho '%s'\n", command, strings.TrimSpace(mark))
	}
	shell := exec.Command("sh", "-c", script.String())
	shell.Dir, shell.Env = n.dir, n.env
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	outputs := strings.Split(out.String(), mark)
	if len(outputs) != len(commands)+1 {
		t.Fatalf("%d commands printed %d times\n%s", len(commands), len(outputs)-1, out.String())
	}
	return outputs[:len(commands)]
}

// runWorkflow runs the steps of the plugin's workflow that call omcbuild. They
// find nothing, not even to warn of.
func (n newcomer) runWorkflow(t *testing.T) {
	t.Helper()
	workflow, err := os.ReadFile(filepath.Join(n.dir, "my-plugin/.github/workflows/build.yml"))
	if err != nil {
		t.Fatal(err)
	}
	commands := []string{"cd my-plugin"}
	for _, step := range regexp.MustCompile(`(?m)^ +- run: (omcbuild .*)$`).FindAllStringSubmatch(string(workflow), -1) {
		commands = append(commands, step[1])
	}
	if len(commands) != 4 {
		t.Errorf("the workflow has the steps %q", commands[1:])
	}
	for i, output := range n.follow(t, commands) {
		if strings.Contains(measureless(output), "warning:") {
			t.Errorf("%s in a new plugin:\n%s", commands[i], output)
		}
	}
}

func TestNewcomerPageExplainsEveryFile(t *testing.T) {
	page, err := os.ReadFile(newcomerPage)
	if err != nil {
		t.Fatal(err)
	}
	files, err := plugintemplate.Render(plugintemplate.Values{Name: "my-plugin", License: "MIT", Key: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(string(page), "\n| `"+file.Path+"` | ") {
			t.Errorf("docs/new-plugin.md does not say what %s is", file.Path)
		}
	}
	if rows := strings.Count(string(page), "\n| `"); rows != len(files) {
		t.Errorf("docs/new-plugin.md explains %d files, init writes %d", rows, len(files))
	}
}
