package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// queueLength is how many messages may wait for a server that does not read.
const queueLength = 64

// write is a line on its way to the server.
type write struct {
	line []byte
	done chan error // takes one; nil when nobody wants to know
}

// writeError says that the server's input takes nothing any more.
type writeError struct{ cause error }

func (e *writeError) Error() string { return "writing to the server: " + e.cause.Error() }
func (e *writeError) Unwrap() error { return e.cause }

// Send sends one message as a line and returns when it is written. Bytes are sent
// as they are; only a message that is spread over several lines is joined.
func (c *Client) Send(ctx context.Context, message json.RawMessage) error {
	line, err := oneLine(message)
	if err != nil {
		return err
	}
	w := write{line: line, done: make(chan error, 1)}
	select {
	case c.writes <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.down:
		return c.Err()
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.down:
		return c.Err()
	}
}

func oneLine(message json.RawMessage) ([]byte, error) {
	if bytes.ContainsAny(message, "\r\n") {
		var joined bytes.Buffer
		if err := json.Compact(&joined, message); err != nil {
			return nil, fmt.Errorf("message is not JSON: %w", err)
		}
		message = joined.Bytes()
	}
	return append(append(make([]byte, 0, len(message)+1), message...), '\n'), nil
}

// reply queues an answer to the server without waiting. A server that asks and
// does not read its answers loses them.
func (c *Client) reply(message json.RawMessage) {
	select {
	case c.writes <- write{line: append(message, '\n')}:
	default:
	}
}

// writeStdin writes what is queued until the conversation ends. The end of the
// process ends a write that waits.
func (c *Client) writeStdin() {
	for {
		select {
		case w := <-c.writes:
			_, err := c.process.Stdin().Write(w.line)
			if err != nil {
				err = &writeError{err}
			}
			if w.done != nil {
				w.done <- err
			}
		case <-c.down:
			return
		}
	}
}
