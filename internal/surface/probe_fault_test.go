package surface

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/stdio"
)

// fault is a bundle with something wrong, and what a probe says about it.
type fault struct {
	name   string
	script string
	tune   func(*ProbeOptions)
	codes  []string // every diagnostic, "level code"
	text   []string // each has to be in the first diagnostic's message or hint
	tools  int      // that are listed all the same
	line   int      // of the first diagnostic
}

// short is time enough to start Node on a busy machine, and less than the client waits for
// server/discover.
func short(o *ProbeOptions) { o.Timeout = 2500 * time.Millisecond }

func checkFaults(t *testing.T, faults []fault) {
	for _, test := range faults {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := probeOptions(t, test.script)
			if test.tune != nil {
				test.tune(&o)
			}
			p := runProbe(t, o)
			if got := codes(p.Diagnostics); !slices.Equal(got, test.codes) {
				t.Fatalf("diagnostics %q, want %q\n%s", got, test.codes, explain(p))
			}
			if len(p.Surface.Tools) != test.tools {
				t.Errorf("%d tools, want %d", len(p.Surface.Tools), test.tools)
			}
			first := p.Diagnostics[0]
			for _, text := range test.text {
				if !strings.Contains(first.Message+"\n"+first.Hint, text) {
					t.Errorf("%q is not said:\n%s", text, explain(p))
				}
			}
			if first.Line != test.line {
				t.Errorf("line %d, want %d", first.Line, test.line)
			}
			for _, d := range p.Diagnostics {
				if d.File != o.FileName || d.Hint == "" || strings.Contains(d.Message+d.Hint, o.TempDir) || strings.HasSuffix(d.Message, ".") {
					t.Errorf("not as a diagnostic should be: %+v", d)
				}
			}
		})
	}
}

func explain(p *Probe) string {
	var b strings.Builder
	for _, d := range p.Diagnostics {
		b.WriteString(d.String() + "\n\thint: " + d.Hint + "\n")
	}
	return b.String() + strings.Join(p.Stderr, "\n")
}

