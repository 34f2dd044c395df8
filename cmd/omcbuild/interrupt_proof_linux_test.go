package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestInterruptOfAProofLeavesNothing stops the verification of a packed plugin while its
// server hangs, with a child of its own.
func TestInterruptOfAProofLeavesNothing(t *testing.T) {
	value := strconv.Itoa(os.Getpid()) + "-proof"
	plugin, temp := t.TempDir(), t.TempDir()
	server := "#!/usr/bin/env node\nrequire('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000);\n"
	for name, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name": "oaks", "version": "1.0.0"}`,
		".mcp.json":                  `{"mcpServers": {"a": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/bin/hang"]}}}`,
		"bin/hang":                   server,
	} {
		file := filepath.Join(plugin, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	verify := exec.Command("omcbuild", "verify", "--package", plugin, "--env", "INTERRUPT_MARK="+value)
	verify.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+temp)
	begin(t, verify)
	waitUntil(t, func() bool { return len(marked("INTERRUPT_MARK="+value)) >= 4 }) // two conversations, and the children
	if err := verify.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := verify.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
	waitUntil(t, func() bool { return len(marked("INTERRUPT_MARK="+value)) == 0 })
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
}
