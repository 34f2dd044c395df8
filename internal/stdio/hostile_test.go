package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/process"
)

func TestNoise(t *testing.T) {
	c := serve(t, Options{Limits: Limits{NoiseLines: 3, NoiseBytes: 20}}, `
		console.log("starting up");
		console.log("\u001b[32mgreen\u001b[0m");
		console.log(JSON.stringify({ level: "info", text: "a line of a log that is long" }));
		on((m) => { answer(m, 1); console.log("done"); process.stdout.write("no end") })`)
	if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
		t.Fatal(err)
	}
	c.Close(time.Minute)
	r := c.Record()
	if r.NoiseLines != 5 || r.Lines != 6 || len(r.Noise) != 3 {
		t.Fatalf("%d lines of noise among %d, %d kept", r.NoiseLines, r.Lines, len(r.Noise))
	}
	for i, want := range []Noise{
		{Line: 1, Text: "starting up", Bytes: 11},
		{Line: 2, Text: `\x1b[32mgreen\x1b[0m`, Bytes: 14},
		{Line: 3, Text: `{"level":"info","tex…`, Bytes: 54},
	} {
		if r.Noise[i] != want {
			t.Errorf("noise %d = %+v, want %+v", i, r.Noise[i], want)
		}
	}
}

func TestNoiseWithoutLineEnd(t *testing.T) {
	c := serve(t, Options{}, `process.stdout.write("loading "); on((m) => { answer(m, 1); process.stdout.write("bye"); process.exit(3) })`)
	_, err := c.Call(within(t), raw("1"), "x", nil)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Status.Code != 3 {
		t.Fatalf("%v", err)
	}
	noise := c.Record().Noise
	if len(noise) != 2 || !noise[0].Swallowed || noise[0].Partial || !noise[1].Partial || noise[1].Text != "bye" {
		t.Errorf("%+v", noise)
	}
}

func TestExits(t *testing.T) {
	tests := []struct{ name, script, status, stderr string }{
		{"at once", `process.exit(0)`, "exit code 0", ""},
		{"with a code", `console.error("bad news"); process.exitCode = 4`, "exit code 4", "bad news"},
		{"by an exception", `throw new Error("broken")`, "exit code 1", "Error: broken"},
		{"by a signal", `process.kill(process.pid, "SIGKILL")`, "killed by SIGKILL", ""},
		{"on the request", `on((m) => process.exit(5))`, "exit code 5", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := serve(t, Options{}, test.script)
			_, err := c.Call(within(t), raw("1"), "x", nil)
			var exit *ExitError
			if !errors.As(err, &exit) || exit.Status.String() != test.status {
				t.Fatalf("%v, want %s", err, test.status)
			}
			c.Close(0)
			if text := strings.Join(c.Record().Stderr, "\n"); !strings.Contains(text, test.stderr) {
				t.Errorf("stderr = %s", text)
			}
		})
	}
}

func TestAnswerBeforeTheExitCounts(t *testing.T) {
	c := serve(t, Options{}, `on((m) => { answer(m, 1); process.exit(0) })`)
	if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
		t.Error(err)
	}
	if _, err := c.AwaitNotification(within(t), "never", 0); err == nil {
		t.Error("a notification came out of nowhere")
	}
}

func TestOutputClosed(t *testing.T) {
	c := serve(t, Options{}, `require("fs").closeSync(1); setInterval(() => {}, 1000)`)
	_, err := c.Call(within(t), raw("1"), "x", nil)
	var closed *OutputClosedError
	if !errors.As(err, &closed) {
		t.Errorf("%v", err)
	}
}

func TestExitWithOutputHeldOpen(t *testing.T) {
	c := serve(t, Options{}, `
		const held = require("child_process").spawn("sleep", ["1000"], { detached: true, stdio: "inherit", env: { ...process.env, PATH: "/usr/bin:/bin" } });
		on((m) => process.exit(6))`)
	_, err := c.Call(within(t), raw("1"), "x", nil)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Status.Code != 6 {
		t.Errorf("%v", err)
	}
	if got := c.Close(0); !got.LeftBehind() || got.Step != process.AlreadyEnded {
		t.Errorf("%+v", got)
	}
}

