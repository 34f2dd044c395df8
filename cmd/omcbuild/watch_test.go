package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	signals "os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// watching is a running omcbuild watch --json.
type watching struct {
	t       *testing.T
	dir     string
	env     []string
	command *exec.Cmd
	stderr  bytes.Buffer
	ended   chan struct{}

	mu    sync.Mutex
	lines []watchLine
}

// layPlugin copies the small plugin into a folder of its own.
func layPlugin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startWatch starts watch in a folder, without standard input, and waits until it
// has settled for the first time.
func startWatch(t *testing.T, dir string, args ...string) *watching {
	t.Helper()
	w := launchWatch(t, dir, append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir()), args...)
	w.settles(0)
	return w
}

func launchWatch(t *testing.T, dir string, env []string, args ...string) *watching {
	t.Helper()
	w := &watching{t: t, dir: dir, env: env, ended: make(chan struct{})}
	w.command = exec.Command("omcbuild", append([]string{"-C", dir, "watch", "--json"}, args...)...)
	w.command.Env, w.command.Stderr = w.env, &w.stderr
	out, err := w.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Signals that are ignored here, as under nohup, would be ignored by watch too.
	heard := make(chan os.Signal, 1)
	signals.Notify(heard, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err = w.command.Start()
	signals.Stop(heard)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.ended)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			var line watchLine
			if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
				t.Errorf("%q is no line of JSON: %v", scanner.Text(), err)
			}
			w.mu.Lock()
			w.lines = append(w.lines, line)
			w.mu.Unlock()
		}
		_ = w.command.Wait()
	}()
	t.Cleanup(func() {
		_ = w.command.Process.Signal(syscall.SIGTERM)
		<-w.ended
	})
	return w
}

// count is how many lines there are.
func (w *watching) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lines)
}

// line waits for a line after the first n.
func (w *watching) line(n int, want func(watchLine) bool) (found watchLine) {
	w.t.Helper()
	waitUntil(w.t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, line := range w.lines[min(n, len(w.lines)):] {
			if want(line) {
				found = line
				return true
			}
		}
		return false
	})
	return found
}

func (w *watching) settles(n int) watchLine {
	w.t.Helper()
	return w.line(n, func(l watchLine) bool { return l.Kind == "settled" })
}

func (w *watching) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *watching) bundle() string {
	data, err := os.ReadFile(w.path("bridge/mcp-server.cjs"))
	if err != nil {
		w.t.Error(err)
	}
	return string(data)
}

// shows waits until the bundle holds a text.
func (w *watching) shows(text string) {
	w.t.Helper()
	waitUntil(w.t, func() bool { return strings.Contains(w.bundle(), text) })
}

// end sends a signal and returns the exit code.
func (w *watching) end(signal os.Signal) int {
	w.t.Helper()
	if err := w.command.Process.Signal(signal); err != nil {
		w.t.Fatal(err)
	}
	<-w.ended
	return w.command.ProcessState.ExitCode()
}

