//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"omcbuild/internal/process"
)

// The packages are packed by npm, installed from their archives into an empty folder, with
// an empty home and no network, and started as users do.
func TestNpmPackagesInstallAndRun(t *testing.T) {
	n := newNpm(t)
	n.install(t, "omcbuild", "@omcbuild/"+n.system)
	if out, code := n.run(t, "", "npx", "--offline", "omcbuild", "--version"); code != 0 || out != "omcbuild 1.2.3\n" {
		t.Errorf("exit code %d and %q", code, out)
	}
	if out, code := n.run(t, "the input\n", n.shim(), "exit", "7"); code != 7 || out != "the input\n" {
		t.Errorf("exit code %d and %q, want 7 and the input", code, out)
	}
	if out, code := n.run(t, "", n.shim(), "a b", "", "$HOME", "*", `"`); code != 0 || out != "[a b]\n[]\n[$HOME]\n[*]\n[\"]\n" {
		t.Errorf("exit code %d and the arguments %q", code, out)
	}
	result, err := process.Run(t.Context(), process.Command{Path: n.node, Args: []string{n.shim(), "signal"}, Dir: n.folder, Env: n.env}, 0)
	if err != nil || result.Status.Signal != "SIGTERM" {
		t.Errorf("ended by %q: %v, want by the signal that ended the program", result.Status.Signal, err)
	}
}

func TestNpmWrapperHandsSignalsOn(t *testing.T) {
	n := newNpm(t)
	n.install(t, "omcbuild", "@omcbuild/"+n.system)
	for name, signal := range map[string]unix.Signal{"TERM": unix.SIGTERM, "INT": unix.SIGINT, "HUP": unix.SIGHUP} {
		p, err := process.Start(t.Context(), process.Command{Path: n.node, Args: []string{n.shim(), "wait", name}, Dir: n.folder, Env: n.env})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, len("ready\n"))
		if _, err := p.Stdout().Read(out); err != nil || string(out) != "ready\n" {
			t.Fatalf("%q, %v", out, err)
		}
		if err := unix.Kill(p.PID(), signal); err != nil {
			t.Fatal(err)
		}
		<-p.Exited()
		if ending := p.Stop(time.Minute); ending.Status.Code != 9 || len(ending.Left) > 0 {
			t.Errorf("SIG%s: ended with %s and left %v, want the program's own exit code 9", name, ending.Status, ending.Left)
		}
	}
}

func TestNpmWrapperSaysWhatIsMissing(t *testing.T) {
	n := newNpm(t)
	n.install(t, "omcbuild")
	out, code := n.run(t, "", n.shim(), "--version")
	if code != 1 || !strings.HasPrefix(out, "error: the package @omcbuild/"+n.system+" is not installed, and it holds the program\n  it is an optional dependency: ") {
		t.Errorf("exit code %d and %q", code, out)
	}
	write(t, filepath.Join(n.folder, "freebsd.cjs"), "Object.defineProperty(process, 'platform', { value: 'freebsd' });")
	out, code = n.run(t, "", "--require", filepath.Join(n.folder, "freebsd.cjs"), n.shim(), "--version")
	if code != 1 || !strings.HasPrefix(out, "error: omcbuild is not published for freebsd-") || !strings.Contains(out, "darwin-arm64, darwin-x64, linux-arm64, linux-x64, win32-arm64, win32-x64") {
		t.Errorf("exit code %d and %q", code, out)
	}
	// A package of another version, as a lock file that was edited may bring.
	write(t, filepath.Join(n.folder, "node_modules", "@omcbuild", n.system, "package.json"), `{"version": "1.2.2"}`)
	out, code = n.run(t, "", n.shim(), "--version")
	if code != 1 || !strings.HasPrefix(out, "error: the package @omcbuild/"+n.system+" is version 1.2.2, and omcbuild is 1.2.3\n") {
		t.Errorf("exit code %d and %q", code, out)
	}
}

// npm is an empty folder, with an empty home, and the packages as npm packs them.
type npm struct {
	folder, packages string
	node, system     string
	env              []string
}

func newNpm(t *testing.T) *npm {
	t.Helper()
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	out, home := t.TempDir(), t.TempDir()
	if err := place(repository, out, "1.2.3", pretended()); err != nil {
		t.Fatal(err)
	}
	here := target{runtime.GOOS, runtime.GOARCH}
	n := &npm{folder: t.TempDir(), packages: filepath.Join(out, "npm"), node: node, system: here.npmName()}
	n.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "npm_config_cache=" + filepath.Join(home, "cache"), "npm_config_update_notifier=false"}
	write(t, filepath.Join(n.folder, "package.json"), `{"private": true}`)
	return n
}

func (n *npm) shim() string {
	return filepath.Join(n.folder, "node_modules", "omcbuild", "bin", "omcbuild.cjs")
}

// install packs packages and installs them from their archives.
func (n *npm) install(t *testing.T, names ...string) {
	t.Helper()
	args := []string{"install", "--offline", "--no-audit", "--no-fund"}
	for _, name := range names {
		text, code := n.run(t, "", "npm", "pack", "--json", "--pack-destination", n.folder, filepath.Join(n.packages, filepath.FromSlash(name)))
		if code != 0 {
			t.Fatalf("npm pack: %s", text)
		}
		var packed []struct {
			Filename string
			Files    []struct{ Path string }
		}
		if err := json.Unmarshal([]byte(text), &packed); err != nil || len(packed) != 1 {
			t.Fatalf("npm pack: %v\n%s", err, text)
		}
		args = append(args, filepath.Join(n.folder, packed[0].Filename))
		if len(packed[0].Files) < 4 {
			t.Errorf("%s: npm packs only %v", name, packed[0].Files)
		}
	}
	if text, code := n.run(t, "", "npm", args...); code != 0 {
		t.Fatalf("npm install: %s", text)
	}
}

// run runs npm, npx, or node with a file or options, and returns what it printed on both streams.
func (n *npm) run(t *testing.T, input, program string, args ...string) (string, int) {
	t.Helper()
	if program != "npm" && program != "npx" {
		program, args = n.node, append([]string{program}, args...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env, command.Stdin = n.folder, n.env, strings.NewReader(input)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if code := command.ProcessState.ExitCode(); code != 0 {
		return string(out) + stderr.String(), code
	}
	return string(out), 0
}
