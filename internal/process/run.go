package process

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// DefaultOutput is how many bytes of each stream Run keeps when it is not told.
const DefaultOutput = 1 << 20

// Result is what a short program left.
type Result struct {
	Status    ExitStatus
	Stdout    []byte
	Stderr    []byte
	Truncated bool // one of the streams was longer than the limit; the rest was read and dropped
}

// Run starts a program, gives it c.Stdin, and waits for it and its family to
// end. It keeps at most limit bytes of each stream, DefaultOutput when limit is
// 0. An exit code other than 0 is not an error. When ctx ends first everything
// is killed, or asked to end before that if the command says so, and the error is
// that of ctx; the result holds what had been read.
func Run(ctx context.Context, c Command, limit int) (*Result, error) {
	if limit <= 0 {
		limit = DefaultOutput
	}
	living, asked := ctx, make(<-chan struct{})
	if c.Ask {
		living, asked = context.WithoutCancel(ctx), ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := Start(living, c)
	if err != nil {
		return nil, err
	}
	var readers sync.WaitGroup
	stdout, stderr := &bounded{limit: limit}, &bounded{limit: limit}
	readers.Go(func() { _, _ = io.Copy(stdout, p.Stdout()) })
	readers.Go(func() { _, _ = io.Copy(stderr, p.Stderr()) })
	go func() {
		if c.Stdin != nil {
			_, _ = io.Copy(p.Stdin(), c.Stdin) // ends when the program stops reading
		}
		p.Stdin().Close()
	}()
	select {
	case <-p.Exited():
	case <-asked:
	}
	ending := p.Stop(0)
	readers.Wait()
	r := &Result{Status: ending.Status, Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes()}
	r.Truncated = stdout.dropped || stderr.dropped
	return r, ctx.Err()
}

// bounded keeps the first bytes written to it and swallows the rest.
type bounded struct {
	kept    bytes.Buffer
	limit   int
	dropped bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.dropped = true
	} else {
		b.kept.Write(p)
	}
	return len(p), nil
}
