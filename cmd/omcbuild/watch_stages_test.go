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

// TestWatchGivesUpForASave saves while a check, and while a settling, would take
// forever: the save is built, the server that ran is ended, and no line tells of what
// was given up.
func TestWatchGivesUpForASave(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Log("looking for processes that are left needs /proc")
		return
	}
	for _, during := range []pipeline.RoundKind{pipeline.RoundChecked, pipeline.RoundSettled} {
		t.Run(string(during), func(t *testing.T) { giveUpForASave(t, during) })
	}
}

func giveUpForASave(t *testing.T, during pipeline.RoundKind) {
	dir := layPlugin(t)
	hang := filepath.Join(t.TempDir(), "hang")
	value := strconv.Itoa(os.Getpid()) + "-" + string(during)
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"env": { "STAGE_MARK": "`+value+`", "HANG": `+strconv.Quote(hang)+` }, "registry"`)
	edit(t, filepath.Join(dir, "src/mcp/standalone-server.ts"), `import { createInterface }`,
		`import { existsSync } from "node:fs"; if (existsSync(process.env.HANG ?? "")) { setInterval(() => {}, 1000); process.stdin.pause(); await new Promise(() => {}); } import { createInterface }`)
	w := startWatch(t, dir)
	makeHang := func() {
		if err := os.WriteFile(hang, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := w.count()
	if during == pipeline.RoundChecked {
		makeHang()
	}
	w.greet("given up", false)
	w.shows("given up")
	if during == pipeline.RoundSettled {
		w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundChecked })
		makeHang()
	}
	var stuck []string
	waitUntil(t, func() bool {
		stuck = marked("STAGE_MARK=" + value)
		return len(stuck) >= 2 // both clients' servers
	})
	if err := os.Remove(hang); err != nil {
		t.Fatal(err)
	}
	w.greet("built", false)
	w.shows("built")
	waitUntil(t, func() bool {
		left := marked("STAGE_MARK=" + value)
		return !slices.ContainsFunc(stuck, func(process string) bool { return slices.Contains(left, process) })
	})
	last := w.settles(n)
	w.mu.Lock()
	defer w.mu.Unlock()
	rounds := 0
	for _, line := range w.lines[n:] {
		switch line.Kind {
		case pipeline.RoundChecked, pipeline.RoundSettled:
			if line.Kind == during && line.Round != last.Round {
				t.Errorf("a line tells of what was given up: %+v", line)
			}
		default:
			rounds++
		}
	}
	if rounds != 2 || !last.OK {
		t.Errorf("%d rounds for two saves, and then %+v", rounds, last)
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
