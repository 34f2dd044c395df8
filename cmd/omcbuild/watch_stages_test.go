package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"omcbuild/internal/pipeline"
)

// kinds are those of the lines after the first n.
func (w *watching) kinds(n int) (kinds []pipeline.RoundKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines[n:] {
		kinds = append(kinds, line.Kind)
	}
	return kinds
}

// builtProved is the bundle that omcbuild build makes of the sources when it runs it.
func (w *watching) builtProved() string {
	w.t.Helper()
	copied := filepath.Join(w.t.TempDir(), filepath.Base(w.dir))
	if err := os.CopyFS(copied, os.DirFS(w.dir)); err != nil {
		w.t.Fatal(err)
	}
	command := exec.Command("omcbuild", "-C", copied, "build")
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

// TestWatchGoesInThreeStages has one line for each, in their order, of the same round;
// after the last the bundle is that of build, with its front or without.
func TestWatchGoesInThreeStages(t *testing.T) {
	for name, front := range map[string]string{"plain": "", "with a front": `"front": true, `} {
		t.Run(name, func(t *testing.T) {
			dir := layPlugin(t)
			edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, front+`"registry"`)
			w := startWatch(t, dir)
			for _, word := range []string{"Hi", "Good day"} {
				n := w.count()
				w.greet(word, false)
				settled := w.settles(n)
				if got, want := w.kinds(n), []pipeline.RoundKind{pipeline.RoundQuick, pipeline.RoundChecked, pipeline.RoundSettled}; !slices.Equal(got, want) {
					t.Fatalf("lines after a save: %v, want %v", got, want)
				}
				w.mu.Lock()
				quick, checked := w.lines[n], w.lines[n+1]
				w.mu.Unlock()
				if checked.Round != quick.Round || settled.Round != quick.Round {
					t.Errorf("rounds %d, %d and %d of one save", quick.Round, checked.Round, settled.Round)
				}
				for _, line := range []watchLine{checked, settled} {
					if b := line.Bundles[0]; !line.OK || !b.Ran || b.Tools != 2 {
						t.Errorf("%s: %+v", line.Kind, line)
					}
				}
				if w.bundle() != w.builtProved() {
					t.Error("what was settled is not what build makes")
				}
			}
		})
	}
}

// TestWatchEndsBeforeItSettles has a front when what the server answers was checked, and
// says so when it was not.
func TestWatchEndsBeforeItSettles(t *testing.T) {
	dir := layPlugin(t)
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"front": true, "registry"`)
	w := startWatch(t, dir)
	n := w.count()
	edit(t, w.path(greetings), `Returns a greeting`, `Returns a nice greeting`)
	w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundChecked })
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	if built := w.builtProved(); w.bundle() != built || !strings.Contains(built, "nice greeting") {
		t.Error("the bundle is not that of build, although it was checked")
	}

	w = startWatch(t, dir)
	n = w.count()
	edit(t, w.path("src/mcp/standalone-server.ts"), `import { createInterface }`,
		`import { setTimeout as late } from "node:timers/promises"; await late(`+strconv.Itoa(int(time.Hour/time.Millisecond))+`); import { createInterface }`)
	w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundFull || l.Kind == pipeline.RoundQuick })
	if code := w.end(syscall.SIGINT); code != exitDone {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	kinds := w.kinds(n)
	line := w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundFinished })
	if kinds[len(kinds)-1] != pipeline.RoundFinished || len(line.Warnings) != 1 || line.Warnings[0].Code != "front-left-out" || !strings.Contains(line.Warnings[0].Hint, "omcbuild build") {
		t.Errorf("ended with the lines %v and %+v", kinds, line.Warnings)
	}
	if w.bundle() != w.built() {
		t.Error("without a front the bundle is not that of build --no-verify")
	}
}
