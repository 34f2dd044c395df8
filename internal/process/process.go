// Package process starts programs and makes sure that they end. It is the only
// package of omcbuild that runs anything.
//
// A program that is started here gets exactly what its Command says: an absolute
// path, arguments (never a shell line), a folder, and a complete environment.
// Nothing is inherited. To the environment given, one variable is added, Marker,
// with a value that no other process has.
//
// The program leads a session and a process group of its own. Ending it means
// ending everything it started, and a program that starts others may have tried
// to let them go: a launcher that exits first, a child that is detached into a
// group of its own. On Linux the family of a process is therefore found by three
// signs, any of which suffices: its session, its parent, and the marker in its
// environment. Elsewhere on Unix it is the group, on Windows a job
// object.
//
// Every Start needs one Stop, which closes standard input, waits, asks (SIGTERM),
// waits, insists (SIGKILL), and then says who was left behind. When the context
// given to Start ends, the family is killed at once.
//
// A node process can be started ahead of time and held before it looks for its program
// (Hold), so that its boot is over when the program is there.
package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Marker is the environment variable by which the family of a started process is
// recognised on Linux.
const Marker = "OMCBUILD_PROCESS"

// Command describes a program to start.
type Command struct {
	Path  string    // absolute path of the program; LookPath finds one by name
	Args  []string  // arguments, without the program itself; those of a batch file of Windows may hold no " and no %
	Dir   string    // absolute path of its working directory
	Env   []string  // complete environment, "NAME=value"; the last of a name wins
	Stdin io.Reader // for Run only: what the program reads; nil is an empty input
	Ask   bool      // for Run only: at the end of the context the program gets a second to leave things in order
}

// Process is a program that was started and has not been stopped.
type Process struct {
	cmd     *exec.Cmd
	pipes   pipes
	family  *family
	started time.Time
	exited  chan struct{} // closed once the program has ended and its status is known

	reap   sync.Mutex // held while the program is collected, so that nobody signals a number given to someone else
	reaped bool

	status   ExitStatus // valid once exited is closed
	ended    time.Time  // likewise
	forget   func() bool
	killed   atomic.Bool // by Kill
	stopOnce sync.Once
	ending   Ending
}

// Start starts a program. The error names the program and the cause, and wraps
// fs.ErrNotExist, fs.ErrPermission and the like; nothing runs then. The family of
// the program is killed when ctx ends; Stop is to be called all the same.
func Start(ctx context.Context, c Command) (*Process, error) { return launch(ctx, c) }

// launch starts a program that gets further files, from 3 on.
func launch(ctx context.Context, c Command, further ...*os.File) (*Process, error) {
	if err := check(ctx, c); err != nil {
		return nil, err
	}
	p := &Process{exited: make(chan struct{}), family: newFamily(Marker + "=" + rand.Text())}
	p.cmd = &exec.Cmd{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir, ExtraFiles: further}
	p.cmd.Env = append(append([]string{}, c.Env...), p.family.marker)
	if err := p.family.prepare(p.cmd); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	if err := p.pipes.open(p.cmd); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Path, err)
	}
	p.started = time.Now()
	err := p.cmd.Start()
	p.pipes.closeTheirs()
	if err != nil {
		p.pipes.closeOurs()
		return nil, fmt.Errorf("starting %s: %w", c.Path, cause(err))
	}
	p.family.attach(p.cmd.Process)
	go p.collect()
	p.forget = context.AfterFunc(ctx, p.Kill)
	return p, nil
}

// check refuses a command that would make the outcome depend on where omcbuild
// itself runs.
func check(ctx context.Context, c Command) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !filepath.IsAbs(c.Path):
		return fmt.Errorf("starting %s: the path of the program is not absolute", c.Path)
	case !filepath.IsAbs(c.Dir):
		return fmt.Errorf("starting %s: its folder %q is not an absolute path", c.Path, c.Dir)
	}
	if info, err := os.Stat(c.Dir); err != nil {
		return fmt.Errorf("starting %s: its folder: %w", c.Path, err)
	} else if !info.IsDir() {
		return fmt.Errorf("starting %s: %s is not a folder", c.Path, c.Dir)
	}
	return nil
}

// cause removes the name of the system call from an error of exec, because the
// caller's text names the program already.
func cause(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// collect waits for the program itself and records how it ended.
func (p *Process) collect() {
	if p.family.waitUntilDead() {
		p.reap.Lock()
		defer p.reap.Unlock()
	}
	p.ended = time.Now()
	_ = p.cmd.Wait() // a program that failed is not an error here; its status says so
	p.reaped = true
	p.status = statusOf(p.cmd.ProcessState)
	close(p.exited)
}

// PID is the number of the program itself.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Started is the moment just before the program was started.
func (p *Process) Started() time.Time { return p.started }

// Stdin is where the program reads from. Closing it more than once is harmless,
// and ends a Write that waits.
func (p *Process) Stdin() io.WriteCloser { return p.pipes.stdin }

// Stdout is what the program writes. Reading ends with io.EOF when the program
// and all who share its output are gone, or soon after Stop. It is for one reader.
func (p *Process) Stdout() io.Reader { return p.pipes.stdout }

// Stderr is what the program complains about, under the rules of Stdout.
func (p *Process) Stderr() io.Reader { return p.pipes.stderr }

// Exited is closed when the program itself has ended; others of its family may
// still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Wait waits for the program itself to end, or for ctx.
func (p *Process) Wait(ctx context.Context) (ExitStatus, error) {
	select {
	case <-p.exited:
		return p.status, nil
	case <-ctx.Done():
		return ExitStatus{}, ctx.Err()
	}
}
