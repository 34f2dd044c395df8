package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"omcbuild/internal/process"
)

// lab is where figures are taken: the repository, a temporary folder, and the
// programs.
type lab struct {
	root   string // the repository
	work   string // temporary, removed at the end
	rounds int
	path   string // PATH

	node     string // absolute path
	omcbuild string // as make built it
	esbuild  string // esbuild's command, compiled from the module that omcbuild uses
	self     string // this program, which bundles once when it is told to
	rivals   rivals
}

func newLab(ctx context.Context, rounds int) (*lab, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	l := &lab{root: root, rounds: rounds, path: os.Getenv("PATH"), omcbuild: filepath.Join(root, "bin", "omcbuild")}
	l.rivals = rivals{folder: filepath.Join(root, "internal", "bench", "rivals")}
	if l.node, err = process.LookPath("node", l.path); err != nil {
		return nil, err
	}
	if l.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if l.work, err = os.MkdirTemp("", "omcbuild-bench-"); err != nil {
		return nil, err
	}
	if l.work, err = filepath.EvalSymlinks(l.work); err == nil {
		err = l.prepare(ctx)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() { _ = os.RemoveAll(l.work) }

// prepare makes a home and compiles esbuild's command.
func (l *lab) prepare(ctx context.Context) error {
	if err := os.Mkdir(l.home(), 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(l.omcbuild); err != nil {
		return fmt.Errorf("%w: make builds it", err)
	}
	compiler, err := process.LookPath("go", l.path)
	if err != nil {
		return err
	}
	l.esbuild = filepath.Join(l.work, "esbuild")
	_, err = timed(ctx, process.Command{
		Path: compiler, Args: []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", l.esbuild, "github.com/evanw/esbuild/cmd/esbuild"},
		Dir: l.root, Env: os.Environ(),
	})
	return err
}

// home is the home folder of everything that is measured.
func (l *lab) home() string { return filepath.Join(l.work, "home") }

// command is a program with the environment of all that is measured.
func (l *lab) command(dir, path string, args ...string) process.Command {
	return process.Command{Path: path, Args: args, Dir: dir, Env: []string{"PATH=" + l.path, "HOME=" + l.home(), "NO_COLOR=1"}}
}

// run times one run of a program, from its start to its end.
func (l *lab) run(dir, path string, args ...string) measure {
	return func(ctx context.Context) (cost, error) { return timed(ctx, l.command(dir, path, args...)) }
}

// withoutCPU leaves out the processor time of a program that has others work for it and
// does not wait for their ends, so that only a part of it would be known.
func (m measure) withoutCPU() measure {
	return func(ctx context.Context) (cost, error) {
		took, err := m(ctx)
		return cost{wall: took.wall}, err
	}
}

// timed runs a program. Its processor time is that of the program and of all that it
// has started and waited for. An exit code other than 0 is an error with what it said.
func timed(ctx context.Context, c process.Command) (cost, error) {
	p, err := process.Start(ctx, c)
	if err != nil {
		return cost{}, err
	}
	said := listen(p)
	p.Stdin().Close()
	<-p.Exited()
	took := time.Since(p.Started())
	ending := p.Stop(0)
	if err := ctx.Err(); err != nil {
		return cost{}, err
	}
	if !ending.Status.Success() {
		return cost{}, fmt.Errorf("%s: %s: %s", filepath.Base(c.Path), ending.Status, said())
	}
	return cost{wall: took, cpu: ending.Status.CPU}, nil
}

// listen reads what a program prints, so that it never waits for a reader, and
// returns a function that waits for the end of it and tells the last of it.
func listen(p *process.Process) (said func() string) {
	texts := make(chan string, 2)
	for _, stream := range []io.Reader{p.Stdout(), p.Stderr()} {
		go func() { texts <- last(stream) }()
	}
	return func() string { return strings.TrimSpace(<-texts + " " + <-texts) }
}

// last reads a stream to its end and returns the last of it, up to 400 bytes.
func last(r io.Reader) string {
	var kept []byte
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Read(buffer)
		kept = append(kept, buffer[:n]...)
		kept = kept[max(0, len(kept)-400):]
		if err != nil {
			return strings.ToValidUTF8(string(kept), "")
		}
	}
}

// machine says when and on what the figures were taken.
func (l *lab) machine() string {
	version := "unknown"
	if out, err := process.Run(context.Background(), l.command(l.root, l.node, "--version"), 100); err == nil {
		version = strings.TrimPrefix(strings.TrimSpace(string(out.Stdout)), "v")
	}
	return fmt.Sprintf("Taken %s, rounds: %d, with %d cores, %s/%s, Node %s, %s; %s.", time.Now().UTC().Format("on 2006-01-02"),
		l.rounds, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, version, strings.Replace(runtime.Version(), "go", "Go ", 1), l.rivals.versions())
}
