package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"omcbuild/internal/pipeline"
)

// TestWatchEndsAtOnce ends watch while the bundle hangs in its check, with a child
// of its own: nothing is left, and the bundle on disk is that of build.
func TestWatchEndsAtOnce(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) { endAtOnce(t, signal) })
	}
}

func endAtOnce(t *testing.T, signal syscall.Signal) {
	dir := layPlugin(t)
	value := strconv.Itoa(os.Getpid()) + "-watch-" + strconv.Itoa(int(signal))
	mark := "INTERRUPT_MARK=" + value
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"env": { "INTERRUPT_MARK": "`+value+`" }, "registry"`)
	edit(t, filepath.Join(dir, "src/mcp/standalone-server.ts"), `import { createInterface }`,
		`import { spawn } from "node:child_process"; spawn("sleep", ["300"], { detached: true, stdio: "ignore" }); setInterval(() => {}, 1000); await new Promise(() => {}); import { createInterface }`)
	temp := t.TempDir()
	w := launchWatch(t, dir, append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "TMPDIR="+temp))
	waitUntil(t, func() bool { return len(marked(mark)) >= 2 }) // the server and its child
	if code := w.end(signal); code != exitDone {
		t.Errorf("ended with %d: %s", code, w.stderr.String())
	}
	waitUntil(t, func() bool { return len(marked(mark)) == 0 })
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left in the temporary folder: %v", left)
	}
	entries, err := os.ReadDir(w.path("bridge"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left in bridge: %v %v", entries, err)
	}
	if w.bundle() != w.built() {
		t.Error("watch left another bundle than build makes")
	}
}

// TestWatchKeepsOneProcess has a process wait for the next check of the server, another one
// after each, which ends with watch, also when that is killed.
func TestWatchKeepsOneProcess(t *testing.T) {
	dir := layPlugin(t)
	value := strconv.Itoa(os.Getpid()) + "-waits"
	edit(t, filepath.Join(dir, "omcbuild.jsonc"), `"registry"`, `"env": { "WAIT_MARK": "`+value+`" }, "registry"`)
	waits := func(before []string) (now []string) {
		waitUntil(t, func() bool {
			now = marked("WAIT_MARK=" + value)
			return len(now) == 1 && !slices.Equal(now, before)
		})
		return now
	}
	var before []string
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		w := startWatch(t, dir)
		before = waits(before)
		n := w.count()
		w.greet("after "+signal.String(), false)
		if settled := w.settles(n); !settled.OK {
			t.Errorf("%+v", settled)
		}
		before = waits(before)
		w.end(signal)
		waitUntil(t, func() bool { return len(marked("WAIT_MARK="+value)) == 0 })
	}
}

// TestWatchGivesUpForASave saves while a check, and while a settling, would take
// forever: the save is built, the server that ran is ended, and no line tells of what
// was given up.
func TestWatchGivesUpForASave(t *testing.T) {
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
		`import { existsSync, writeFileSync } from "node:fs"; if (existsSync(process.env.HANG ?? "")) { writeFileSync(process.env.HANG + process.pid, ""); setInterval(() => {}, 1000); process.stdin.pause(); await new Promise(() => {}); } import { createInterface }`)
	w := startWatch(t, dir)
	makeHang := func() {
		if err := os.WriteFile(hang, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, servers := w.count(), 2 // both clients'
	if during == pipeline.RoundChecked {
		makeHang()
		servers = 1
	}
	w.greet("given up", false)
	w.shows("given up")
	if during == pipeline.RoundSettled {
		w.line(n, func(l watchLine) bool { return l.Kind == pipeline.RoundChecked })
		makeHang()
	}
	waitUntil(t, func() bool {
		hanging, _ := filepath.Glob(hang + "[0-9]*")
		return len(hanging) >= servers
	})
	stuck := marked("STAGE_MARK=" + value)
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