func TestProbeOfBundlesThatDoNotStart(t *testing.T) {
	checkFaults(t, []fault{
		{
			name: "throws", script: "\n\nthrow new TypeError('no good');\n" + fixture,
			codes: []string{"error bundle-throws"}, line: 3,
			text: []string{"exit code 1", "TypeError: no good", "connection was closed"},
		},
		{
			name: "throws something that is no error", script: `throw "plain text";`,
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"plain text"},
		},
		{
			name: "module missing", script: `"use strict";` + "\n" + `const db = require("better-sqlite3");` + fixture,
			codes: []string{"error bundle-throws"}, line: 2,
			text: []string{"Error: Cannot find module 'better-sqlite3'", "declare it external"},
		},
		{
			name: "file beside it missing", script: `require("./chunk.cjs");`,
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"'./chunk.cjs'", "assets"},
		},
		{
			name: "dynamic require in an ES module", script: "const require = (x) => { throw new Error(`Dynamic require of \"${x}\" is not supported`) };\nrequire('events');\nexport {};",
			tune: func(o *ProbeOptions) { o.FileName = "bridge/server.mjs" }, codes: []string{"error bundle-throws"}, line: 1,
			text: []string{`Dynamic require of "events"`, "build it as CommonJS"},
		},
		{
			name: "import.meta.url replaced by nothing", script: `const here = {}; new URL("./data.json", here.url);`,
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"Invalid URL", "import.meta.url"},
		},
		{
			name: "two shebangs", script: "#!/usr/bin/env node\n#!/usr/bin/env node\n" + fixture,
			codes: []string{"error bundle-throws"}, line: 2, text: []string{"SyntaxError", "second shebang"},
		},
		{
			name: "cut off", script: fixture + "\n\n\nconst torn = 'cut",
			codes: []string{"error bundle-throws"}, line: strings.Count(fixture, "\n") + 4, text: []string{"SyntaxError", "run omcbuild build"},
		},
		{
			name: "ES module named .cjs", script: `import fs from "node:fs";`,
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"Cannot use import statement"},
		},
		{
			name: "CommonJS read as an ES module", script: `require("fs");`,
			tune: func(o *ProbeOptions) {
				o.FileName, o.Extra = "bridge/server.js", map[string][]byte{"package.json": []byte(`{"type":"module"}`)}
			},
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"require is not defined", ".cjs"},
		},
		{
			name: "asset missing", script: `require("fs").readFileSync(__dirname + "/words.txt");`,
			codes: []string{"error bundle-throws"}, line: 1, text: []string{"ENOENT", "bridge/words.txt", "assets"},
		},
		{
			name: "variable missing", script: `console.error("starting\nSERVICE_API_KEY is not set"); process.exit(2);`,
			codes: []string{"error bundle-throws"}, text: []string{"exit code 2", "SERVICE_API_KEY is not set", "env of the bundle"},
		},
		{
			name: "killed", script: `process.kill(process.pid, "SIGKILL"); setTimeout(() => {}, 60000);`,
			codes: []string{"error bundle-throws"}, text: []string{"killed by SIGKILL"},
		},
		{
			name: "nothing keeps it running", script: `function main() {}`,
			codes: []string{"error bundle-exits"}, text: []string{"exit code 0", "read stdin"},
		},
		{
			name: "hangs while loading", script: `console.error("waiting for the database"); for (;;);`, tune: short,
			codes: []string{"error no-answer"}, text: []string{"initialize", "waiting for the database"},
		},
		{
			name: "never reads", script: `setInterval(() => {}, 1000);`, tune: short,
			codes: []string{"error no-answer"}, text: []string{"initialize", "gives up after 30 s"},
		},
		{
			name: "closes its output", script: `require("fs").closeSync(1);` + fixture + `receive = () => {};`,
			codes: []string{"error connection-lost"}, text: []string{"closed its standard output"},
		},
	})
}

func TestProbeOfServersThatMisuseStdout(t *testing.T) {
	framed := "Content-Length: ${Buffer.byteLength(text)}\\r\\n\\r\\n${text}"
	checkFaults(t, []fault{
		{
			name: "banner", script: `console.log("server is ready");` + fixture, tools: 2,
			codes: []string{"error stdout-noise"}, text: []string{"1 line", "line 1 reads: server is ready", "console.error"},
		},
		{
			name: "many lines", script: `for (let i = 0; i < 36; i++) console.log("step " + i);` + fixture, tools: 2,
			codes: []string{"error stdout-noise"}, text: []string{"36 lines", "step 0"},
		},
		{
			name: "dotenv", script: `console.log("[dotenv@17.2.0] injecting env (0) from .env");` + fixture, tools: 2,
			codes: []string{"error stdout-noise"}, text: []string{"quiet: true"},
		},
		{
			name: "colours", script: `console.log("\u001b[32mok\u001b[0m");` + fixture, tools: 2,
			codes: []string{"error stdout-noise"}, text: []string{`\x1b[32mok`},
		},
		{
			name: "text after the input has ended", script: fixture + `process.stdin.on("end", () => process.stdout.write("bye"));`, tools: 2,
			codes: []string{"error stdout-noise"}, text: []string{"bye", "without a line end"},
		},
		{
			name: "text without a line end before the first answer", script: `process.stdout.write("loading… ");` + fixture + `delete handlers["server/discover"];`,
			tune: func(o *ProbeOptions) { o.Timeout = 4500 * time.Millisecond }, tools: 2,
			codes: []string{"error stdout-noise", "warning discover-ignored", "error no-answer"},
			text:  []string{"no client sees"},
		},
		{
			name: "version of JSON-RPC missing", script: fixture + `receive = (m) => m.id !== undefined && console.log(JSON.stringify({ id: m.id, result: {} }));`, tune: short,
			codes: []string{"error no-answer", "error stdout-noise"}, text: []string{"initialize"},
		},
		{
			name: "headers", script: "const write = process.stdout.write.bind(process.stdout); process.stdout.write = (text) => write(`" + framed + "`);" + fixture,
			codes: []string{"error stdout-framing"}, text: []string{"Content-Length headers", "one line of JSON"},
		},
		{
			name: "pretty", script: `const write = process.stdout.write.bind(process.stdout); process.stdout.write = (text) => write(JSON.stringify(JSON.parse(text), null, 2) + "\n");` + fixture,
			codes: []string{"error stdout-framing"}, text: []string{"several lines"},
		},
		{
			name: "a line of 100 MB", script: fixture + `handlers["tools/list"] = () => ({ tools, padding: "x".repeat(100e6) });`,
			codes: []string{"error output-too-large"}, text: []string{"longer than 33554432 bytes"},
		},
		{
			name: "a flood", script: `const flood = () => process.stdout.write("x\n".repeat(1e5), flood); flood();` + fixture, tune: func(o *ProbeOptions) { o.Limits.TotalBytes = 64 << 10 },
			codes: []string{"error output-too-large", "error stdout-noise"}, text: []string{"more than 65536 bytes"},
		},
	})
}

