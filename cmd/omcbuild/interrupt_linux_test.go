package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	signals "os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptLeavesNothing stops a build while its bundle hangs, with a
// child of its own, and looks for what is left: processes, and files.
func TestInterruptLeavesNothing(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) { interrupt(t, signal) })
	}
}

func interrupt(t *testing.T, signal syscall.Signal) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	value := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(int(signal))
	mark := "INTERRUPT_MARK=" + value
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"env": { "INTERRUPT_MARK": "`+value+`" }, "registry"`)
	edit(t, filepath.Join(dir, "src/mcp/standalone-server.ts"), `import { createInterface }`,
		`import { spawn } from "node:child_process"; spawn("sleep", ["300"], { detached: true, stdio: "ignore" }); setInterval(() => {}, 1000); await new Promise(() => {}); import { createInterface }`)

	temp := t.TempDir()
	build := exec.Command("omcbuild", "-C", dir, "build", "--json")
	build.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+temp)
	var stdout, stderr bytes.Buffer
	build.Stdout, build.Stderr = &stdout, &stderr
	// A signal that is ignored here, as under nohup, would be ignored by the build too.
	heard := make(chan os.Signal, 1)
	signals.Notify(heard, signal)
	defer signals.Stop(heard)
	begin(t, build)
	waitUntil(t, func() bool { return len(marked(mark)) >= 2 }) // the server and its child
	if err := build.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := build.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d; stderr %s", err, exitInterrupted, stderr.String())
	}
	var document struct {
		OK     bool
		Errors []struct{ Code string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil || document.OK || len(document.Errors) != 1 || document.Errors[0].Code != "interrupted" {
		t.Errorf("standard output is %q", stdout.String())
	}
	waitUntil(t, func() bool { return len(marked(mark)) == 0 })
	if _, err := os.Stat(filepath.Join(dir, "bridge")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an interrupted build left bridge/ behind: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}

// TestInterruptOfSeveralChangesNothing stops a build of two plugins while one is
// done and the other hangs: neither of them, nor the catalog, is written.
func TestInterruptOfSeveralChangesNothing(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"quick", "stuck"} {
		dir := filepath.Join(root, "plugins", name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, "package.json"), `"acorn"`, `"`+name+`"`)
	}
	catalog := `{ "name": "m", "owner": { "name": "o" }, "plugins": [{ "name": "quick", "source": "./plugins/quick" }, { "name": "stuck", "source": "./plugins/stuck" }] }`
	if err := os.Mkdir(filepath.Join(root, ".claude-plugin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".claude-plugin", "marketplace.json"), []byte(catalog), 0o644); err != nil {
		t.Fatal(err)
	}
	value := strconv.Itoa(os.Getpid()) + "-several"
	stuck := filepath.Join(root, "plugins", "stuck")
	edit(t, filepath.Join(stuck, "omcbuild.jsonc"), `"registry"`, `"env": { "INTERRUPT_MARK": "`+value+`" }, "registry"`)
	edit(t, filepath.Join(stuck, "src/mcp/standalone-server.ts"), `import { createInterface }`, `setInterval(() => {}, 1000); await new Promise(() => {}); import { createInterface }`)
	before := contents(t, root)

	build := exec.Command("omcbuild", "-C", root, "build")
	build.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	begin(t, build)
	waitUntil(t, func() bool { return len(marked("INTERRUPT_MARK="+value)) >= 1 })
	if err := build.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := build.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	waitUntil(t, func() bool { return len(marked("INTERRUPT_MARK="+value)) == 0 })
	if after := contents(t, root); !maps.Equal(before, after) {
		t.Errorf("the repository changed: %v", slices.Sorted(maps.Keys(after)))
	}
}

// marked lists the processes whose environment holds the mark.
func marked(mark string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && strings.Contains("\x00"+string(environ), "\x00"+mark+"\x00") {
			found = append(found, file)
		}
	}
	return found
}

// TestInterruptEndsTheCompiler stops a build that has done all but its type check.
func TestInterruptEndsTheCompiler(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	compiler := filepath.Join(dir, "src", "node_modules", "typescript", "bin", "tsc")
	if err := os.MkdirAll(filepath.Dir(compiler), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		compiler: `require("node:fs").writeFileSync("started", ""); setInterval(() => {}, 1000);`, filepath.Join(dir, "src", "tsconfig.json"): "{}",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mark := "INTERRUPT_MARK=" + strconv.Itoa(os.Getpid()) + "-types"
	build := exec.Command("omcbuild", "-C", dir, "build", "--typecheck")
	build.Env = append(os.Environ(), mark, "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	begin(t, build)
	waitUntil(t, func() bool { _, err := os.Stat(filepath.Join(dir, "src", "started")); return err == nil })
	if err := build.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := build.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	waitUntil(t, func() bool { return len(marked(mark)) == 0 })
	if _, err := os.Stat(filepath.Join(dir, "bridge")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an interrupted build left bridge/ behind: %v", err)
	}
}
