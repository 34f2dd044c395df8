//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell returns a command that runs a script with /bin/sh in an empty folder.
func shell(t *testing.T, script string, env ...string) Command {
	t.Helper()
	return Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: append([]string{"PATH=/usr/bin:/bin"}, env...)}
}

// start starts a command and stops it when the test ends.
func start(t *testing.T, ctx context.Context, c Command) (*Process, *bufio.Reader) {
	t.Helper()
	p, err := Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill(); p.Stop(0) })
	return p, bufio.NewReader(p.Stdout())
}

// line reads the next line, without its end.
func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("reading a line: %v (had %q)", err, text)
	}
	return strings.TrimSuffix(text, "\n")
}

func TestStartGivesExactlyWhatTheCommandSays(t *testing.T) {
	t.Setenv("INHERITED", "from the test")
	c := Command{Path: "/usr/bin/env", Dir: t.TempDir(), Env: []string{"A=1", "B=two words", "A=3"}}
	r, err := Run(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for entry := range strings.Lines(string(r.Stdout)) {
		if !strings.HasPrefix(entry, Marker+"=") {
			got = append(got, strings.TrimSpace(entry))
		}
	}
	slices.Sort(got)
	if want := []string{"A=3", "B=two words"}; !slices.Equal(got, want) {
		t.Errorf("environment = %q, want %q and the marker", got, want)
	}
}

func TestStartWithoutEnvironmentInheritsNothing(t *testing.T) {
	t.Setenv("INHERITED", "from the test")
	r, err := Run(t.Context(), Command{Path: "/usr/bin/env", Dir: t.TempDir()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(r.Stdout), "INHERITED") {
		t.Errorf("environment = %s, want the marker alone", r.Stdout)
	}
}

func TestStartUsesNoShell(t *testing.T) {
	c := Command{Path: "/bin/echo", Args: []string{"$HOME; exit 3", "`id`"}, Dir: t.TempDir(), Env: []string{"HOME=/x"}}
	r, err := Run(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(r.Stdout), "$HOME; exit 3 `id`\n"; got != want {
		t.Errorf("stdout = %q, want %q", got, want)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		c    Command
		is   error
		text string
	}{
		{"missing program", t.Context(), Command{Path: filepath.Join(dir, "none"), Dir: dir}, fs.ErrNotExist, "none: no such file"},
		{"not executable", t.Context(), Command{Path: plain, Dir: dir}, fs.ErrPermission, "plain: permission denied"},
		{"missing folder", t.Context(), Command{Path: "/bin/true", Dir: filepath.Join(dir, "gone")}, fs.ErrNotExist, "its folder"},
		{"folder is a file", t.Context(), Command{Path: "/bin/true", Dir: plain}, nil, "is not a folder"},
		{"relative program", t.Context(), Command{Path: "true", Dir: dir}, nil, "not absolute"},
		{"relative folder", t.Context(), Command{Path: "/bin/true", Dir: "."}, nil, "not an absolute path"},
		{"context ended", ended, Command{Path: "/bin/true", Dir: dir}, context.Canceled, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Start(test.ctx, test.c)
			if err == nil {
				t.Fatal("no error")
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v does not wrap %v", err, test.is)
			}
			if !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %q does not say %q", err, test.text)
			}
		})
	}
}

func TestExitStatus(t *testing.T) {
	tests := []struct{ script, want string }{
		{"exit 0", "exit code 0"},
		{"exit 3", "exit code 3"},
		{"kill -SEGV $$", "killed by SIGSEGV"},
		{"kill -KILL $$", "killed by SIGKILL"},
	}
	for _, test := range tests {
		r, err := Run(t.Context(), shell(t, test.script), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Status.String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.script, got, test.want)
		}
		if r.Status.Success() != (test.script == "exit 0") {
			t.Errorf("%s: Success() = %v", test.script, r.Status.Success())
		}
		if r.Status.PeakMemory <= 0 {
			t.Errorf("%s: peak memory = %d bytes", test.script, r.Status.PeakMemory)
		}
	}
}

func TestOutputOfAnEndedProgramIsNotLost(t *testing.T) {
	p, out := start(t, t.Context(), shell(t, "echo first; echo last"))
	<-p.Exited()
	p.Stop(0)
	text, err := io.ReadAll(out)
	if err != nil || string(text) != "first\nlast\n" {
		t.Errorf("read %q, %v", text, err)
	}
}

func TestWait(t *testing.T) {
	p, _ := start(t, t.Context(), shell(t, "read x; exit 4"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with an ended context: %v", err)
	}
	if _, err := io.WriteString(p.Stdin(), "go\n"); err != nil {
		t.Fatal(err)
	}
	status, err := p.Wait(t.Context())
	if err != nil || status.Code != 4 {
		t.Errorf("Wait: %v, %v", status, err)
	}
}