func TestProbeOfServersThatAnswerWrongly(t *testing.T) {
	noDiscover := fixture + `delete handlers["server/discover"];`
	checkFaults(t, []fault{
		{
			name: "ends on discover", script: noDiscover + `const before = receive; receive = (m) => m.method === "server/discover" ? process.exit(1) : before(m);`, tools: 2,
			codes: []string{"error exits-on-discover"}, text: []string{"exit code 1", "-32601", "start it twice"},
		},
		{
			name: "ignores discover", script: noDiscover + `const before = receive; receive = (m) => m.method === "server/discover" || before(m);`, tools: 2,
			codes: []string{"warning discover-ignored"}, text: []string{"3 s longer"},
		},
		{
			name: "answers discover without an id", script: noDiscover + `const before = receive; receive = (m) => m.method === "server/discover" ? say({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "" } }) : before(m);`, tools: 2,
			codes: []string{"warning reply-id"}, text: []string{"id null", "3 s"},
		},
		{
			name: "answers everything", script: noDiscover + `handlers["server/discover"] = handlers["` + noSuchMethod + `"] = () => ({});`, tools: 2,
			codes: []string{"warning discover-invalid", "warning unknown-method"}, text: []string{"2026-07-28"},
		},
		{
			name: "refuses the second discover", script: fixture + `let n = 0; const discover = handlers["server/discover"]; handlers["server/discover"] = () => { if (n++) throw refuse(-32600, "again?"); return discover() };`, tools: 2,
			codes: []string{"error discover-invalid"}, text: []string{"again?"},
		},
		{
			name: "does not confirm the subscription", script: fixture + `handlers["subscriptions/listen"] = () => {};`, tools: 2,
			codes: []string{"warning subscription-ignored"}, text: []string{"acknowledged"},
		},
		{
			name: "refuses the subscription", script: fixture + `delete handlers["subscriptions/listen"];`, tools: 2,
			codes: []string{"warning subscription-ignored"}, text: []string{"error -32601"},
		},
		{
			name: "ids become strings", script: noDiscover + `const before = say; process.stdout.write = ((w) => (t) => w.call(process.stdout, t.replace(/"id":(\d+)/, '"id":"$1"')))(process.stdout.write);`,
			codes: []string{"error reply-id"}, text: []string{"initialize, sent with id 0, with id \"0\""},
		},
		{
			name: "speaks only the stateless protocol", script: fixture + `delete handlers.initialize;`, tools: 2,
			codes: []string{"warning legacy-refused"}, text: []string{"serveStdio"},
		},
		{
			name: "refuses initialize", script: noDiscover + `handlers.initialize = () => { throw refuse(-32000, "not today") };`,
			codes: []string{"error initialize-error"}, text: []string{"error -32000: not today"},
		},
		{
			name: "ends on the list", script: noDiscover + "\nhandlers['tools/list'] = () => setImmediate(() => { throw new Error('late') }) && undefined;",
			codes: []string{"error exits-on-request"}, line: strings.Count(fixture, "\n") + 2, text: []string{"tools/list", "Error: late"},
		},
		{
			name: "does not answer the list", script: noDiscover + `handlers["tools/list"] = () => {};`, tune: short,
			codes: []string{"error no-answer"}, text: []string{"tools/list"},
		},
		{
			name: "refuses the list", script: noDiscover + `handlers["tools/list"] = () => { throw refuse(-32603, "schema of add is broken") };`,
			codes: []string{"error tools-list-error"}, text: []string{"schema of add is broken", "without tools"},
		},
		{
			name: "has no tools", script: noDiscover + `delete handlers["tools/list"]; handlers.initialize = () => ({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: info });`,
			codes: []string{"note no-tools"}, text: []string{"announces none"},
		},
		{
			name: "answers an unknown tool", script: noDiscover + `handlers["tools/call"] = () => text("fine");`, tools: 2,
			codes: []string{"warning unknown-tool"}, text: []string{"isError"},
		},
		{
			name: "ends on an unknown tool", script: noDiscover + `handlers["tools/call"] = () => process.exit(9);`, tools: 2,
			codes: []string{"error exits-on-request"}, text: []string{"exit code 9", "a call of an unknown tool"},
		},
		{
			name: "ignores what it does not know", script: noDiscover + `handlers["` + noSuchMethod + `"] = () => {};`, tools: 2,
			codes: []string{"error unknown-method"}, text: []string{"within 5 s"},
		},
		{
			name: "refuses ping", script: noDiscover + `delete handlers.ping;`, tools: 2,
			codes: []string{"warning ping-unanswered"}, text: []string{"-32601"},
		},
		{
			name: "answers twice", script: noDiscover + `const once = handlers.ping; handlers.ping = (p, id) => { say({ jsonrpc: "2.0", id, result: {} }); return {} };`, tools: 2,
			codes: []string{"warning reply-stray"}, text: []string{"twice"},
		},
	})
}

