package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"omcbuild/internal/process"
)

// lines is the beginning of every script: on(f) calls f with each message, and
// say(x) writes one.
const lines = `
const say = (x) => process.stdout.write(JSON.stringify(x) + "\n");
const answer = (m, result) => say({ jsonrpc: "2.0", id: m.id, result });
const on = (f) => {
  let rest = "";
  process.stdin.on("data", (d) => {
    const parts = (rest + d).split("\n");
    rest = parts.pop();
    for (const p of parts) f(JSON.parse(p));
  });
};
`

// serve starts a server written in JavaScript.
func serve(t *testing.T, options Options, script string) *Client {
	t.Helper()
	return serveContext(t, t.Context(), options, script)
}

func serveContext(t *testing.T, ctx context.Context, options Options, script string) *Client {
	t.Helper()
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(ctx, process.Command{Path: node, Args: []string{"-e", lines + script}, Dir: t.TempDir()}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Kill(); c.Close(0) })
	return c
}

// within returns a context for a call that is expected to be answered.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func raw(format string, args ...any) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(format, args...))
}

func TestCall(t *testing.T) {
	c := serve(t, Options{}, `on((m) => answer(m, { got: m }))`)
	for _, id := range []string{"1", "0", `"text"`, `"\u00e4"`, "-7"} {
		r, err := c.Call(within(t), raw("%s", id), "echo", raw(`{"x": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(r.Result), `"method":"echo","params":{"x":1}`) || r.Error != nil {
			t.Errorf("id %s: %s", id, r.Raw)
		}
		if r.Elapsed <= 0 || r.At.Before(c.Started()) {
			t.Errorf("id %s: elapsed %v, at %v", id, r.Elapsed, r.At)
		}
	}
	exit := c.Close(time.Minute)
	if !exit.Success() || exit.Step != process.StdinClosed || exit.StdinToExit <= 0 || exit.LeftBehind() {
		t.Errorf("%+v", exit)
	}
	if again := c.Close(0); again.StdinToExit != exit.StdinToExit {
		t.Errorf("second Close: %+v", again)
	}
	if _, err := c.Call(within(t), raw("9"), "echo", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("call after Close: %v", err)
	}
}

func TestCallsMayOverlap(t *testing.T) {
	c := serve(t, Options{}, `const held = []; on((m) => { held.push(m); if (held.length === 20) for (const h of held.reverse()) answer(h, h.params) })`)
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			r, err := c.Call(within(t), raw("%d", i), "hold", raw("[%d]", i))
			if err != nil || string(r.Result) != fmt.Sprintf("[%d]", i) {
				t.Errorf("call %d: %+v, %v", i, r, err)
			}
		})
	}
	calls.Wait()
}

func TestIDInUse(t *testing.T) {
	c := serve(t, Options{}, `let first; on((m) => { if (m.method === "hold") { first = m; say({ jsonrpc: "2.0", method: "held" }) } else answer(first, 1) })`)
	done := make(chan error)
	go func() {
		_, err := c.Call(within(t), raw("1"), "hold", nil)
		done <- err
	}()
	if _, err := c.AwaitNotification(within(t), "held", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(within(t), raw("1"), "hold", nil); err == nil || !strings.Contains(err.Error(), "waits already") {
		t.Errorf("second call with the same id: %v", err)
	}
	if err := c.Notify(within(t), "release", nil); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestResultIsNotTouched(t *testing.T) {
	const result = `{"b": 1.0, "a":1e2,  "b":[ ], "u":"\u0041\ud800"}`
	c := serve(t, Options{}, `on((m) => process.stdout.write('{"jsonrpc":"2.0","id":1,"result":`+strings.ReplaceAll(result, `\`, `\\`)+`}\r\n'))`)
	r, err := c.Call(within(t), raw("1"), "x", nil)
	if err != nil || string(r.Result) != result {
		t.Errorf("%s, %v", r.Result, err)
	}
}

func TestErrorAnswer(t *testing.T) {
	c := serve(t, Options{}, `on((m) => say({ jsonrpc: "2.0", id: m.id, error: { code: -32601, message: "no such method", data: [1] } }))`)
	r, err := c.Call(within(t), raw("1"), "x", nil)
	if err != nil || r.Result != nil || r.Error.Code != -32601 || r.Error.Message != "no such method" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSendJoinsLines(t *testing.T) {
	c := serve(t, Options{}, `on((m) => answer(m, m.params))`)
	r, err := c.Exchange(within(t), raw("{\n \"jsonrpc\": \"2.0\",\r\n \"id\": 1, \"method\": \"x\", \"params\": [1, \"\\n\"]\n}"))
	if err != nil || string(r.Result) != `[1,"\n"]` {
		t.Errorf("%+v, %v", r, err)
	}
	if err := c.Send(within(t), raw("{\n")); err == nil {
		t.Error("half a message was sent")
	}
	if _, err := c.Exchange(within(t), raw(`{"jsonrpc":"2.0","method":"x"}`)); err == nil {
		t.Error("a notification was waited for")
	}
}

func TestTimeout(t *testing.T) {
	c := serve(t, Options{}, `let late; on((m) => { if (m.method === "slow") late = m; else { answer(late, "late"); answer(m, "now") } })`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := c.Call(ctx, raw("1"), "slow", nil)
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.Method != "slow" || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v", err)
	}
	// The conversation goes on, and the late answer is put aside.
	if r, err := c.Call(within(t), raw("2"), "quick", nil); err != nil || string(r.Result) != `"now"` {
		t.Fatalf("%+v, %v", r, err)
	}
	if strays := c.Record().Strays; len(strays) != 1 || strays[0].Kind != Again || string(strays[0].ID) != "1" {
		t.Errorf("strays = %+v", strays)
	}
}

func TestCancelledCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := serve(t, Options{}, `on((m) => say({ jsonrpc: "2.0", method: "asked" }))`)
	go func() {
		_, _ = c.AwaitNotification(t.Context(), "asked", 0)
		cancel()
	}()
	if _, err := c.Call(ctx, raw("1"), "x", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestStartFails(t *testing.T) {
	if _, err := Start(t.Context(), process.Command{Path: "/nowhere/node", Dir: t.TempDir()}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestContextEndsTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := serveContext(t, ctx, Options{}, `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); on((m) => answer(m, 1))`)
	if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
		t.Fatal(err)
	}
	cancel()
	var exit *ExitError
	if _, err := c.Call(within(t), raw("2"), "x", nil); !errors.As(err, &exit) {
		t.Errorf("call after the end of the context: %v", err)
	}
	if got := c.Close(time.Minute); got.Signal != "SIGKILL" {
		t.Errorf("%+v", got)
	}
}
