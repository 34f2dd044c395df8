package surface

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

// Generation is the kind of protocol that a conversation ended up in.
type Generation string

// The two generations.
const (
	Legacy Generation = "handshake" // initialize, then requests: versions up to 2025-11-25
	Modern Generation = "stateless" // every request says who asks: version 2026-07-28
)

// Conversation is what happened between one process of the server and one client.
type Conversation struct {
	Generation Generation // empty when the server answered neither
	// Times from the start of the process to the answer; 0 when there was none.
	Discover, Initialize, List time.Duration
	Surface                    Surface // as offered in this conversation
	Listed                     bool    // all pages of tools/list were answered
	Exchanges                  []Exchange
	Calls                      []CallResult
	Record                     stdio.Record // the rest: noise, strays, requests of the server, stderr
	Exit                       stdio.Exit
	Written                    []string // files of the plugin's folder that appeared or got another size, where that is a copy of Tree

	found   diag.List // what is wrong that only this conversation shows
	failure *failure  // what ended it early
	late    bool      // discover was not answered in time
	lost    bool      // it did not take a second initialize well, so its end says nothing

	listedAt time.Time // when the last page of tools was there, else when it ended
}

// Exchange is one request and its answer.
type Exchange struct {
	Method  string
	Request json.RawMessage
	Answer  json.RawMessage // the whole line; nil when there was none
	Elapsed time.Duration   // until the answer
}

// failure is why a conversation could not go on.
type failure struct {
	method string        // that was being asked for
	err    error         // an error type of stdio
	first  bool          // nothing had been answered before
	after  time.Duration // since the start of the process
}

// How long single steps may take, besides the time for the whole.
const (
	discoverPatience = 3 * time.Second // the client's
	checkPatience    = 5 * time.Second
	exitPatience     = 5 * time.Second
	exitHaste        = 500 * time.Millisecond
)

// talk is a conversation while it is held.
type talk struct {
	*Conversation
	whole   context.Context // that of the caller
	ctx     context.Context // ends with the time for the conversation
	options *ProbeOptions
	client  *stdio.Client
	nextID  int
	brief   bool // nothing is tried once the tools are listed
}

// converse starts the bundle in a folder of its own, holds a conversation and
// ends the process. With after, it is held elsewhere, and after is called with the
// folder as the process left it. The error says that the process could not be started.
func converse(ctx context.Context, o *ProbeOptions, hold func(*talk), after func(*folder, *Conversation)) (*Conversation, error) {
	f, started, err := startServer(ctx, o, after != nil)
	if err != nil {
		return nil, err
	}
	defer f.Remove()
	client := stdio.Over(started, stdio.Options{
		Limits:  o.Limits,
		Answers: map[string]json.RawMessage{"roots/list": json.RawMessage(`{"roots":[{` + member("uri", "file://"+f.path("project")) + `}]}`)},
	})
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	t := &talk{Conversation: &Conversation{}, whole: ctx, ctx: limited, options: o, client: client, nextID: 1}
	hold(t)
	t.end()
	if o.Tree != "" {
		t.Written = f.written(o)
	}
	for i, text := range t.Record.Stderr {
		t.Record.Stderr[i] = f.shorten.Replace(text)
	}
	for i := range t.Record.Noise {
		t.Record.Noise[i].Text = f.shorten.Replace(t.Record.Noise[i].Text)
	}
	if after != nil {
		after(f, t.Conversation)
	}
	return t.Conversation, ctx.Err()
}

// startServer starts the bundle in a folder of its own, which the caller removes, or lets
// a process that waits for it in one go on.
func startServer(ctx context.Context, o *ProbeOptions, elsewhere bool) (*folder, *process.Process, error) {
	if f, p, err := o.Standby.take(ctx, o, elsewhere); f != nil || err != nil {
		return f, p, err
	}
	f, err := newFolder(o)
	if err != nil {
		return nil, nil, err
	}
	command, err := f.start(o, elsewhere)
	if err == nil {
		var p *process.Process
		if p, err = process.Start(ctx, command); err == nil {
			return f, p, nil
		}
		if command.Path != o.Node && ctx.Err() == nil {
			err = &StartError{err}
		} else {
			err = noNode(o.Node, err)
		}
	}
	f.Remove()
	return nil, nil, err
}

// end closes the server's input and waits for it to go. A server that has failed
// gets less time, because nothing more is learned from it.
func (t *talk) end() {
	patience := exitPatience
	if t.failure != nil || t.lost {
		patience = exitHaste
	}
	if !t.Listed {
		t.listedAt = time.Now()
	}
	t.Exit = t.client.Close(patience)
	t.Record = t.client.Record()
	if t.Record.Overrun != nil {
		t.fail("the rest", t.Record.Overrun)
	}
}