func TestProbeOfServersThatStay(t *testing.T) {
	spawn := fixture + `const { spawn } = require("child_process"); `
	checkFaults(t, []fault{
		{
			name: "timer", script: fixture + `setInterval(() => {}, 1000);`, tools: 2,
			codes: []string{"error exit-after-stdin"}, text: []string{"within 5 s", "process.exit"},
		},
		{
			name: "child in a group of its own", script: spawn + `spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();`, tools: 2,
			codes: []string{"error processes-left"}, text: []string{"1 of its processes", "sleep 1000"},
		},
		{
			name: "exit code", script: fixture + `process.exitCode = 3;`, tools: 2,
			codes: []string{"warning exit-status"}, text: []string{"exit code 3"},
		},
	})
}

func TestProbeOfHellosThatTheClientRefuses(t *testing.T) {
	hello := func(change string) string {
		return fixture + `delete handlers["server/discover"];
			const good = handlers.initialize;
			handlers.initialize = (p) => { const r = structuredClone(good(p)); ` + change + `; return r };`
	}
	faults := []fault{
		{name: "no serverInfo", script: hello("delete r.serverInfo"), text: []string{"serverInfo is missing"}},
		{name: "no name", script: hello("r.serverInfo.name = 7"), text: []string{"serverInfo.name is not a string"}},
		{name: "no version", script: hello("delete r.serverInfo.version"), text: []string{"serverInfo.version is missing", "define"}},
		{name: "version a number", script: hello("r.serverInfo.version = 1"), text: []string{"serverInfo.version is not a string"}},
		{name: "no capabilities", script: hello("delete r.capabilities"), text: []string{"capabilities are missing"}},
		{name: "capabilities null", script: hello("r.capabilities = null"), text: []string{"capabilities are null"}},
		{name: "instructions", script: hello("r.instructions = ['a']"), text: []string{"instructions are not a string"}},
		{name: "no protocol", script: hello("delete r.protocolVersion"), text: []string{"protocolVersion is missing"}},
		{name: "unknown protocol", script: hello("r.protocolVersion = '2031-01-01'"), text: []string{`"2031-01-01" is none that the client accepts`}},
		{name: "stateless protocol", script: hello("r.protocolVersion = '2026-07-28'"), text: []string{`"2026-07-28"`}},
		{name: "not an object", script: fixture + `delete handlers["server/discover"]; handlers.initialize = () => "hello";`, text: []string{"not an object"}},
	}
	for i := range faults {
		faults[i].codes, faults[i].tools = []string{"error initialize-invalid"}, 2
	}
	faults = append(faults, fault{
		name: "stateless, without capabilities", script: fixture + `const d = handlers["server/discover"]; handlers["server/discover"] = () => ({ ...d(), capabilities: [] });`,
		codes: []string{"error discover-invalid"}, tools: 2, text: []string{"capabilities are not an object"},
	})
	checkFaults(t, faults)
}

