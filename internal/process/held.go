package process

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed hold.cjs
var holdProgram []byte

// ErrNotHeld says that a program cannot be held, or was not. It is to be started as
// usual then.
var ErrNotHeld = errors.New("the program cannot be held")

// bootPatience is how long a process may take to boot that is released before it has.
const bootPatience = 10 * time.Second

// Held is a node process that has booted, or is about to, and waits before it looks for
// its program, which need not be there yet. It takes no processor time. When omcbuild
// ends in any way, or the context given to Hold does, it ends.
//
// Once released it runs as if it had been started at that moment: with the arguments,
// the environment, the folder and the input of the command. Two things tell it from a
// process that was: its age, as process.uptime and performance.now give it, and its
// command line as other processes see it.
//
// Every Held needs one Release or one Drop.
type Held struct {
	process *Process
	signal  *os.File      // a byte lets it go on, its end ends it
	booted  chan struct{} // closed when it has booted, or never will
	boot    time.Duration // what booting took; 0 when it failed
	once    sync.Once
}

// Hold starts node and holds it. The first options of c.Args are for node itself, and
// what follows is the program and its arguments. A file of ours is written to folder, an
// absolute path; it is needed as long as the process lives. The error is ErrNotHeld where
// a process cannot be held so that its program would not notice, else as that of Start.
func Hold(ctx context.Context, c Command, options int, folder string) (*Held, error) {
	if runtime.GOOS == "windows" || slices.ContainsFunc(c.Env, changesNode) {
		return nil, ErrNotHeld
	}
	folder, err := filepath.EvalSymlinks(folder) // as node names the file
	if err != nil {
		return nil, fmt.Errorf("holding %s: %w", c.Path, err)
	}
	file := filepath.Join(folder, "hold.cjs")
	if err := os.WriteFile(file, holdProgram, 0o600); err != nil {
		return nil, fmt.Errorf("holding %s: %w", c.Path, err)
	}
	c.Args = slices.Insert(slices.Clone(c.Args), options, "--require", file)
	h := &Held{booted: make(chan struct{})}
	waits, signal, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("holding %s: %w", c.Path, err)
	}
	defer waits.Close()
	told, tells, err := os.Pipe()
	if err != nil {
		signal.Close()
		return nil, fmt.Errorf("holding %s: %w", c.Path, err)
	}
	defer tells.Close()
	h.signal = signal
	if h.process, err = launch(ctx, c, waits, tells); err != nil {
		signal.Close()
		told.Close()
		return nil, err
	}
	go h.listen(told)
	return h, nil
}

// changesNode reports whether a variable makes node do more when it starts than boot.
func changesNode(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return strings.HasPrefix(name, "NODE_") && name != "NODE_ENV" && name != "NODE_PATH"
}

// listen waits until the process says that it has booted. What that took is the lesser
// of its time and its processor time: much else may go on meanwhile.
func (h *Held) listen(told *os.File) {
	defer close(h.booted)
	defer told.Close()
	line, err := bufio.NewReaderSize(told, 64).ReadString('\n')
	if err != nil {
		return
	}
	if micros, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil && micros > 0 {
		h.boot = min(time.Duration(micros)*time.Microsecond, time.Since(h.process.started))
	}
}

// Release lets the process look for its program, which has to be there now. From then on
// the process belongs to the caller, as after Start, and ends with ctx too. Started is
// when it would have been started if it had not been held. With any error, ErrNotHeld
// or that of ctx, it is gone.
func (h *Held) Release(ctx context.Context) (*Process, error) {
	late := time.NewTimer(bootPatience)
	defer late.Stop()
	select {
	case <-h.booted:
	case <-late.C:
	case <-ctx.Done():
	}
	p, err := (*Process)(nil), ErrNotHeld
	h.once.Do(func() { p, err = h.release(ctx) })
	return p, err
}

func (h *Held) release(ctx context.Context) (*Process, error) {
	select {
	case <-h.booted:
	default:
		h.drop()
		return nil, errors.Join(ErrNotHeld, ctx.Err())
	}
	p := h.process
	if h.boot == 0 || p.waitExited(0) || ctx.Err() != nil {
		h.drop()
		return nil, errors.Join(ErrNotHeld, ctx.Err())
	}
	p.started = time.Now().Add(-h.boot)
	first := p.forget
	second := context.AfterFunc(ctx, p.Kill)
	p.forget = func() bool { second(); return first() }
	if _, err := h.signal.Write([]byte{'\n'}); err != nil {
		h.drop()
		return nil, ErrNotHeld
	}
	h.signal.Close()
	return p, nil
}

// Drop ends a process that is not needed. It returns when the process is gone.
func (h *Held) Drop() { h.once.Do(h.drop) }

func (h *Held) drop() {
	h.signal.Close()
	h.process.Kill() // it has done nothing yet
	h.process.Stop(0)
	<-h.booted
	h.process.pipes.closeOurs()
}
