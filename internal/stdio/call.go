package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// strayGrace is how long a call goes on waiting after an answer under a wrong id
// that can only have been meant for it.
const strayGrace = time.Second

// Reply is the answer to a request.
type Reply struct {
	Result  json.RawMessage // as sent; nil when the server answered with an error
	Error   *RPCError       // nil when it did not
	Raw     json.RawMessage // the whole line
	At      time.Time       // when it was read
	Elapsed time.Duration   // since the request was sent
}

// call is a request that waits for its answer.
type call struct {
	id     json.RawMessage
	method string
	sent   time.Time
	open   bool        // its answer is not expected soon
	reply  chan *Reply // takes one
	stray  chan Stray  // takes one
}

// Call sends a request and waits for its answer. An answer that is an error of
// the server is a Reply, not an error. Errors: *TimeoutError when the deadline of
// ctx passed, ctx's own when it was cancelled, *MisansweredError, or what ended
// the conversation (see Err).
func (c *Client) Call(ctx context.Context, id json.RawMessage, method string, params json.RawMessage) (*Reply, error) {
	return c.Exchange(ctx, Request(id, method, params))
}

// Exchange is Call for a request that is written already: one JSON object, which
// is sent as it is.
func (c *Client) Exchange(ctx context.Context, request json.RawMessage) (*Reply, error) {
	m, ok := Parse(request)
	if !ok || !m.IsRequest() {
		return nil, fmt.Errorf("not a JSON-RPC request: %.80s", request)
	}
	waiting := &call{id: m.ID, method: m.Method, sent: time.Now(), reply: make(chan *Reply, 1), stray: make(chan Stray, 1)}
	if err := c.register(waiting); err != nil {
		return nil, err
	}
	defer c.unregister(waiting)
	if err := c.Send(ctx, request); err != nil {
		if down := (*writeError)(nil); !errors.As(err, &down) {
			return nil, waiting.timeout(err)
		}
		// The server no longer reads. It may have answered all the same; else
		// what ended it is on its way.
	}
	return c.await(ctx, waiting)
}

// Open sends a request whose answer may take as long as the conversation, such as
// a subscription. The answer, if one comes, can be received from the channel;
// when the conversation ends without one, nothing is.
func (c *Client) Open(ctx context.Context, request json.RawMessage) (<-chan *Reply, error) {
	m, ok := Parse(request)
	if !ok || !m.IsRequest() {
		return nil, fmt.Errorf("not a JSON-RPC request: %.80s", request)
	}
	waiting := &call{id: m.ID, method: m.Method, sent: time.Now(), open: true, reply: make(chan *Reply, 1), stray: make(chan Stray, 1)}
	if err := c.register(waiting); err != nil {
		return nil, err
	}
	if err := c.Send(ctx, request); err != nil {
		c.unregister(waiting)
		return nil, err
	}
	return waiting.reply, nil
}

func (c *Client) await(ctx context.Context, waiting *call) (*Reply, error) {
	var lost <-chan time.Time
	var stray Stray
	for {
		select {
		case r := <-waiting.reply:
			return r, nil
		case stray = <-waiting.stray:
			lost = time.After(strayGrace)
		case <-lost:
			return nil, &MisansweredError{Method: waiting.method, Sent: waiting.id, Stray: stray}
		case <-ctx.Done():
			return nil, waiting.timeout(ctx.Err())
		case <-c.down:
			select {
			case r := <-waiting.reply: // it came first
				return r, nil
			default:
				return nil, c.Err()
			}
		}
	}
}

func (w *call) timeout(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &TimeoutError{Method: w.method, After: time.Since(w.sent), cause: err}
}

func (c *Client) register(w *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(w.id)
	if _, taken := c.pending[key]; taken {
		return fmt.Errorf("%s: a request with id %s waits already", w.method, w.id)
	}
	c.pending[key] = w
	return nil
}

func (c *Client) unregister(w *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, idKey(w.id))
	c.answered.add(idKey(w.id))
}

// Notify sends a notification. Params may be nil.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return c.Send(ctx, Request(nil, method, params))
}

// AwaitNotification waits for a notification of the server, and returns at once
// when one of that method has come already and is among those kept. As many as
// earlier says are passed over.
func (c *Client) AwaitNotification(ctx context.Context, method string, earlier int) (Message, error) {
	started := time.Now()
	for {
		c.mu.Lock()
		passed := 0
		for _, m := range c.record.Notifications {
			if m.Method != method {
				continue
			}
			if passed++; passed > earlier {
				c.mu.Unlock()
				return m, nil
			}
		}
		notified := c.notified
		c.mu.Unlock()
		select {
		case <-notified:
		case <-c.down:
			return Message{}, c.Err()
		case <-ctx.Done():
			waited := &call{method: method, sent: started}
			return Message{}, waited.timeout(ctx.Err())
		}
	}
}