func TestProbeOfListsThatLoseEveryTool(t *testing.T) {
	list := func(result string) string {
		return fixture + `delete handlers["server/discover"]; handlers["tools/list"] = () => (` + result + `);`
	}
	checkFaults(t, []fault{
		{name: "tools missing", script: list("{}"), codes: []string{"error tools-list-invalid"}, text: []string{"tools is missing"}},
		{name: "tools an object", script: list("{ tools: { add: 1 } }"), codes: []string{"error tools-list-invalid"}, text: []string{"tools is not an array"}},
		{name: "cursor null", script: list("{ tools, nextCursor: null }"), tools: 2, codes: []string{"error tools-list-invalid"}, text: []string{"nextCursor is null"}},
		{name: "cursor a number", script: list("{ tools, nextCursor: 2 }"), tools: 2, codes: []string{"error tools-list-invalid"}, text: []string{"nextCursor is not a string"}},
		{name: "cursor that repeats", script: list(`{ tools, nextCursor: "again" }`), tools: 4, codes: []string{"warning tools-list-loop"}, text: []string{"do not end"}},
	})
}

func TestProbeOfServersThatListTwoThings(t *testing.T) {
	checkFaults(t, []fault{
		{
			name: "tool of one generation", tools: 2, codes: []string{"error generations-differ"}, text: []string{"note is listed with 2026-07-28 and not after initialize"},
			script: fixture + `handlers["tools/list"] = (p, id, modern) => ({ tools: modern ? tools : tools.slice(0, 1) });`,
		},
		{
			name: "schema of one generation", tools: 2, codes: []string{"error generations-differ"}, text: []string{"the inputSchema of note"},
			script: fixture + `handlers["tools/list"] = (p, id, modern) => ({ tools: modern ? tools : [tools[0], { ...tools[1], inputSchema: { type: "object" } }] });`,
		},
		{
			name: "order", tools: 2, codes: []string{"error generations-differ"}, text: []string{"entry 1 is"},
			script: fixture + `handlers["tools/list"] = (p, id, modern) => ({ tools: modern ? tools : tools.toReversed() });`,
		},
		{
			name: "by chance", tools: 2, codes: []string{"error starts-differ"}, text: []string{"description of add"},
			script: fixture + `delete handlers["server/discover"]; tools[0].description += process.pid;`,
		},
		{
			name: "version", tools: 2, codes: []string{"warning identity-differs"}, text: []string{"server version"},
			script: fixture + `const i = handlers.initialize; handlers.initialize = (p) => ({ ...i(p), serverInfo: { name: "fixture", version: "9" } });`,
		},
	})
}