func TestLongLines(t *testing.T) {
	const script = `on((m) => answer(m, "x".repeat(m.params[0])))`
	c := serve(t, Options{Limits: Limits{LineBytes: 6 << 20}}, script)
	r, err := c.Call(within(t), raw("1"), "x", raw("[%d]", 5<<20))
	if err != nil || len(r.Result) != 5<<20+2 {
		t.Fatalf("%v", err)
	}
	_, err = c.Call(within(t), raw("2"), "x", raw("[%d]", 100<<20))
	var budget *BudgetError
	if !errors.As(err, &budget) || budget.Total || budget.Line != 2 {
		t.Fatalf("%v", err)
	}
	if exit := c.Close(time.Minute); exit.Signal != "SIGKILL" {
		t.Errorf("%+v", exit)
	}
}

func TestFloods(t *testing.T) {
	t.Run("stdout", func(t *testing.T) {
		c := serve(t, Options{Limits: Limits{TotalBytes: 1 << 20}}, `
			const fs = require("fs");
			for (;;) try { fs.writeSync(1, "noise\n".repeat(1000)) } catch (e) { if (e.code !== "EAGAIN") throw e }`)
		_, err := c.Call(within(t), raw("1"), "x", nil)
		var budget *BudgetError
		if !errors.As(err, &budget) || !budget.Total {
			t.Errorf("%v", err)
		}
		if exit := c.Close(time.Minute); exit.Signal != "SIGKILL" {
			t.Errorf("%+v", exit)
		}
	})
	t.Run("stderr", func(t *testing.T) {
		c := serve(t, Options{Limits: Limits{StderrLines: 2}}, `
			for (let i = 0; i < 200000; i++) require("fs").writeSync(2, "complaint " + i + "\n");
			on((m) => answer(m, 1))`)
		if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
			t.Fatal(err)
		}
		c.Close(time.Minute)
		got := strings.Join(c.Record().Stderr, "|")
		if want := "complaint 0|complaint 1|… 199996 lines left out|complaint 199998|complaint 199999"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("notifications", func(t *testing.T) {
		c := serve(t, Options{}, `
			for (let i = 0; i < 5000; i++) say({ jsonrpc: "2.0", method: "n" + i, params: "x".repeat(i < 2 ? 100000 : 1) });
			on((m) => answer(m, 1))`)
		if _, err := c.Call(within(t), raw("1"), "x", nil); err != nil {
			t.Fatal(err)
		}
		kept := c.Record().Notifications
		if len(kept) != keptMessages || len(kept[0].Raw) != keptBytes || kept[0].Params != nil {
			t.Errorf("%d kept, the first with %d bytes", len(kept), len(kept[0].Raw))
		}
	})
}

func TestServerThatDoesNotRead(t *testing.T) {
	c := serve(t, Options{}, `setInterval(() => {}, 1000)`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := c.Call(ctx, raw("1"), "x", raw("%q", strings.Repeat("x", 1<<20)))
	var timeout *TimeoutError
	if !errors.As(err, &timeout) {
		t.Errorf("%v", err)
	}
	if exit := c.Close(0); exit.Step != process.Terminated {
		t.Errorf("%+v", exit)
	}
}

func TestRequestsOfTheServer(t *testing.T) {
	c := serve(t, Options{Answers: map[string]json.RawMessage{"roots/list": raw(`{"roots":[]}`)}}, `
		const methods = ["ping", "roots/list", "sampling/createMessage", "elicitation/create"];
		const answers = [];
		let first;
		on((m) => {
			if (m.method) { first = m; methods.forEach((method, i) => say({ jsonrpc: "2.0", id: i % 2 ? "s" + i : i, method })); return }
			answers.push(m.id + ":" + (m.error ? m.error.code : JSON.stringify(m.result)));
			if (answers.length === methods.length) answer(first, answers);
		})`)
	r, err := c.Call(within(t), raw("1"), "x", nil)
	if err != nil || string(r.Result) != `["0:{}","s1:{\"roots\":[]}","2:-32601","s3:-32601"]` {
		t.Errorf("%s, %v", r.Result, err)
	}
	if got := c.Record().Requests; len(got) != 4 || got[2].Method != "sampling/createMessage" {
		t.Errorf("%+v", got)
	}
}

func TestStrays(t *testing.T) {
	tests := []struct {
		name, script string
		want         StrayKind
		misanswered  bool // the call fails
	}{
		{"null id", `on((m) => say({ jsonrpc: "2.0", id: null, result: 1 }))`, NullID, true},
		{"no id", `on((m) => say({ jsonrpc: "2.0", error: { code: 1, message: "x" } }))`, NullID, true},
		{"number as string", `on((m) => say({ jsonrpc: "2.0", id: String(m.id), result: 1 }))`, OtherType, true},
		{"null id, then the answer", `on((m) => { say({ jsonrpc: "2.0", id: null, error: {} }); answer(m, 1) })`, NullID, false},
		{"twice", `on((m) => { answer(m, 1); answer(m, 2); say({ jsonrpc: "2.0", method: "end" }) })`, Again, false},
		{"unknown id", `on((m) => { say({ jsonrpc: "2.0", id: "who", result: 1 }); answer(m, 1) })`, Unknown, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, Options{}, test.script)
			_, err := c.Call(within(t), raw("1"), "x", nil)
			var wrong *MisansweredError
			if errors.As(err, &wrong) != test.misanswered || !test.misanswered && err != nil {
				t.Errorf("%v", err)
			}
			c.Close(time.Minute)
			if strays := c.Record().Strays; len(strays) != 1 || strays[0].Kind != test.want {
				t.Errorf("%+v, want one of kind %q", strays, test.want)
			}
		})
	}
}

