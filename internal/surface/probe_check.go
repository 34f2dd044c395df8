package surface

import (
	"encoding/json"
	"errors"
	"fmt"

	"omcbuild/internal/diag"
	"omcbuild/internal/stdio"
)

// Names that no server knows.
const (
	noSuchMethod = "omcbuild/no-such-method"
	noSuchTool   = "__omcbuild_no_such_tool__"
)

// check tries, once the tools are listed, what a client does later: things that
// the server does not know, and a ping.
func (t *talk) check() {
	if !t.Listed || t.brief {
		return
	}
	for _, step := range []func(){t.checkUnknownTool, t.checkUnknownMethod, t.checkPing} {
		if t.failure == nil {
			step()
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