func TestProbeReadsAllPages(t *testing.T) {
	p := runProbe(t, probeOptions(t, fixture+`
		handlers["tools/list"] = ({ cursor = "0" }) => {
			const at = Number(cursor);
			return { tools: [{ ...tools[0], name: "tool" + at }], ...(at < 9 && { nextCursor: String(at + 1) }) };
		};`))
	if len(p.Diagnostics) > 0 || len(p.Surface.Tools) != 10 || p.Surface.Tools[9].Name != "tool9" {
		t.Errorf("%d tools; %v", len(p.Surface.Tools), p.Diagnostics)
	}
}

func TestProbeCallsTools(t *testing.T) {
	o := probeOptions(t, fixture+`
		calls.note = () => { throw new Error('Dynamic require of "path" is not supported') };
		tools.push({ ...tools[1], name: "broken" });
		calls.broken = () => text("Error: no such thing", true);`)
	o.Call = []Call{
		{Name: "add", Arguments: json.RawMessage(`{"a": 2, "b": 3}`)},
		{Name: "note"}, {Name: "broken"}, {Name: "ad"},
	}
	p := runProbe(t, o)
	if got, want := codes(p.Diagnostics), []string{"error tool-call", "error tool-call", "error tool-call"}; !slices.Equal(got, want) {
		t.Fatalf("%s", explain(p))
	}
	if d := p.Diagnostics[0]; d.Tool != "note" || !strings.Contains(d.Message, "Dynamic require") || !strings.Contains(d.Hint, "CommonJS") {
		t.Errorf("%+v", d)
	}
	if d := p.Diagnostics[1]; !strings.Contains(d.Hint, "handler") {
		t.Errorf("%+v", d)
	}
	if d := p.Diagnostics[2]; d.Tool != "ad" || !strings.Contains(d.Message, "lists no tool ad") || !strings.Contains(d.Hint, "did you mean add") {
		t.Errorf("%+v", d)
	}
	for i, want := range []CallResult{{Tool: "add", Text: "5"}, {Tool: "note", IsError: true}, {Tool: "broken", IsError: true, Text: "Error: no such thing"}, {Tool: "ad", IsError: true, Unlisted: true}} {
		got := p.Calls[i]
		if got.Tool != want.Tool || got.IsError != want.IsError || got.Unlisted != want.Unlisted || want.Text != "" && got.Text != want.Text {
			t.Errorf("call %d: %+v, want %+v", i, got, want)
		}
	}
}

func TestProbeStartsForEachProtocol(t *testing.T) {
	o := probeOptions(t, fixture+`
		delete handlers["server/discover"];
		let first = true;
		const initialize = handlers.initialize;
		handlers.initialize = (p) => { if (!first) throw refuse(-32600, "initialized already"); first = false; return initialize(p) };`)
	p := runProbe(t, o)
	if want := []string{"2025-11-25"}; !slices.Equal(p.Surface.Protocols, want) || len(p.Diagnostics) > 0 {
		t.Errorf("protocols = %v, want %v; %v", p.Surface.Protocols, want, p.Diagnostics)
	}
	o.AllProtocols = true
	p = runProbe(t, o)
	if want := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}; !slices.Equal(p.Surface.Protocols, want) {
		t.Errorf("protocols = %v, want %v", p.Surface.Protocols, want)
	}
}

