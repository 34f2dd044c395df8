//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReleasingPage releases a plugin as docs/releasing.md shows it, and compares what the
// page shows with what is printed. Times, sizes and digests count as equal.
// `go test ./cmd/omcbuild -run TestReleasingPage -update` writes what is printed into the
// page.
func TestReleasingPage(t *testing.T) {
	const name = "docs/releasing.md"
	page, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	commands := shownCommands(string(page))
	if len(commands) != 6 {
		t.Fatalf("the page shows %d commands, want six: %q", len(commands), commands)
	}
	n := newcomerHome(t)
	n.installFromModules(t)
	n.env = append(n.env, "NO_COLOR=1", "npm_config_update_notifier=false")
	before := append(firstRelease(), "cd my-plugin", "omcbuild new family weather", "omcbuild build", "git add --all", "git commit --quiet --message 'Add the weather'")
	outputs := n.follow(t, append(before, commands...))[len(before):]
	for i := range outputs {
		outputs[i] = regexp.MustCompile(`\n+$`).ReplaceAllString(strings.ReplaceAll(outputs[i], n.dir, "~"), "\n")
	}
	steady := func(text string) string {
		text = regexp.MustCompile(`\b[0-9a-f]{64}\b`).ReplaceAllString(measureless(text), "DIGEST")
		text = regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(text, "CLOCK")
		text = regexp.MustCompile(`(?m)^ +✓ .*\n`).ReplaceAllString(text, "") // in the order in which they end
		return regexp.MustCompile(`\b[0-9a-f]{7}\b`).ReplaceAllString(text, "COMMIT")
	}
	prints := withOutputs(string(page), commands, outputs)
	switch diff := firstDifference(steady(string(page)), steady(prints)); {
	case diff == "":
	case *update:
		if err := os.WriteFile(filepath.Join("..", "..", name), []byte(prints), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not show what is printed: %s\nrun go test ./cmd/omcbuild -run TestReleasingPage -update", name, diff)
	}
	n.follow(t, []string{"git -C my-plugin.git rev-parse --verify --quiet refs/tags/my-plugin--v0.2.0", "cd my-plugin", "cd dist", "sha256sum --check SHA256SUMS"})
}

// firstRelease are the commands that begin my-plugin and tag its version 0.1.0.
func firstRelease() []string {
	return []string{
		"git init --quiet --bare --initial-branch main my-plugin.git",
		"omcbuild init my-plugin", "cd my-plugin", "npm install --prefix src", "omcbuild build",
		"git init --quiet --initial-branch main", "git remote add origin ../my-plugin.git", "printf '{}' > src/package-lock.json",
		"git add --all", "git commit --quiet --message 'Begin my-plugin'", "omcbuild version --tag", "cd ..",
	}
}

// installFromModules has npm install what is in src/node_modules, in place of downloading
// it. All else that npm is asked for it does. The files are there, not links to them: what
// is printed names a package by where its files lie.
func (n newcomer) installFromModules(t *testing.T) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	program(t, n.bin(), "npm", `case "$*" in
"ci --prefix src" | "install --prefix src") ;;
*) exec `+npm+` "$@" ;;
esac
mkdir -p src/node_modules
cp -al "$MODULES"/. src/node_modules/ 2>/dev/null || cp -a "$MODULES"/. src/node_modules/
`)
}

// bin is a folder in PATH.
func (n newcomer) bin() string { return filepath.Join(filepath.Dir(n.dir), "bin") }
