package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"omcbuild/internal/stdio"
)

// What another client than the real one says of itself.
const (
	otherCapabilities = `{}`
	otherInfo         = `{"name":"omcbuild","version":"0"}`
)

// Again says how to hold a conversation once more.
type Again struct {
	Like *Conversation // its start-up is repeated: what was answered up to the last page of tools
	// Other lets another client hold it, which says less of itself and uses other
	// ids, and lets it make one call in the end, of a tool that there is not.
	Other bool
	// Third has it held in a third world: with a clock, a system, a version of Node and a
	// machine that are neither those here nor those elsewhere, in the environment of here.
	Third bool
}

// HoldAgain starts a bundle and holds the start-up of a conversation once more. With
// Other the process is let to its end, else it is killed as soon as it has answered. An
// error of the Conversation (Err) says that it did not get through. The error is as
// that of Run.
func HoldAgain(ctx context.Context, o ProbeOptions, a Again) (*Conversation, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.setDefaults()
	var after func(*folder, *Conversation)
	if o.third = a.Third; a.Third {
		o.Standby, after = nil, func(*folder, *Conversation) {}
	}
	return converse(ctx, &o, func(t *talk) {
		for _, message := range a.messages() {
			if t.repeat(message); t.failure != nil {
				return
			}
		}
		t.Listed = true
		if !a.Other {
			t.client.Kill()
		}
	}, after)
}

// Err is what ended the conversation early, nil for one that was held to its end.
func (c *Conversation) Err() error {
	if c.failure == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.failure.method, c.failure.err)
}

// messages are what the client sends.
func (a Again) messages() (list []json.RawMessage) {
	for _, e := range a.Like.Exchanges {
		switch {
		case e.Method == "tools/call" && !a.Other:
			return list
		case e.Answer == nil:
			continue
		}
		list = append(list, a.message(e.Request, len(list)))
		switch e.Method {
		case "initialize":
			list = append(list, json.RawMessage(initialized))
		case "tools/call":
			return list
		}
	}
	return list
}

func (a Again) message(request json.RawMessage, number int) json.RawMessage {
	if !a.Other {
		return request
	}
	text := strings.NewReplacer(clientInfo, otherInfo, clientCapabilities, otherCapabilities).Replace(string(request))
	before, id, after, ok := stdio.AroundID(json.RawMessage(text))
	if !ok {
		return json.RawMessage(text)
	}
	other := fmt.Sprint(100 + number)
	if id[0] == '"' {
		other = `"other-` + other + `"`
	}
	return json.RawMessage(string(before) + other + string(after))
}

// repeat sends one message and waits for what answers it.
func (t *talk) repeat(message json.RawMessage) {
	m, _ := stdio.Parse(message)
	switch {
	case m.IsNotification():
		if err := t.client.Send(t.ctx, message); err != nil {
			t.fail(m.Method, err)
		}
	case m.Method == "subscriptions/listen":
		if _, err := t.client.Open(t.ctx, message); err != nil {
			t.fail(m.Method, err)
			return
		}
		ctx, cancel := context.WithTimeout(t.ctx, discoverPatience)
		defer cancel()
		earlier := 0
		for _, e := range t.Exchanges {
			if e.Method == m.Method {
				earlier++
			}
		}
		confirmed, err := t.client.AwaitNotification(ctx, acknowledgment, earlier)
		if err != nil {
			t.fail(m.Method, errors.Join(errors.New("is not confirmed"), err))
		}
		t.Exchanges = append(t.Exchanges, Exchange{Method: m.Method, Request: message, Answer: confirmed.Raw})
	default:
		reply := t.need(message)
		if reply == nil {
			return
		}
		switch m.Method {
		case "server/discover":
			t.Discover = t.since(reply)
		case "initialize":
			t.Generation, t.Initialize = Legacy, t.since(reply)
		case "tools/list":
			t.List, t.listedAt = t.since(reply), reply.At
		}
	}
}
