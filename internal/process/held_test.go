//go:build unix

package process

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mirror writes down all that a program can see of how it was started, but for its age.
const mirror = `
const { env } = process;
delete env.` + Marker + `;
const keys = (o) => Reflect.ownKeys(o).map(String).sort();
const described = {
  argv: process.argv, execArgv: process.execArgv, execPath: process.execPath, argv0: process.argv0, title: process.title,
  env, cwd: process.cwd(), umask: process.umask(), file: __filename, dir: __dirname,
  cache: keys(require.cache), main: require.main === module, parent: module.parent === undefined ? "none" : module.parent,
  children: module.children.length, paths: module.paths, found: Object.values(module.constructor._pathCache),
  process: keys(process), globals: keys(globalThis), extensions: keys(require.extensions),
  listeners: process.eventNames().map(String), exit: process.exitCode, loaded: process.moduleLoadList.length > 0,
  resources: process.getActiveResourcesInfo?.(), options: process.allowedNodeEnvironmentFlags.size,
};
require("./beside.cjs");
described.children = module.children.map((child) => child.id);
const { Worker } = require("node:worker_threads");
const worker = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.postMessage({ execArgv: process.execArgv, cache: Object.keys(require.cache) })", { eval: true });
worker.on("message", (message) => {
  described.thread = message;
  const child = require("node:child_process").fork(__dirname + "/child.cjs");
  child.on("message", (message) => {
    described.child = message;
    let input = "";
    process.stdin.on("data", (data) => (input += data));
    process.stdin.on("end", () => {
      described.input = input;
      console.log(JSON.stringify(described, null, 1));
      process.exit(7);
    });
  });
});
`

// preloaded is a preload of the program's own.
const preloaded = "globalThis.preloaded = process.argv;"

func node(t *testing.T) string {
	t.Helper()
	path, err := LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mirrored is a command that runs the mirror, which is written by the function returned.
func mirrored(t *testing.T, env ...string) (Command, func()) {
	t.Helper()
	dir, cwd := t.TempDir(), t.TempDir()
	lay := func() {
		for name, text := range map[string]string{
			"main.cjs": mirror, "beside.cjs": "", "preload.cjs": preloaded,
			"child.cjs": "process.send({ execArgv: process.execArgv, argv: process.argv.slice(2) });",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := Command{Path: node(t), Args: []string{filepath.Join(dir, "main.cjs"), "one", "--two", ""}, Dir: cwd}
	c.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + cwd}, env...)
	return c, lay
}

// said gives a process an input and returns what it writes and how it ends.
func said(t *testing.T, p *Process) (string, ExitStatus) {
	t.Helper()
	defer p.Stop(time.Minute)
	if _, err := io.WriteString(p.Stdin(), "the input\n"); err != nil {
		t.Fatal(err)
	}
	p.Stdin().Close()
	out, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	complaint, _ := io.ReadAll(p.Stderr())
	return string(out) + string(complaint), p.Stop(time.Minute).Status
}

func TestHeldIsAsStarted(t *testing.T) {
	for _, options := range []int{0, 2} {
		c, lay := mirrored(t, "NODE_ENV=test", "A=1")
		if options > 0 {
			preload := filepath.Join(filepath.Dir(c.Args[0]), "preload.cjs")
			if err := os.WriteFile(preload, []byte(preloaded), 0o600); err != nil {
				t.Fatal(err)
			}
			c.Args = append([]string{"--require", preload}, c.Args...)
		}
		h, err := Hold(t.Context(), c, options, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Drop)
		<-h.booted // so it waits before its program is there
		lay()
		released := time.Now()
		p, err := h.Release(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if before := released.Sub(p.Started()); before <= 0 || before > 30*time.Second {
			t.Errorf("the boot took %v", before)
		}
		held, status := said(t, p)
		plain, err := Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		want, ended := said(t, plain)
		if held != want {
			t.Errorf("with %d options a held start and a plain one differ:\n%s", options, parted(held, want))
		}
		if !strings.Contains(want, `"input": "the input\n"`) || status.Code != 7 || ended.Code != 7 {
			t.Errorf("status %v and %v of\n%s", status, ended, want)
		}
	}
}

// parted are the lines in which two texts differ, up to a few.
func parted(held, plain string) string {
	a, b := strings.Split(held, "\n"), strings.Split(plain, "\n")
	var out strings.Builder
	for i := 0; i < min(len(a), len(b)); i++ {
		if a[i] != b[i] && out.Len() < 2000 {
			out.WriteString("held " + a[i] + "\nplain " + b[i] + "\n")
		}
	}
	return out.String()
}

func TestHeldIsReleasedOnce(t *testing.T) {
	c, lay := mirrored(t)
	lay()
	h, err := Hold(t.Context(), c, 0, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Release(t.Context()) // before it has booted, perhaps
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	if _, err := h.Release(t.Context()); !errors.Is(err, ErrNotHeld) {
		t.Errorf("released again: %v", err)
	}
	h.Drop()
	if p.waitExited(0) {
		t.Error("Drop ended a process that was released")
	}
}

func TestHeldEndsUnused(t *testing.T) {
	ends := map[string]func(h *Held, cancel func()){
		"dropped":  func(h *Held, _ func()) { h.Drop() },
		"canceled": func(_ *Held, cancel func()) { cancel() },
		"let go":   func(h *Held, _ func()) { h.signal.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			c, lay := mirrored(t)
			lay()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h, err := Hold(ctx, c, 0, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer h.Drop()
			<-h.booted
			end(h, cancel)
			<-h.process.exited
			if out, _ := io.ReadAll(h.process.pipes.stdout); len(out) > 0 {
				t.Errorf("it ran: %s", out)
			}
		})
	}
}

func TestHeldEndsWithItsContext(t *testing.T) {
	c, lay := mirrored(t)
	lay()
	h, err := Hold(t.Context(), c, 0, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := h.Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	cancel()
	<-p.Exited()
	if h, err = Hold(t.Context(), c, 0, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Release(ctx); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrNotHeld) {
		t.Errorf("released for nobody: %v", err)
	}
	<-h.process.exited
}

// A launcher that closes what it does not know.
func TestWhatDoesNotWaitIsNotHeld(t *testing.T) {
	launcher := filepath.Join(t.TempDir(), "node")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\nexec "+node(t)+` "$@" 3<&- 4>&-`+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, lay := mirrored(t)
	lay()
	c.Path = launcher
	h, err := Hold(t.Context(), c, 0, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Release(t.Context()); !errors.Is(err, ErrNotHeld) {
		t.Errorf("err = %v", err)
	}
	<-h.process.exited
}

func TestNotHeld(t *testing.T) {
	c, _ := mirrored(t, "NODE_OPTIONS=--no-warnings")
	if _, err := Hold(t.Context(), c, 0, t.TempDir()); !errors.Is(err, ErrNotHeld) {
		t.Errorf("err = %v", err)
	}
	c, _ = mirrored(t)
	c.Path += "-that-is-not-there"
	if _, err := Hold(t.Context(), c, 0, t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}
