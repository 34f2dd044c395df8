package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"omcbuild/internal/pipeline"
)

// TestWatchLosesNoSave saves 30 times at random moments, most of them while a build
// runs, and reads the bundle all the time. The last save is in the bundle, and every
// reading was of a whole one.
func TestWatchLosesNoSave(t *testing.T) {
	for name, args := range map[string][]string{"events": nil, "polling": {"--poll=20ms"}} {
		t.Run(name, func(t *testing.T) { loseNoSave(t, args) })
	}
}

func loseNoSave(t *testing.T, args []string) {
	w := startWatch(t, layPlugin(t), args...)
	seen := map[[sha256.Size]byte]string{}
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				text := w.bundle()
				seen[sha256.Sum256([]byte(text))] = text
				time.Sleep(time.Millisecond)
			}
		}
	})
	for i := range 30 {
		w.greet(fmt.Sprint("save", i), i%2 == 0)
		if rand.IntN(4) == 0 {
			w.shows(fmt.Sprint("save", i))
		}
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
	}
	n := w.count()
	w.shows("save29")
	w.greet("the end", false)
	w.shows("the end")
	w.settles(n)
	close(stop)
	reader.Wait()
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	if w.bundle() != w.built() {
		t.Error("watch left another bundle than build makes")
	}
	dir := t.TempDir()
	for sum, text := range seen {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%x.cjs", sum[:4])), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(text, "#!/usr/bin/env node\n") {
			t.Errorf("a reader saw %d bytes without a beginning", len(text))
		}
	}
	parse := `const fs = require("fs"); for (const f of fs.readdirSync(".")) new vm.Script(fs.readFileSync(f, "utf8"), { filename: f })`
	check := exec.Command("node", "-e", parse)
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("a reader saw a part of a bundle: %v\n%s", err, out)
	}
}

// TestWatchEndsWithItsReader ends in order when nobody reads what it prints.
func TestWatchEndsWithItsReader(t *testing.T) {
	w := &watching{t: t, dir: layPlugin(t)}
	command := exec.Command("omcbuild", "-C", w.dir, "watch", "--json")
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout = write
	begin(t, command)
	_ = write.Close()
	for lines := bufio.NewScanner(read); lines.Scan(); {
		if strings.Contains(lines.Text(), `"kind":"settled"`) {
			break
		}
	}
	_ = read.Close()
	w.greet("unread", false)
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
		t.Errorf("ended with %v", err)
	}
	if w.bundle() != w.built() {
		t.Error("watch left another bundle than build makes")
	}
}

// TestWatchInterruptedEarly has no result: it waits for another watch.
func TestWatchInterruptedEarly(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	second := exec.Command("omcbuild", "-C", w.dir, "watch", "--no-verify", "--json")
	second.Env = w.env
	said, err := second.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, second)
	var line watchLine
	text, _ := bufio.NewReader(said).ReadBytes('\n')
	if err := json.Unmarshal(text, &line); err != nil || !line.OK || line.Kind != notice || len(line.Warnings) != 1 || line.Warnings[0].Code != "watch-twice" {
		t.Errorf("said %q (%v)", text, err)
	}
	if err := second.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _ = second.Wait(); second.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v", second.ProcessState)
	}
}

// TestWatchLeavesTheLockAlone puts a bundle in place that lost a parameter's
// freedom, says what changed for the model, and leaves the lock file to build.
func TestWatchLeavesTheLockAlone(t *testing.T) {
	dir := layPlugin(t)
	build := exec.Command("omcbuild", "-C", dir, "build")
	build.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lock := contents(t, filepath.Join(dir, "bridge"))[filepath.Join(dir, "bridge", "mcp-server.tools.json")]
	w := startWatch(t, dir)
	n := w.count()
	edit(t, w.path(greetings), `by default.").optional()`, `unless told.")`)
	line := w.line(n, func(l watchLine) bool { return l.Kind == "settled" && len(l.Changes) > 0 })
	if !strings.Contains(fmt.Sprint(line.Changes), "language is now required (was optional): breaking") {
		t.Errorf("changed for the model: %+v", line.Changes)
	}
	w.shows("unless told.")
	if after := contents(t, w.path("bridge"))[w.path("bridge/mcp-server.tools.json")]; after != lock {
		t.Error("watch wrote the lock file")
	}
}