// built is the bundle that omcbuild build makes of the sources.
func (w *watching) built() string {
	w.t.Helper()
	copied := filepath.Join(w.t.TempDir(), filepath.Base(w.dir))
	if err := os.CopyFS(copied, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	command := exec.Command("omcbuild", "-C", copied, "build", "--no-verify")
	command.Env = append(os.Environ(), "HOME="+w.t.TempDir(), "XDG_CACHE_HOME="+w.t.TempDir())
	if out, err := command.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(copied, "bridge", "mcp-server.cjs"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

const greetings = "src/tools/greet-tools.ts"

// greet saves another greeting, in one of the ways in which editors do.
func (w *watching) greet(word string, atomically bool) {
	w.t.Helper()
	path := w.path(greetings)
	data, err := os.ReadFile(filepath.Join("testdata", "plugin", filepath.FromSlash(greetings)))
	if err != nil {
		w.t.Fatal(err)
	}
	target := path
	if atomically {
		target += ".tmp"
	}
	if err := os.WriteFile(target, bytes.Replace(data, []byte(`"Hello "`), []byte(`"`+word+` "`), 1), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if atomically {
		if err := os.Rename(target, path); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestWatchBuildsAfterEverySave changes each kind of file that a bundle or the
// metadata is made from.
func TestWatchBuildsAfterEverySave(t *testing.T) {
	w := startWatch(t, layPlugin(t))
	for i := range 3 {
		n := w.count()
		w.greet(fmt.Sprint("plain", i), false)
		w.shows(fmt.Sprint("plain", i))
		w.greet(fmt.Sprint("atomic", i), true)
		w.shows(fmt.Sprint("atomic", i))
		if line := w.settles(n); !line.OK || len(line.Bundles) != 1 || line.Bundles[0].Tools != 2 {
			t.Errorf("settled with %+v", line)
		}
	}

	edit(t, w.path(greetings), `"atomic2 "`, `word()`)
	n := w.count()
	edit(t, w.path(greetings), `import { inputs`, "import { word } from \"../word/choice.js\";\nimport { inputs")
	if line := w.line(n, func(l watchLine) bool { return !l.OK }); line.Errors[0].Code != "unresolved-import" {
		t.Errorf("an import of nothing gives %+v", line.Errors)
	}
	if err := os.MkdirAll(w.path("src/word"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("src/word/choice.ts"), []byte(`export const word = () => "chosen word";`), 0o644); err != nil {
		t.Fatal(err)
	}
	w.shows("chosen word")

	edit(t, w.path("package.json"), `"version": "1.2.0"`, `"version": "7.8.9"`)
	w.shows("7.8.9")
	edit(t, w.path("omcbuild.jsonc"), `"define": {`, `"define": { "UNUSED": "1",`)
	edit(t, w.path("src/word/choice.ts"), `chosen word`, `defined " + UNUSED + "`)
	w.shows("defined 1")
	n = w.count()
	edit(t, w.path(".mcp.json"), `mcp-server.cjs`, `another.cjs`)
	w.line(n, func(l watchLine) bool {
		for _, file := range l.Metadata {
			if file.Path == ".mcp.json" {
				return file.Changed || !l.OK
			}
		}
		return !l.OK
	})
	if code := w.end(syscall.SIGINT); code != exitDone && code != exitFailed {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	if w.bundle() != w.built() {
		t.Error("watch left another bundle than build makes")
	}
}

// TestWatchKeepsTheLastGoodBundle through a save that does not build, with the
// error on the way, until it is mended.
func TestWatchKeepsTheLastGoodBundle(t *testing.T) {
	w := startWatch(t, layPlugin(t))
	good, n := w.bundle(), w.count()
	edit(t, w.path(greetings), `"Hello "`, `"Hello`)
	line := w.line(n, func(l watchLine) bool { return !l.OK })
	if len(line.Errors) == 0 || line.Errors[0].Code != "syntax" || line.Errors[0].File != greetings || line.Errors[0].Line == 0 {
		t.Errorf("a broken save gives %+v", line.Errors)
	}
	if w.bundle() != good {
		t.Error("a broken save changed the bundle")
	}
	n = w.count()
	edit(t, w.path(greetings), `"Hello`, `"Hello again "`)
	w.shows("Hello again")
	w.line(n, func(l watchLine) bool { return l.OK })
	w.settles(n)
	if code := w.end(syscall.SIGTERM); code != exitDone {
		t.Errorf("ended with %d", code)
	}
}

// TestWatchEndsWithWhatIsWrong has exit code 1 when errors stand at the end.
func TestWatchEndsWithWhatIsWrong(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	n := w.count()
	edit(t, w.path(greetings), `"Hello "`, `"Hello`)
	w.line(n, func(l watchLine) bool { return !l.OK })
	if code := w.end(syscall.SIGINT); code != exitFailed {
		t.Errorf("ended with %d", code)
	}
}

// TestWatchNoticesThatAChangeWasUndone is mended by the very file that was good before,
// of which there is nothing to build.
func TestWatchNoticesThatAChangeWasUndone(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	n := w.count()
	edit(t, w.path(greetings), `"Hello "`, `"Hello`)
	w.line(n, func(l watchLine) bool { return !l.OK })
	n = w.count()
	edit(t, w.path(greetings), `"Hello`, `"Hello "`)
	w.line(n, func(l watchLine) bool { return l.OK })
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d", code)
	}
}

// TestWatchMendsTheConfiguration goes on when omcbuild.jsonc is broken for a while.
func TestWatchMendsTheConfiguration(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	n := w.count()
	edit(t, w.path("omcbuild.jsonc"), `"bundles": [`, `"bundles": `)
	w.line(n, func(l watchLine) bool { return !l.OK && l.Errors[0].File == "omcbuild.jsonc" })
	n = w.count()
	edit(t, w.path("omcbuild.jsonc"), `"bundles": `, `"bundles": [`)
	w.line(n, func(l watchLine) bool { return l.OK })
	w.greet("mended", false)
	w.shows("mended")
}
