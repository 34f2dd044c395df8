package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	signals "os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// TestInterruptTakesTheVersionBack stops version while the plugin is built with the next
// version, when package.json has it already: every file becomes what it was.
func TestInterruptTakesTheVersionBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"bundles"`, `"prebuild": ["sh", "make.sh"], "bundles"`)
	script := "if grep -q 1.3.0 package.json; then touch reached; sleep 300; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "make.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	version := exec.Command("omcbuild", "-C", dir, "version", "minor")
	version.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	var stderr bytes.Buffer
	version.Stderr = &stderr
	heard := make(chan os.Signal, 1)
	signals.Notify(heard, syscall.SIGINT)
	defer signals.Stop(heard)
	begin(t, version)
	waitUntil(t, func() bool { _, err := os.Stat(filepath.Join(dir, "reached")); return err == nil })
	if err := version.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := version.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d; stderr %s", err, exitInterrupted, stderr.String())
	}
	if after, err := os.ReadFile(filepath.Join(dir, "package.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("package.json is %s, %v", after, err)
	}
	for _, file := range []string{"CHANGELOG.md", "bridge"} {
		if _, err := os.Lstat(filepath.Join(dir, file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was left behind: %v", file, err)
		}
	}
}