// TestWatchesTakeTurns lets a second watch of the same plugin wait, and a build go
// on beside the first.
func TestWatchesTakeTurns(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	second := exec.Command("omcbuild", "-C", w.dir, "watch", "--no-verify")
	second.Env = w.env
	shown, err := os.Create(filepath.Join(t.TempDir(), "shown"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shown.Close() }()
	second.Stdout = shown
	said, err := second.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, second)
	t.Cleanup(func() {
		_ = second.Process.Signal(syscall.SIGTERM)
		_ = second.Wait()
	})
	if line, _ := bufio.NewReader(said).ReadString('\n'); !strings.Contains(line, "[watch-twice]") {
		t.Errorf("said %q", line)
	}
	showed := func() bool {
		info, err := shown.Stat()
		return err == nil && info.Size() > 0
	}
	build := exec.Command("omcbuild", "-C", w.dir, "build")
	build.Env = w.env
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("build beside a watch: %v\n%s", err, out)
	}
	w.greet("first", false)
	w.shows("first")
	if showed() {
		t.Error("two watches of one plugin ran at once")
	}
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d", code)
	}
	waitUntil(t, showed)
	w.greet("second", false)
	w.shows("second")
}

// TestWatchBuildsTheLastSave that comes right before the end, although no round knows of
// it.
func TestWatchBuildsTheLastSave(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	w.greet("at the last moment", false)
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	if text := w.bundle(); !strings.Contains(text, "at the last moment") || text != w.built() {
		t.Error("watch left another bundle than build makes")
	}
}

// TestWatchSaysWhatItCouldNotLeave has exit code 1 when the bundles of build cannot be
// put in place at the end.
func TestWatchSaysWhatItCouldNotLeave(t *testing.T) {
	w := startWatch(t, layPlugin(t), "--no-verify")
	n := w.count()
	bundle := w.path("bridge/mcp-server.cjs")
	if err := errors.Join(os.Remove(bundle), os.MkdirAll(filepath.Join(bundle, "in the way"), 0o755)); err != nil {
		t.Fatal(err)
	}
	w.greet("unwritten", false)
	w.line(n, func(l watchLine) bool { return !l.OK })
	if code := w.end(syscall.SIGINT); code != exitFailed {
		t.Errorf("ended with %d", code)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.lines[len(w.lines)-1]; last.OK || last.Kind != pipeline.RoundFinished {
		t.Errorf("ended with %+v", last)
	}
}

// TestWatchOfSeveralEndsWithAnError of one of them.
func TestWatchOfSeveralEndsWithAnError(t *testing.T) {
	w := startWatch(t, laySeveral(t), "--no-verify")
	for _, plugin := range []string{"plugins/one", "plugins/two"} {
		w.line(0, func(l watchLine) bool { return l.Plugin == plugin })
	}
	w.end(syscall.SIGINT)
	cache := ""
	for _, variable := range w.env {
		if value, is := strings.CutPrefix(variable, "XDG_CACHE_HOME="); is {
			cache = value
		}
	}
	locks, err := filepath.Glob(filepath.Join(cache, "omcbuild", "*", "watch.lock"))
	if err != nil || len(locks) != 2 {
		t.Fatalf("%v %v", locks, err)
	}
	if err := errors.Join(os.Remove(locks[0]), os.Mkdir(locks[0], 0o755)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	again := exec.CommandContext(ctx, "omcbuild", "-C", w.dir, "watch", "--no-verify")
	again.Env = w.env
	out, _ := again.CombinedOutput()
	if again.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "[no-cache]") {
		t.Errorf("ended with %d: %s", again.ProcessState.ExitCode(), out)
	}
}

// TestWatchOfSeveral builds the plugin alone that was touched.
func TestWatchOfSeveral(t *testing.T) {
	root := laySeveral(t)
	w := startWatch(t, root, "--no-verify")
	of := func(plugin string) func(watchLine) bool {
		return func(l watchLine) bool { return l.Plugin == plugin && l.Kind == "settled" }
	}
	w.line(0, of("plugins/one"))
	w.line(0, of("plugins/two"))
	n := w.count()
	edit(t, w.path("plugins/two/"+greetings), `"Hello "`, `"Hi "`)
	w.line(n, of("plugins/two"))
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.lines[n:], func(l watchLine) bool { return l.Plugin != "plugins/two" }) {
		t.Errorf("lines after a save in one plugin: %+v", w.lines[n:])
	}
	for name, want := range map[string]bool{"one": false, "two": true} {
		data, err := os.ReadFile(w.path("plugins/" + name + "/bridge/mcp-server.cjs"))
		if err != nil || strings.Contains(string(data), "Hi ") != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// laySeveral lays a repository of two plugins.
func laySeveral(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(root, "plugins", name)
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "plugin"))); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, "package.json"), `"acorn"`, `"`+name+`"`)
		edit(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), `"acorn"`, `"`+name+`"`)
	}
	if err := os.WriteFile(filepath.Join(root, "omcbuild.jsonc"), []byte(`{ "plugins": ["plugins/*"] }`), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}
