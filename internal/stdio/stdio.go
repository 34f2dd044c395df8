// Package stdio talks to a server process in the way MCP does over standard
// input and output: JSON-RPC 2.0, one message a line.
//
// A Client owns one process from Start to Close. It never decodes more than the
// envelope of a message: results, parameters and errors stay the bytes that the
// server wrote, so whoever compares, stores or forwards them does so faithfully.
//
// No server can harm its client. Lines may be as long as the budget of Options
// allows and not a byte longer; standard error is always drained and only its
// first and last lines are kept; a line that is no message is noise, counted and
// quoted; a request that the server sends is answered at once; an answer that
// belongs to no request is kept as a Stray. What ends a conversation for good,
// such as the end of the process or a line over budget, is one of the error
// types of this package, and every call that waits gets it.
package stdio

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"omcbuild/internal/process"
)

// Limits bound what a server can make us keep. The zero value has the defaults.
type Limits struct {
	LineBytes   int64 // longest line on stdout; 128 MiB when 0
	TotalBytes  int64 // all of stdout; without bound when 0
	NoiseLines  int   // lines of noise that are kept; 20 when 0
	NoiseBytes  int   // bytes of each; 200 when 0
	StderrLines int   // first, and as many last, lines of stderr that are kept; 40 when 0
}

// Options say how to treat a server.
type Options struct {
	Limits
	// Answers are results for requests that the server may send, by method. Ping
	// is always answered; a method that is not here gets error -32601.
	Answers map[string]json.RawMessage
}

func (l *Limits) setDefaults() {
	if l.LineBytes <= 0 {
		l.LineBytes = 128 << 20
	}
	if l.NoiseLines <= 0 {
		l.NoiseLines = 20
	}
	if l.NoiseBytes <= 0 {
		l.NoiseBytes = 200
	}
	if l.StderrLines <= 0 {
		l.StderrLines = 40
	}
}

// Client is a conversation with one server process.
type Client struct {
	process *process.Process
	options Options
	writes  chan write
	stderr  *tail

	down  chan struct{} // closed when no answer can come any more; failure says why
	read  chan struct{} // closed when stdout has been read to its end
	owned sync.WaitGroup

	mu       sync.Mutex
	failure  error
	pending  map[string]*call
	answered answered
	record   Record
	notified chan struct{} // closed and replaced at each notification
}

// Start starts a server. Errors are those of process.Start; everything that goes
// wrong later is told by the calls. The server and all it started are killed
// when ctx ends. Close is to be called in any case.
func Start(ctx context.Context, command process.Command, options Options) (*Client, error) {
	p, err := process.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	return Over(p, options), nil
}

// Over talks to a server that was started, and of which nothing was read or written yet. It
// belongs to the Client from then on.
func Over(p *process.Process, options Options) *Client {
	options.setDefaults()
	c := &Client{
		process:  p,
		options:  options,
		writes:   make(chan write, queueLength),
		stderr:   newTail(options.StderrLines),
		down:     make(chan struct{}),
		read:     make(chan struct{}),
		pending:  map[string]*call{},
		notified: make(chan struct{}),
	}
	c.owned.Go(c.readStdout)
	c.owned.Go(func() { c.stderr.drain(p.Stderr()) })
	c.owned.Go(c.writeStdin)
	c.owned.Go(c.supervise)
	return c
}

// Started is the moment at which the process was started.
func (c *Client) Started() time.Time { return c.process.Started() }

// PID is the number of the server process.
func (c *Client) PID() int { return c.process.PID() }

// Down is closed when no answer can come any more. Err says why.
func (c *Client) Down() <-chan struct{} { return c.down }

// Err returns what ended the conversation, nil while it goes on.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// fail ends the conversation. Only the first cause counts.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure = err
		close(c.down)
	}
}

// drainGrace is how long the end of the process and the end of its output may
// lie apart.
const drainGrace = 500 * time.Millisecond

// supervise turns the end of the process into the end of the conversation, after
// what it wrote last has been read.
func (c *Client) supervise() {
	select {
	case <-c.read:
	case <-c.process.Exited():
	}
	late := time.NewTimer(drainGrace)
	defer late.Stop()
	select {
	case <-c.read:
	case <-late.C:
	}
	select {
	case <-c.process.Exited():
		status, _ := c.process.Wait(context.Background())
		c.fail(&ExitError{Status: status})
	case <-late.C:
		c.fail(&OutputClosedError{})
	case <-c.down:
	}
}

// Close closes the server's input, waits up to grace for it to exit, ends it and
// its family otherwise, and says how it went. Calls that wait get ErrClosed.
// Later calls return the same.
func (c *Client) Close(grace time.Duration) Exit {
	c.fail(ErrClosed)
	ending := c.process.Stop(grace)
	c.owned.Wait()
	return Exit{
		ExitStatus:  ending.Status,
		Step:        ending.Step,
		StdinToExit: ending.Exit,
		Left:        ending.Left,
		Remaining:   ending.Remaining,
	}
}

// Kill ends the server and its family without asking. Close is still to be
// called.
func (c *Client) Kill() { c.process.Kill() }

// Exit says how a server ended.
type Exit struct {
	process.ExitStatus
	Step        process.Step     // what it took
	StdinToExit time.Duration    // from the end of its input to its exit; 0 when it had ended before
	Left        []process.Member // processes that outlived it and had to be ended
	Remaining   []process.Member // processes that could not be ended
}

// LeftBehind reports whether the server left processes of its family behind.
func (e Exit) LeftBehind() bool { return len(e.Left)+len(e.Remaining) > 0 }
