package surface

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

// diagnoseFailure says why a conversation ended early.
func (c *Conversation) diagnoseFailure(o *ProbeOptions) diag.Diagnostic {
	var (
		exit        *stdio.ExitError
		timeout     *stdio.TimeoutError
		misanswered *stdio.MisansweredError
		framing     *stdio.FramingError
		budget      *stdio.BudgetError
	)
	switch err := c.failure.err; {
	case errors.As(err, &exit):
		return c.exited(exit.Status, o)
	case errors.As(err, &timeout):
		return diag.Diagnostic{
			Code:    "no-answer",
			Message: fmt.Sprintf("does not answer %s; given up %.0f s after the start%s", c.failure.method, c.failure.after.Seconds(), c.lastWords()),
			Hint:    "the client gives up after 30 s and shows only that the connection failed; look for work that blocks the start, or a transport that is never connected to stdin",
		}
	case errors.As(err, &misanswered):
		return wrongID(misanswered, diag.Error)
	case errors.As(err, &framing):
		return diag.Diagnostic{
			Code:    "stdout-framing",
			Message: fmt.Sprintf("sends %s (line %d of stdout) instead of one message a line", framing.Framing, framing.Line),
			Hint:    "write each message as one line of JSON followed by a line end; the client understands nothing else and gives up after 30 s",
		}
	case errors.As(err, &budget):
		return diag.Diagnostic{
			Code: "output-too-large", Message: "was stopped: " + budget.Error(),
			Hint: "a client reads every byte of this; page long lists and send logs to stderr",
		}
	default:
		return diag.Diagnostic{
			Code: "connection-lost", Message: fmt.Sprintf("cannot be asked for %s: %v%s", c.failure.method, err, c.lastWords()),
			Hint: "keep stdin and stdout open until the client closes them",
		}
	}
}

// exited judges the end of the process while it was needed.
func (c *Conversation) exited(status process.ExitStatus, o *ProbeOptions) diag.Diagnostic {
	crash := readCrash(c.Record.Stderr, o.FileName)
	d := diag.Diagnostic{Position: diag.Position{Line: crash.line}}
	said := ""
	if crash.text != "" {
		said = ": " + crash.text
	}
	hint := "run the same command with --json to read all it wrote to stderr"
	switch {
	case !c.failure.first:
		d.Code = "exits-on-request"
		d.Message = fmt.Sprintf("ends (%s) on %s%s", status, c.failure.method, said)
		hint = "catch errors of one request and answer with them; a server has to outlive every request"
	case status.Success():
		d.Code = "bundle-exits"
		d.Message = "ends with exit code 0 before it answers anything" + said
		hint = "nothing keeps the process running: start the server when the file is run, and read stdin until it ends"
	default:
		d.Code = "bundle-throws"
		d.Message = fmt.Sprintf("ends with %s before it answers anything%s", status, said)
		if status.Signal != "" {
			d.Message = fmt.Sprintf("is %s before it answers anything%s", status, said)
		}
	}
	d.Hint = cmp.Or(crash.unparsed(), remedyFor(crash.text, remedyFor(strings.Join(c.Record.Stderr, "\n"), hint))) +
		"; the client shows only that the connection was closed"
	return d
}

// lastWords quotes the last line of stderr for messages about a server that
// still runs.
func (c *Conversation) lastWords() string {
	for i := len(c.Record.Stderr) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(c.Record.Stderr[i]); text != "" {
			return "; its last line on stderr is: " + text
		}
	}
	return ""
}

func exitsOnDiscover(c *Conversation) diag.Diagnostic {
	var exit *stdio.ExitError
	errors.As(c.failure.err, &exit)
	return diag.Diagnostic{
		Code:    "exits-on-discover",
		Message: fmt.Sprintf("ends (%s) on server/discover, which the client sends first", exit.Status),
		Hint:    "answer requests the server does not know with error -32601, also before initialize; the client has to start it twice, and other clients give up",
	}
}

func onlyStateless() diag.Diagnostic {
	return diag.Diagnostic{
		Code: "legacy-refused", Level: diag.Warning,
		Message: "refuses initialize: only clients of protocol " + statelessVersion + " can use it",
		Hint:    "serve both generations, as the SDK's serveStdio does",
	}
}

// noiseDiagnostic reports output that is no message.
func noiseDiagnostic(r stdio.Record) diag.Diagnostic {
	first := r.Noise[0]
	d := diag.Diagnostic{
		Code:    "stdout-noise",
		Message: fmt.Sprintf("writes %s to stdout that is no message; line %d reads: %s", plural(r.NoiseLines, "line"), first.Line, first.Text),
		Hint:    "stdout belongs to the protocol: write logs to stderr with console.error; strict clients disconnect, others skip the line without a word",
	}
	lower := strings.ToLower(first.Text)
	switch {
	case first.Swallowed:
		d.Message += " (it holds a message that no client sees, since text without a line end stands before it)"
	case first.Partial:
		d.Message += " (without a line end)"
	}
	switch {
	case strings.Contains(lower, "dotenv"):
		d.Hint = "dotenv prints this since version 17: load it with config({ quiet: true }), or set DOTENV_CONFIG_QUIET=true before it is imported"
	case strings.HasPrefix(first.Text, "{") && strings.Contains(first.Text, `"id"`) && !strings.Contains(first.Text, `"jsonrpc"`):
		d.Hint = `every message needs "jsonrpc": "2.0"; without it clients skip the line`
	case strings.HasPrefix(first.Text, `[{"`) && strings.Contains(first.Text, `"jsonrpc"`):
		d.Hint = "send one message a line; batches are not part of the protocol"
	}
	return d
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
