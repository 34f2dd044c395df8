//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake is a client that says what the real one does, but for one command.
func fake(t *testing.T, odd string) string {
	t.Helper()
	client := filepath.Join(t.TempDir(), "claude")
	script := `#!/bin/sh
case "$HOME" in "` + os.Getenv("HOME") + `") echo "this is the user's home"; exit 1;; esac
` + odd + `
case "$*" in
--version) echo 2.1.0 ;;
"plugin validate --strict "*) echo "Validation passed" ;;
"plugin marketplace add "*) echo "added marketplace: trees" ;;
"plugin install oaks@trees") echo "installed plugin: oaks@trees" >"$HOME/installed"; cat "$HOME/installed" ;;
"plugin details oaks@trees") echo "oaks 1.0.0" ;;
"mcp list") if [ -f "$HOME/installed" ]; then echo "plugin:oaks:a: node a.cjs - Connected"; echo "plugin:oaks:b: node b.cjs - Connected"; fi ;;
"plugin uninstall oaks@trees") rm "$HOME/installed"; echo "uninstalled oaks" ;;
"plugin marketplace remove trees") echo "removed trees" ;;
*) echo "unknown command: $*"; exit 1 ;;
esac
`
	if err := os.WriteFile(client, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return client
}

// packaged is a packaged plugin with two servers.
func packaged(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json":      `{"name": "oaks", "version": "1.0.0"}`,
		".claude-plugin/marketplace.json": `{"name": "trees"}`,
		".mcp.json":                       `{"mcpServers": {"a": {}, "b": {}}}`,
	} {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// nodePath is a PATH with something named node in it.
func nodePath(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "node"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestTheWholeLifeOfAPlugin(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), fake(t, ""), []string{packaged(t)}, nodePath(t), &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, line := range []string{"$ claude mcp list\n  plugin:oaks:a: node a.cjs - Connected\n", "oaks 1.0.0 was validated, installed, connected and removed\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("does not print %q:\n%s", line, &out)
		}
	}
}

func TestWhatIsNotAsExpectedFails(t *testing.T) {
	for odd, want := range map[string]string{
		`case "$*" in "plugin validate"*) echo "Validation failed"; exit 1 ;; esac`:                                  "the client reports a failure",
		`case "$*" in "plugin validate"*) echo "nothing to say"; exit 0 ;; esac`:                                     `does not say "passed"`,
		`case "$*" in "mcp list") echo "plugin:oaks:a: - Connected"; echo "plugin:oaks:b: - Failed"; exit 0 ;; esac`: "plugin:oaks:b is not connected",
		`case "$*" in "plugin uninstall"*) echo oaks; exit 0 ;; esac`:                                                `says "plugin:oaks:a:"`,
	} {
		err := run(t.Context(), fake(t, odd), []string{packaged(t)}, nodePath(t), &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", odd, err, want)
		}
	}
}

func TestWithoutAClient(t *testing.T) {
	err := run(t.Context(), "", []string{packaged(t)}, nodePath(t), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "there is no claude in PATH") {
		t.Errorf("got %v", err)
	}
	err = run(t.Context(), filepath.Join(t.TempDir(), "claude"), []string{packaged(t)}, nodePath(t), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "there is no client at") {
		t.Errorf("got %v", err)
	}
}