func TestProbeAnswersTheServer(t *testing.T) {
	o := probeOptions(t, fixture+`
		const before = receive, heard = {};
		receive = (m) => { if (m.method) return before(m); heard[m.id] = m.result ?? m.error.code; };
		handlers["notifications/initialized"] = () => {};
		for (const method of ["ping", "roots/list", "sampling/createMessage"]) say({ jsonrpc: "2.0", id: method, method });
		calls.note = () => text(JSON.stringify(heard));`)
	o.Call = []Call{{Name: "note"}}
	p := runProbe(t, o)
	if len(p.Calls) != 1 || !strings.Contains(p.Calls[0].Text, `"ping":{},"roots/list":{"roots":[{"uri":"file:///`) || !strings.Contains(p.Calls[0].Text, `"sampling/createMessage":-32601`) {
		t.Errorf("%+v\n%s", p.Calls, explain(p))
	}
	if requests := p.Conversations[0].Record.Requests; len(requests) != 3 {
		t.Errorf("%d requests of the server", len(requests))
	}
}

func TestProbeNamesModulesAbove(t *testing.T) {
	o := probeOptions(t, fixture)
	above := t.TempDir()
	o.TempDir = filepath.Join(above, "inner")
	for _, dir := range []string{o.TempDir, filepath.Join(above, "node_modules")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := runProbe(t, o)
	if got := codes(p.Diagnostics); !slices.Equal(got, []string{"warning node-modules-above"}) || !strings.Contains(p.Diagnostics[0].Message, above) {
		t.Errorf("%s", explain(p))
	}
}

func TestReadCrash(t *testing.T) {
	tests := []struct {
		name, stderr string
		want         crash
	}{
		{"exception", "bridge/server.cjs:12\n    throw new Error(\"x\");\n    ^\n\nError: x\n    at Object.<anonymous> (bridge/server.cjs:12:11)\n    at node:internal/main\n\nNode.js v20.1.0", crash{"Error: x", 12}},
		{"exception in a module of node", "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n- bridge/server.cjs\n    at Module._resolve (node:internal/x:1:2)\n    at Object.<anonymous> (bridge/server.cjs:3:9) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.1.0", crash{"Error: Cannot find module 'x'", 3}},
		{"code in the name", "TypeError [ERR_INVALID_URL]: Invalid URL\n    at new URL", crash{"TypeError [ERR_INVALID_URL]: Invalid URL", 0}},
		{"logs before and after", "info: starting\nReferenceError: a is not defined\ninfo: stopping", crash{"ReferenceError: a is not defined", 0}},
		{"only logs", "starting\nno configuration found\n", crash{"no configuration found", 0}},
		{"another file of that name", "other/xbridge/server.cjs:9\nError: x", crash{"Error: x", 0}},
		{"nothing", "", crash{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := readCrash(strings.Split(test.stderr, "\n"), "bridge/server.cjs"); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}

// What is sent is what the real client sends, member by member.
func TestClientMessages(t *testing.T) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` + clientInfo + `,"io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}`
	tests := []struct{ name, got, want string }{
		{"probe", discoverProbe, `{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{"_meta":` + meta + `}}`},
		{"initialize", string(initializeRequest(0, "2025-11-25")), `{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}},"clientInfo":` + clientInfo + `},"jsonrpc":"2.0","id":0}`},
		{"list", string(request(1, "tools/list", "", Legacy)), `{"method":"tools/list","jsonrpc":"2.0","id":1}`},
		{"next page", string(request(2, "tools/list", member("cursor", `a"b`), Legacy)), `{"method":"tools/list","params":{"cursor":"a\"b"},"jsonrpc":"2.0","id":2}`},
		{"subscription", string(listenRequest([]string{"toolsListChanged"})), `{"jsonrpc":"2.0","id":"listen:0","method":"subscriptions/listen","params":{"_meta":` + meta + `,"notifications":{"toolsListChanged":true}}}`},
		{"stateless list", string(request(1, "tools/list", "", Modern)), `{"method":"tools/list","params":{"_meta":` + meta + `},"jsonrpc":"2.0","id":1}`},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, test.got, test.want)
		}
		if m, ok := stdio.Parse([]byte(test.got)); !ok || !m.IsRequest() {
			t.Errorf("%s is not a request", test.name)
		}
	}
}