// ask sends a request and waits for its answer, at most for the time given. It
// returns nil when there is none; the failure is then in the error.
func (t *talk) ask(patience time.Duration, message json.RawMessage) (*stdio.Reply, error) {
	m, _ := stdio.Parse(message)
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	reply, err := t.client.Exchange(ctx, message)
	exchange := Exchange{Method: m.Method, Request: message}
	if err == nil {
		exchange.Answer, exchange.Elapsed = reply.Raw, reply.Elapsed
	}
	t.Exchanges = append(t.Exchanges, exchange)
	return reply, err
}

// need is ask for a request without whose answer the conversation cannot go on.
func (t *talk) need(message json.RawMessage) *stdio.Reply {
	reply, err := t.ask(t.options.Timeout, message)
	if err != nil {
		m, _ := stdio.Parse(message)
		t.fail(m.Method, err)
		return nil
	}
	return reply
}

func (t *talk) fail(method string, err error) {
	if t.failure == nil {
		t.failure = &failure{method: method, err: err, first: !t.answered(), after: time.Since(t.client.Started())}
	}
}

// answered reports whether the server has answered anything.
func (t *talk) answered() bool {
	for _, e := range t.Exchanges {
		if e.Answer != nil {
			return true
		}
	}
	return false
}

// id returns a request id that has not been used.
func (t *talk) id() int {
	t.nextID++
	return t.nextID
}

func (t *talk) since(reply *stdio.Reply) time.Duration { return reply.At.Sub(t.client.Started()) }

// asCurrentClient begins with server/discover, and makes at the end the calls
// that were asked for: once only, since they may have effects.
func (t *talk) asCurrentClient() {
	t.discover()
	t.callAll()
}

// discover sends server/discover and goes on in the generation that the answer
// asks for.
func (t *talk) discover() {
	reply, err := t.ask(discoverPatience, json.RawMessage(discoverProbe))
	var timeout *stdio.TimeoutError
	var misanswered *stdio.MisansweredError
	switch {
	case errors.As(err, &timeout):
		t.late = true
		t.handshake()
	case errors.As(err, &misanswered):
		t.found.Add(wrongID(misanswered, diag.Warning))
		t.handshake()
	case err != nil:
		t.fail("server/discover", err)
	case reply.Error != nil:
		t.handshake()
	case !offersStateless(reply.Result):
		t.found.Add(discoverInvalid())
		t.handshake()
	default:
		t.Discover = t.since(reply)
		t.stateless(reply.Result)
	}
}

// asOlderClient begins with initialize, and tries at the end which older
// versions the server speaks.
func (t *talk) asOlderClient() {
	t.handshake()
	if t.Listed && t.failure == nil {
		t.reinitialize()
	}
}

// handshake is the conversation of the generation that begins with initialize.
func (t *talk) handshake() {
	t.greet()
	t.check()
}

// greet is the start-up of a client that begins with initialize.
func (t *talk) greet() {
	reply := t.need(initializeRequest(0, handshakeVersion))
	if reply == nil {
		return
	}
	t.Generation = Legacy
	if reply.Error != nil {
		t.found.Add(refused("initialize-error", "initialize", reply.Error))
		return
	}
	t.Initialize = t.since(reply)
	t.readHello(reply.Result)
	if err := t.client.Send(t.ctx, json.RawMessage(initialized)); err != nil {
		t.fail("notifications/initialized", err)
		return
	}
	t.list()
}

// stateless is the conversation of the generation without a handshake.
func (t *talk) stateless(discovered json.RawMessage) {
	t.Generation = Modern
	t.readDiscovered(discovered)
	t.listen(discovered)
	if t.failure != nil {
		return
	}
	if reply := t.need(json.RawMessage(discoverAgain)); reply == nil {
		return
	} else if reply.Error != nil {
		t.found.Add(refused("discover-invalid", "the second server/discover", reply.Error))
	}
	t.list()
	t.check()
}

// listen asks for the notifications that the server says it sends, and waits for
// it to confirm.
func (t *talk) listen(discovered json.RawMessage) {
	wanted := changeNotifications(discovered)
	if len(wanted) == 0 {
		return
	}
	answer, err := t.client.Open(t.ctx, listenRequest(wanted))
	if err != nil {
		t.fail("subscriptions/listen", err)
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, discoverPatience)
	defer cancel()
	refused := make(chan *stdio.Reply, 1)
	go func() { // the answer comes early only when the subscription is refused or has nothing to wait for
		select {
		case reply := <-answer:
			refused <- reply
			cancel()
		case <-ctx.Done():
		}
	}()
	message, err := t.client.AwaitNotification(ctx, acknowledgment, 0)
	t.Exchanges = append(t.Exchanges, Exchange{Method: "subscriptions/listen", Request: listenRequest(wanted), Answer: message.Raw})
	if err == nil || t.client.Err() != nil {
		return
	}
	select {
	case reply := <-refused:
		t.found.Add(notAcknowledged(reply))
	default:
		t.found.Add(notAcknowledged(nil))
	}
}
