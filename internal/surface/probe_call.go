package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/project"
	"omcbuild/internal/stdio"
)

// CallResult is what calling one tool gave.
type CallResult struct {
	Tool     string
	Unlisted bool            // the server lists no such tool, so it was not called
	Result   json.RawMessage // nil when there was none
	IsError  bool            // the result says that the tool failed
	Text     string          // first text of the result, or what went wrong
	Elapsed  time.Duration
}

// callAll makes the calls that were asked for.
func (t *talk) callAll() {
	for _, call := range t.options.Call {
		if t.Listed && t.failure == nil {
			t.call(call)
		}
	}
	if t.options.CallReadOnly && len(t.options.Call) == 0 && t.Listed {
		t.callReadOnly()
	}
}

// call calls a tool that the user named. Each call has as much time as the
// conversation up to here.
func (t *talk) call(c Call) {
	if !slices.ContainsFunc(t.Surface.Tools, func(tool Tool) bool { return tool.Name == c.Name }) {
		t.unlisted(c.Name)
		return
	}
	ctx, cancel := context.WithTimeout(t.whole, t.options.Timeout)
	defer cancel()
	defer func(before context.Context) { t.ctx = before }(t.ctx)
	t.ctx = ctx
	reply, err := t.ask(t.options.Timeout, t.callRequest(c))
	result := CallResult{Tool: c.Name}
	byServer := false
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
		byServer = reply.Error.Code == invalidParams
	default:
		members := object(reply.Result)
		result.Result, result.Elapsed = reply.Result, reply.Elapsed
		result.IsError, result.Text = string(members["isError"]) == "true", firstText(members["content"])
	}
	t.Calls = append(t.Calls, result)
	if result.IsError {
		t.found.Add(diag.Diagnostic{
			Code: "tool-call", Tool: c.Name, Message: fmt.Sprintf("calling %s fails: %s", c.Name, result.Text),
			Hint: callHint(result.Text, byServer),
		})
	}
}

// invalidParams is the error code for arguments that do not fit.
const invalidParams = -32602

// aboutArguments matches how SDKs refuse arguments that do not fit the schema.
var aboutArguments = lazyregexp.New(`(?i)invalid (?:arguments|params)|input validation|invalid_type|unrecognized_keys`)

// callHint says where the fault of a call lies: with its arguments, when the server
// refused them, or with the tool.
func callHint(text string, refused bool) string {
	if refused || aboutArguments.MatchString(text) {
		return "call it with arguments that its schema allows; omcbuild tools lists them"
	}
	return remedyFor(text, "the tool was called and answered with this error itself; look at its handler")
}

// unlisted reports a call of a tool that the server does not have.
func (t *talk) unlisted(name string) {
	t.Calls = append(t.Calls, CallResult{Tool: name, Unlisted: true, IsError: true, Text: "is not listed"})
	var names []string
	for _, tool := range t.Surface.Tools {
		names = append(names, tool.Name)
	}
	hint := "the server has no tools"
	if near := project.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "; omcbuild tools lists all " + fmt.Sprint(len(names))
	} else if len(names) > 0 {
		more := ""
		if len(names) > mostNames {
			more = fmt.Sprintf(" and %d more, which omcbuild tools lists", len(names)-mostNames)
		}
		hint = "the tools are " + strings.Join(names[:min(mostNames, len(names))], ", ") + more
	}
	t.found.Add(diag.Diagnostic{Code: "tool-call", Tool: name, Message: "lists no tool " + stdio.Visible([]byte(name), 80) + ", so that it was not called", Hint: hint})
}

// mostNames is how many tools a hint names.
const mostNames = 12

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
