package front

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/surface"
)

// server is a server of both generations. What a test appends changes it before the
// first message is read.
const server = `
const info = { name: "fixture", version: "1.2.3" };
let tools = [{ name: "add", inputSchema: { type: "object" } }, { name: "note", inputSchema: { type: "object" } }];
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const handlers = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } }, _meta: { "io.modelcontextprotocol/serverInfo": info } }),
  "subscriptions/listen": ({ notifications }, id) => {
    say({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications, _meta: { "io.modelcontextprotocol/subscriptionId": id } } });
  },
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: info }),
  ping: () => ({}),
  "tools/list": ({ cursor }) => (cursor ? { tools: tools.slice(1) } : { tools: tools.slice(0, 1), nextCursor: "second" }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const result = handlers[method]?.(params, id);
  if (result) say({ jsonrpc: "2.0", id, result });
  else if (!handlers[method]) say({ jsonrpc: "2.0", id, error: { code: -32601, message: "no " + method } });
});
`

func options(t *testing.T, script string) surface.ProbeOptions {
	t.Helper()
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return surface.ProbeOptions{Bundle: []byte("#!/usr/bin/env node\n" + script), FileName: "bridge/server.cjs", Node: node, TempDir: t.TempDir(), Elsewhere: true}
}

func run(t *testing.T, o surface.ProbeOptions) *surface.Probe {
	t.Helper()
	p, err := surface.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Diagnostics.HasErrors() {
		t.Fatalf("the server is faulty: %v", p.Diagnostics)
	}
	return p
}

func TestRecordTellsEachAnswerOnce(t *testing.T) {
	f, list := Record(run(t, options(t, server)), Options{File: "bridge/server.cjs", Env: []string{"B", "A"}})
	if len(list) > 0 {
		t.Fatal(list)
	}
	var got []string
	for _, a := range f.Answers {
		var m struct {
			Method string
			Params struct {
				ProtocolVersion string
				Cursor          string
			}
		}
		if err := json.Unmarshal(a.Match, &m); err != nil {
			t.Fatalf("%s: %v", a.Match, err)
		}
		got = append(got, strings.TrimSpace(strings.Join([]string{m.Method, m.Params.ProtocolVersion, m.Params.Cursor, strings.Join(a.After, ",") + ">" + a.State}, " ")))
		for _, line := range a.Messages {
			if strings.Count(line, bundler.FrontID) != 1 {
				t.Errorf("%s: the id has %d places", m.Method, strings.Count(line, bundler.FrontID))
			}
		}
		if a.Last != (a.State == listed) {
			t.Errorf("%s: last %t, state %s", m.Method, a.Last, a.State)
		}
	}
	want := []string{
		"server/discover   start,modern>modern", "subscriptions/listen   modern>", "tools/list   modern>", "tools/list  second modern>listed",
		"initialize 2025-11-25  start>greeted", "notifications/initialized   greeted>ready",
		"tools/list   ready>", "tools/list  second ready>listed", "ping   greeted,ready>",
		"initialize 2024-11-05  start>greeted", "initialize 2025-03-26  start>greeted", "initialize 2025-06-18  start>greeted",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.Equal(f.Env, []string{"A", "B"}) {
		t.Errorf("variables %v", f.Env)
	}
}

// A version that a server answers in words of its own is left to it.
func TestRecordLeavesOtherAnswersToTheServer(t *testing.T) {
	script := server + `const first = handlers.initialize; handlers.initialize = (p) => ({ ...first(p), ...(p.protocolVersion < "2025" ? { instructions: "old" } : {}) });`
	f, list := Record(run(t, options(t, script)), Options{File: "bridge/server.cjs"})
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, a := range f.Answers {
		if strings.Contains(string(a.Match), "2024-11-05") {
			t.Errorf("has %s", a.Match)
		}
	}
}

func TestProve(t *testing.T) {
	tests := []struct {
		name, script string
		change       func(*bundler.Front)
		code, says   string
	}{
		{name: "true", script: server},
		{name: "with the handshake alone", script: server + `delete handlers["server/discover"];`},
		{name: "chance behind the answers that are the same", script: server + `handlers["server/discover"] = ((f) => () => ({ ...f(), ttlMs: 1 + Math.floor(process.pid) }))(handlers["server/discover"]);`,
			code: "front-refused", says: "ttlMs"},
		{name: "false", script: server, code: "front-broken", says: "tools/list is answered otherwise",
			change: func(f *bundler.Front) {
				for i, a := range f.Answers {
					for j := range a.Messages {
						f.Answers[i].Messages[j] = strings.Replace(a.Messages[j], `"name":"note"`, `"name":"nota"`, 1)
					}
				}
			}},
		{name: "a server that ends badly in any case", script: server + `process.stdin.on("end", () => process.exit(4));`},
		{name: "a server that ends badly when it is behind", script: server + `if (process.listenerCount("SIGTERM") > 0) process.stdin.on("end", () => process.exit(4));`,
			code: "front-broken", says: "exit code 4"},
		{name: "a server that is gone when it is behind", script: server + `if (process.listenerCount("SIGTERM") > 0) process.exit(3);`, code: "front-broken"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t, test.script)
			p := run(t, o)
			f, list := Record(p, Options{File: o.FileName})
			if len(list) > 0 {
				t.Fatal(list)
			}
			if test.change != nil {
				test.change(f)
			}
			outputs, err := bundler.WithFront([]bundler.Output{{Path: o.FileName, Contents: o.Bundle}}, *f)
			if err != nil {
				t.Fatal(err)
			}
			o.Bundle = outputs[0].Contents
			proof, list, err := Prove(t.Context(), o, p)
			if err != nil {
				t.Fatal(err)
			}
			if test.code == "" {
				if len(list) > 0 || proof.Initialize <= 0 || proof.List < proof.Initialize {
					t.Errorf("%v, %+v", list, proof)
				}
				return
			}
			if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == test.code && strings.Contains(d.Message, test.says) }) {
				t.Errorf("%v", list)
			}
		})
	}
}

// A variable that is set everywhere would turn the front off everywhere.
func TestRecordRefusesVariablesThatAreAlwaysSet(t *testing.T) {
	p := run(t, options(t, server))
	for _, name := range []string{"HOME", "PATH", "CLAUDE_PLUGIN_ROOT", Switch} {
		f, list := Record(p, Options{File: "bridge/server.cjs", Env: []string{name}})
		if f != nil || len(list) != 1 || list[0].Code != "front-refused" || !strings.Contains(list[0].Message, name) {
			t.Errorf("%s: %v", name, list)
		}
	}
	if f, list := Record(p, Options{File: "bridge/server.cjs", Env: []string{"EDITOR"}}); f == nil {
		t.Error(list)
	}
}

// What a server lists for a client that can do more than the one that asked is not known.
func TestRecordIsForClientsThatCanDoNoMore(t *testing.T) {
	f, list := Record(run(t, options(t, server)), Options{File: "bridge/server.cjs"})
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, a := range f.Answers {
		for _, of := range []string{`"capabilities":`, `"io.modelcontextprotocol/clientCapabilities":`} {
			if _, rest, has := strings.Cut(string(a.Match), of); has && !strings.HasPrefix(rest, `{"elicitation?":"?any","roots?":"?any"}`) {
				t.Errorf("%s", a.Match)
			}
		}
	}
}
