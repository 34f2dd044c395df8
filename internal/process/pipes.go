package process

import (
	"os"
	"os/exec"
	"time"
)

// drainGrace is how long a reader may still read once the family is gone. It
// matters only when someone unknown holds the far end open.
const drainGrace = 500 * time.Millisecond

// pipes are the three standard streams. They are files of our own rather than
// those of os/exec, because exec closes its own when the program ends, and what
// the program wrote last would be lost.
type pipes struct {
	stdin, stdout, stderr *stream    // our ends
	theirs                []*os.File // the ends the program has
}

// open makes the pipes and hands the far ends to the command.
func (p *pipes) open(cmd *exec.Cmd) (err error) {
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
		}
	}()
	for _, stream := range []func() error{
		func() error { return p.pair(func(r, w *os.File) { p.stdin, cmd.Stdin = &stream{File: w}, p.give(r) }) },
		func() error {
			return p.pair(func(r, w *os.File) { p.stdout, cmd.Stdout = &stream{File: r}, p.give(w) })
		},
		func() error {
			return p.pair(func(r, w *os.File) { p.stderr, cmd.Stderr = &stream{File: r}, p.give(w) })
		},
	} {
		if err = stream(); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipes) pair(use func(r, w *os.File)) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	use(r, w)
	return nil
}

func (p *pipes) give(f *os.File) *os.File {
	p.theirs = append(p.theirs, f)
	return f
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
	p.theirs = nil
}

func (p *pipes) closeOurs() {
	for _, s := range []*stream{p.stdin, p.stdout, p.stderr} {
		if s != nil {
			s.Close()
		}
	}
}

// expire lets readers have what is left in the pipes, but not wait for more.
func (p *pipes) expire() {
	for _, s := range []*stream{p.stdout, p.stderr} {
		// Where pipes know no deadline, the end of the family ends the stream.
		_ = s.SetReadDeadline(time.Now().Add(drainGrace))
	}
}

// stream is our end of a pipe. A reader closes it by reading to its end.
type stream struct {
	*os.File
	end error
}

// Read reads until the end of the stream and closes it there.
func (s *stream) Read(p []byte) (int, error) {
	if s.end != nil {
		return 0, s.end
	}
	n, err := s.File.Read(p)
	if err != nil {
		s.end = err
		s.Close()
	}
	return n, err
}
