package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
)

// Names that no server knows.
const (
	noSuchMethod = "omcbuild/no-such-method"
	noSuchTool   = "__omcbuild_no_such_tool__"
)

// CallResult is what calling one tool gave.
type CallResult struct {
	Tool    string
	Result  json.RawMessage // nil when there was none
	IsError bool            // the result says that the tool failed
	Text    string          // first text of the result, or what went wrong
	Elapsed time.Duration
}

// check tries, once the tools are listed, what a client does later: things that
// the server does not know, and a ping.
func (t *talk) check() {
	if !t.Listed {
		return
	}
	for _, step := range []func(){t.checkUnknownTool, t.checkUnknownMethod, t.checkPing} {
		if t.failure == nil {
			step()
		}
	}
}

// callAll makes the calls that were asked for.
func (t *talk) callAll() {
	for _, call := range t.options.Call {
		if t.Listed && t.failure == nil {
			t.call(call)
		}
	}
}

// try is ask for a check: no answer in time is a finding and not the end.
func (t *talk) try(code, what string, message json.RawMessage) *stdio.Reply {
	reply, err := t.ask(checkPatience, message)
	var timeout *stdio.TimeoutError
	var misanswered *stdio.MisansweredError
	switch {
	case err == nil:
		return reply
	case errors.As(err, &timeout):
		t.found.Add(diag.Diagnostic{
			Code: code, Message: fmt.Sprintf("does not answer %s within %.0f s", what, timeout.After.Seconds()),
			Hint: "answer every request, with an error where there is nothing else to say; a client waits for it until its time is up",
		})
	case errors.As(err, &misanswered):
		t.found.Add(wrongID(misanswered, diag.Error))
	default:
		t.fail(what, err)
	}
	return nil
}

func (t *talk) checkUnknownTool() {
	reply := t.try("unknown-tool", "a call of an unknown tool", t.callRequest(Call{Name: noSuchTool}))
	if reply == nil || reply.Error != nil || string(object(reply.Result)["isError"]) == "true" {
		return
	}
	t.found.Add(diag.Diagnostic{
		Code: "unknown-tool", Level: diag.Warning, Message: "answers a call of an unknown tool as if it had succeeded",
		Hint: `answer with an error, or with a result that has "isError": true, so that the model notices`,
	})
}

func (t *talk) checkUnknownMethod() {
	reply := t.try("unknown-method", "an unknown method", request(t.id(), noSuchMethod, "", t.Generation))
	if reply == nil || reply.Error != nil {
		return
	}
	t.found.Add(diag.Diagnostic{
		Code: "unknown-method", Level: diag.Warning, Message: "answers an unknown method with a result",
		Hint: "answer with error -32601; clients ask for methods of newer protocols to find out what a server knows",
	})
}

// checkPing pings; the stateless generation has none.
func (t *talk) checkPing() {
	if t.Generation != Legacy {
		return
	}
	reply := t.try("ping-unanswered", "ping", request(t.id(), "ping", "", t.Generation))
	if reply == nil || reply.Error == nil {
		return
	}
	d := refused("ping-unanswered", "ping", reply.Error)
	d.Level, d.Hint = diag.Warning, "answer ping with an empty result; clients use it to see whether a server lives"
	t.found.Add(d)
}

// call calls a tool that the user named. Each call has as much time as the
// conversation up to here.
func (t *talk) call(c Call) {
	ctx, cancel := context.WithTimeout(t.whole, t.options.Timeout)
	defer cancel()
	defer func(before context.Context) { t.ctx = before }(t.ctx)
	t.ctx = ctx
	reply, err := t.ask(t.options.Timeout, t.callRequest(c))
	result := CallResult{Tool: c.Name}
	switch {
	case err != nil:
		var timeout *stdio.TimeoutError
		var misanswered *stdio.MisansweredError
		if !errors.As(err, &timeout) && !errors.As(err, &misanswered) {
			t.fail("the call of "+c.Name, err)
			return
		}
		result.IsError, result.Text = true, err.Error()
	case reply.Error != nil:
		result.IsError, result.Text, result.Elapsed = true, stdio.Visible([]byte(reply.Error.Error()), 400), reply.Elapsed
	default:
		members := object(reply.Result)
		result.Result, result.Elapsed = reply.Result, reply.Elapsed
		result.IsError, result.Text = string(members["isError"]) == "true", firstText(members["content"])
	}
	t.Calls = append(t.Calls, result)
	if result.IsError {
		t.found.Add(diag.Diagnostic{
			Code: "tool-call", Tool: c.Name, Message: fmt.Sprintf("calling %s fails: %s", c.Name, result.Text),
			Hint: callHint(result.Text),
		})
	}
}

func (t *talk) callRequest(c Call) json.RawMessage {
	arguments := c.Arguments
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	return request(t.id(), "tools/call", member("name", c.Name)+","+member("arguments", arguments), t.Generation)
}

func firstText(content json.RawMessage) string {
	var parts []json.RawMessage
	_ = json.Unmarshal(content, &parts) // none when it is something else
	for _, part := range parts {
		if text, ok := stringValue(object(part)["text"]); ok {
			return stdio.Visible([]byte(text), 400)
		}
	}
	return ""
}
