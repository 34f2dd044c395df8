package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/process"
)

func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&ExitError{Status: process.ExitStatus{Code: 3}}, "the server ended: exit code 3"},
		{&ExitError{Status: process.ExitStatus{Code: -1, Signal: "SIGSEGV"}}, "the server ended: killed by SIGSEGV"},
		{&OutputClosedError{}, "the server closed its standard output and still runs"},
		{&BudgetError{Line: 7, Limit: 100}, "line 7 of stdout is longer than 100 bytes"},
		{&BudgetError{Line: 7, Limit: 100, Total: true}, "the server wrote more than 100 bytes to stdout"},
		{&FramingError{Framing: ContentLength, Line: 2}, "line 2 of stdout: the server sends Content-Length headers"},
		{&TimeoutError{Method: "ping", After: 1500 * time.Millisecond, cause: context.DeadlineExceeded}, "no answer to ping within 1.5s"},
		{&MisansweredError{Method: "ping", Sent: raw("1"), Stray: Stray{ID: raw(`"1"`)}}, `ping was sent with id 1 and answered with id "1"`},
		{&MisansweredError{Method: "ping", Sent: raw("1")}, "ping was sent with id 1 and answered with id absent"},
		{&RPCError{Code: -32601, Message: "no such method"}, "error -32601: no such method"},
		{&writeError{io.ErrClosedPipe}, "writing to the server: io: read/write on closed pipe"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%T: %s, want %s", test.err, got, test.want)
		}
	}
}

func TestErrorsUnwrap(t *testing.T) {
	if !errors.Is(&TimeoutError{cause: context.DeadlineExceeded}, context.DeadlineExceeded) {
		t.Error("a timeout is no exceeded deadline")
	}
	if !errors.Is(&writeError{io.ErrClosedPipe}, io.ErrClosedPipe) {
		t.Error("a failed write hides its cause")
	}
}

// Whatever ends a conversation is told to the call that waits, to the next one,
// to those who wait for a notification, and to those who watch.
func TestTheEndIsToldToEverybody(t *testing.T) {
	c := serve(t, Options{}, `on((m) => process.exit(7))`)
	var exit *ExitError
	_, err := c.Call(within(t), raw("1"), "x", nil)
	if !errors.As(err, &exit) || exit.Status.Code != 7 {
		t.Fatalf("the call that waits: %v", err)
	}
	<-c.Down()
	calls := map[string]func() error{
		"Err":  c.Err,
		"Send": func() error { return c.Send(within(t), raw("{}")) },
		"Call": func() error { _, err := c.Call(within(t), raw("2"), "x", nil); return err },
		"AwaitNotification": func() error {
			_, err := c.AwaitNotification(within(t), "x", 0)
			return err
		},
	}
	for name, call := range calls {
		if got := call(); !errors.Is(got, err) {
			t.Errorf("%s: %v, want %v", name, got, err)
		}
	}
}

func TestAwaitNotification(t *testing.T) {
	c := serve(t, Options{}, `say({ jsonrpc: "2.0", method: "early", params: { n: 1 } }); on((m) => say({ jsonrpc: "2.0", method: "late" }))`)
	if m, err := c.AwaitNotification(within(t), "early", 0); err != nil || string(m.Params) != `{"n":1}` {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := c.AwaitNotification(within(t), "early", 0); err != nil || m.Method != "early" {
		t.Errorf("asked again: %+v, %v", m, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var timeout *TimeoutError
	if _, err := c.AwaitNotification(soon, "late", 0); !errors.As(err, &timeout) || timeout.Method != "late" {
		t.Errorf("too early: %v", err)
	}
	if err := c.Notify(within(t), "now", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AwaitNotification(within(t), "late", 0); err != nil {
		t.Error(err)
	}
}

// A server that writes only nonsense while it is closed is stopped all the same,
// and the record says why.
func TestOverrunWhileClosing(t *testing.T) {
	c := serve(t, Options{Limits: Limits{TotalBytes: 1 << 16}}, `
		on((m) => answer(m, 1));
		process.stdin.on("end", () => { const flood = () => process.stdout.write("x\n".repeat(1e4), flood); flood(); })`)
	if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
		t.Fatal(err)
	}
	exit := c.Close(time.Minute)
	var budget *BudgetError
	if !errors.As(c.Record().Overrun, &budget) || exit.Signal != "SIGKILL" {
		t.Errorf("overrun %v, exit %+v", c.Record().Overrun, exit)
	}
	if !errors.Is(c.Err(), ErrClosed) {
		t.Errorf("Err() = %v, want what came first", c.Err())
	}
}

func TestRecordIsACopy(t *testing.T) {
	c := serve(t, Options{}, `console.log("noise"); console.error("complaint"); say({ jsonrpc: "2.0", method: "n" }); on((m) => answer(m, 1))`)
	if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
		t.Fatal(err)
	}
	c.Close(time.Minute)
	first := c.Record()
	first.Noise[0].Text, first.Stderr[0] = "changed", "changed"
	first.Notifications[0].Method = "changed"
	second := c.Record()
	if second.Noise[0].Text != "noise" || second.Stderr[0] != "complaint" || second.Notifications[0].Method != "n" {
		t.Errorf("%+v", second)
	}
	if second.Lines != 3 || second.Bytes != int64(len("noise\n")+len(`{"jsonrpc":"2.0","method":"n"}`+"\n")+len(`{"jsonrpc":"2.0","id":1,"result":1}`+"\n")) {
		t.Errorf("%d lines, %d bytes", second.Lines, second.Bytes)
	}
}

func TestAnswerTo(t *testing.T) {
	answers := map[string]json.RawMessage{"roots/list": raw(`{"roots":[]}`)}
	tests := []struct{ request, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{`{"jsonrpc":"2.0","id":"a","method":"roots/list"}`, `{"jsonrpc":"2.0","id":"a","result":{"roots":[]}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"un\"known"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: un\"known"}}`},
	}
	for _, test := range tests {
		m, ok := Parse([]byte(test.request))
		if got := string(answerTo(&m, answers)); !ok || got != test.want {
			t.Errorf("%s: %s, want %s", test.request, got, test.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	tests := []struct{ message, want string }{
		{`{"a": 1}`, "{\"a\": 1}\n"}, // as it is
		{"{\n  \"a\": 1\n}", "{\"a\":1}\n"},
		{"{\"a\":\r1}", "{\"a\":1}\n"},
	}
	for _, test := range tests {
		message := raw("%s", test.message)
		got, err := oneLine(message)
		if err != nil || string(got) != test.want || strings.Count(string(got), "\n") != 1 {
			t.Errorf("%q: %q, %v", test.message, got, err)
		}
		if string(message) != test.message {
			t.Errorf("%q was changed to %q", test.message, message)
		}
	}
}