// A subscription stays open and does not hide whose answer went astray.
func TestOpen(t *testing.T) {
	c := serve(t, Options{}, `let opened; on((m) => {
		if (m.method === "open") opened = m;
		else if (m.method === "end") { answer(opened, "over"); answer(m, 1) }
		else say({ jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } });
	})`)
	answers, err := c.Open(within(t), Request(raw(`"s"`), "open", nil))
	if err != nil {
		t.Fatal(err)
	}
	var wrong *MisansweredError
	if _, err := c.Call(within(t), raw("1"), "ask", nil); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
	select {
	case reply := <-answers:
		t.Errorf("answered too early: %s", reply.Raw)
	default:
	}
	if _, err := c.Call(within(t), raw("2"), "end", nil); err != nil {
		t.Fatal(err)
	}
	if reply := <-answers; string(reply.Result) != `"over"` {
		t.Errorf("%s", reply.Raw)
	}
	if _, err := c.Open(within(t), raw(`{"jsonrpc":"2.0","method":"x"}`)); err == nil {
		t.Error("a notification was opened")
	}
}

func TestForeignFraming(t *testing.T) {
	tests := []struct {
		name, script string
		want         Framing
	}{
		{"Content-Length", "on((m) => { const text = JSON.stringify({ jsonrpc: '2.0', id: m.id, result: {} }); process.stdout.write(`Content-Length: ${text.length}\\r\\n\\r\\n${text}`) })", ContentLength},
		{"pretty", `on((m) => console.log(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: { tools: [] } }, null, 2)))`, PrettyPrinted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := serve(t, Options{}, test.script)
			_, err := c.Call(within(t), raw("1"), "x", nil)
			var framing *FramingError
			if !errors.As(err, &framing) || framing.Framing != test.want {
				t.Errorf("%v", err)
			}
		})
	}
}
