package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestInterruptOfPackageKeepsTheLastOne stops a package while the servers of the
// unpacked archive are run: the packages of before stay as they are, and nothing is
// left elsewhere.
func TestInterruptOfPackageKeepsTheLastOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# acorn\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	value := strconv.Itoa(os.Getpid()) + "-package"
	mark := "INTERRUPT_MARK=" + value
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"env": { "INTERRUPT_MARK": "`+value+`" }, "registry"`)
	temp := t.TempDir()
	env := append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+temp)
	run := func(words ...string) *exec.Cmd {
		c := exec.Command("omcbuild", append([]string{"-C", dir}, words...)...)
		c.Env = env
		return c
	}
	for _, words := range [][]string{{"build"}, {"package", "--format", "zip,dir"}} {
		if out, err := run(words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
	}
	// Only where the whole package lies is there a README.
	edit(t, filepath.Join(dir, "src/mcp/standalone-server.ts"), `import { createInterface }`,
		`import { existsSync } from "node:fs"; import { join } from "node:path"; if (existsSync(join(__dirname, "..", ["READ", "ME.md"].join("")))) { setInterval(() => {}, 1000); await new Promise(() => {}); } import { createInterface }`)
	if out, err := run("build").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := contents(t, dir)

	packing := run("package", "--format", "zip,dir")
	begin(t, packing)
	proving := func() bool {
		unpacked, _ := filepath.Glob(filepath.Join(temp, "*", "plugin", "README.md"))
		return len(unpacked) > 0 && len(marked(mark)) > 0
	}
	waitUntil(t, proving)
	if err := packing.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := packing.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	waitUntil(t, func() bool { return len(marked(mark)) == 0 })
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Errorf("an interrupted package changed files")
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}
