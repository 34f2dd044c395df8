package surface

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
	"omcbuild/internal/stdio"
)

func toolList(entries ...string) []Tool {
	var tools []Tool
	for _, entry := range entries {
		tools = append(tools, ParseTool(json.RawMessage(entry)))
	}
	return tools
}

func TestFirstDifference(t *testing.T) {
	const a, b = `{"name":"a","description":"A.","inputSchema":{"type":"object"}}`, `{"name":"b"}`
	tests := []struct {
		name        string
		left, right []Tool
		tool, what  string
	}{
		{"none", toolList(a, b), toolList(a, b), "", ""},
		{"both empty", nil, nil, "", ""},
		{"only white space", toolList(a), toolList(`{ "name": "a", "description": "A.", "inputSchema": {"type" : "object"} }`), "", ""},
		{"missing on the right", toolList(a, b), toolList(a), "b", "b is listed LEFT and not RIGHT"},
		{"missing on the left", toolList(b), toolList(a, b), "a", "a is listed RIGHT and not LEFT"},
		{"twice", toolList(a, a), toolList(a), "", "2 entries LEFT and 1 RIGHT"},
		{"order", toolList(a, b), toolList(b, a), "a", "entry 1 is a LEFT and b RIGHT"},
		{"description", toolList(a), toolList(strings.Replace(a, "A.", "B.", 1)), "a", "the description of a"},
		{"description gone", toolList(a), toolList(strings.Replace(a, "description", "title", 1)), "a", "the description of a"},
		{"input", toolList(a), toolList(strings.Replace(a, `"object"`, `"string"`, 1)), "a", "the inputSchema of a"},
		{"output", toolList(b), toolList(`{"name":"b","outputSchema":{}}`), "b", "the outputSchema of b"},
		{"annotations", toolList(b), toolList(`{"name":"b","annotations":null}`), "b", "the annotations of b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool, what := firstDifference(test.left, test.right, "LEFT", "RIGHT")
			if tool != test.tool || !strings.HasPrefix(what, test.what) || (what == "") != (test.what == "") {
				t.Errorf("%q: %q, want %q: %q", tool, what, test.tool, test.what)
			}
		})
	}
}

func TestDifferenceNeedsTwoLists(t *testing.T) {
	full := &Conversation{Listed: true, Surface: Surface{Tools: toolList(`{"name":"a"}`)}}
	if d, differ := difference(full, &Conversation{}); differ {
		t.Errorf("a list and none differ: %v", d)
	}
	if d, differ := difference(full, full); differ {
		t.Errorf("a list differs from itself: %v", d)
	}
	unnamed := &Conversation{Listed: true, Surface: Surface{Tools: full.Surface.Tools, ServerName: "x"}}
	if d, differ := difference(full, unnamed); differ {
		t.Errorf("a name and none differ: %v", d)
	}
}

func TestSupported(t *testing.T) {
	tests := []struct {
		result string
		want   bool
	}{
		{`{"supportedVersions":["2026-07-28"]}`, true},
		{`{"supportedVersions":["2025-11-25","2026-07-28","2027-01-01"]}`, true},
		{`{"supportedVersions":["2025-11-25"]}`, false},
		{`{"supportedVersions":"2026-07-28"}`, false},
		{`{"supportedVersions":[1,2]}`, false},
		{`{}`, false},
		{`[]`, false},
		{`null`, false},
	}
	for _, test := range tests {
		if got := offersStateless(json.RawMessage(test.result)); got != test.want {
			t.Errorf("%s: %v", test.result, got)
		}
	}
}

func TestChangeNotifications(t *testing.T) {
	tests := []struct {
		capabilities string
		want         []string
	}{
		{`{"tools":{"listChanged":true}}`, []string{"toolsListChanged"}},
		{`{"resources":{"listChanged":true},"prompts":{"listChanged":true},"tools":{}}`, []string{"promptsListChanged", "resourcesListChanged"}},
		{`{"tools":{"listChanged":false}}`, nil},
		{`{"tools":{"listChanged":"true"}}`, nil},
		{`{"tools":true}`, nil},
		{`7`, nil},
	}
	for _, test := range tests {
		if got := changeNotifications(json.RawMessage(`{"capabilities":` + test.capabilities + `}`)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.capabilities, got, test.want)
		}
	}
}

func TestRemedies(t *testing.T) {
	tests := []struct{ text, want string }{
		{`Error: Dynamic require of "events" is not supported`, "build it as CommonJS"},
		{"Error: Cannot find module './worker.js'", "assets"},
		{"Error: Cannot find module '../shared.cjs'", "assets"},
		{"Error: Cannot find module '/Users/dev/x.js'", "machine that built it"},
		{"Error: Cannot find module 'ws'", "declare it external"},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'ws' imported from bridge/server.mjs", "declare it external"},
		{"ReferenceError: require is not defined in ES module scope", ".cjs"},
		{"SyntaxError: Unexpected token 'export'", ".mjs"},
		{"TypeError: Invalid URL", "import.meta.url"},
		{"Error: The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115", "native module"},
		{"Error: ENOENT: no such file or directory, open 'x.wasm'", "assets"},
		{"SyntaxError: missing ) after argument list", "node --check"},
		{"Error: OPENAI_API_KEY must be set", "env of the bundle"},
		{"Error: something else", "the usual"},
	}
	for _, test := range tests {
		if got := remedyFor(test.text, "the usual"); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want something with %q", test.text, got, test.want)
		}
	}
}

func TestCallHint(t *testing.T) {
	const arguments, handler = "arguments that its schema allows", "look at its handler"
	tests := []struct {
		text    string
		refused bool
		want    string
	}{
		{"error -32602: name is missing", true, arguments},
		{"MCP error -32602: Input validation error: Invalid arguments for tool greet", false, arguments},
		{"TypeError: Cannot read properties of undefined", false, handler},
		{"Error: API_KEY is not set", false, "env of the bundle"},
	}
	for _, test := range tests {
		if got := callHint(test.text, test.refused); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want something with %q", test.text, got, test.want)
		}
	}
}

func TestNoiseDiagnostic(t *testing.T) {
	tests := []struct {
		name          string
		noise         stdio.Noise
		lines         int
		message, hint string
	}{
		{"one", stdio.Noise{Line: 3, Text: "ready"}, 1, "writes 1 line to stdout that is no message; line 3 reads: ready", "console.error"},
		{"many", stdio.Noise{Line: 1, Text: "ready"}, 36, "writes 36 lines", "console.error"},
		{"partial", stdio.Noise{Line: 1, Text: "bye", Partial: true}, 1, "(without a line end)", "console.error"},
		{"swallows", stdio.Noise{Line: 1, Text: "x{…", Swallowed: true}, 1, "no client sees", "console.error"},
		{"dotenv", stdio.Noise{Line: 1, Text: "[dotenv@17.0.1] injecting env (2) from .env"}, 1, "dotenv@17.0.1", "quiet: true"},
		{"no version", stdio.Noise{Line: 1, Text: `{"id":1,"result":{}}`}, 1, "line 1", `"jsonrpc": "2.0"`},
		{"batch", stdio.Noise{Line: 1, Text: `[{"jsonrpc":"2.0","id":1,"result":{}}]`}, 1, "line 1", "batches"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := noiseDiagnostic(stdio.Record{Noise: []stdio.Noise{test.noise}, NoiseLines: test.lines})
			if d.Level != diag.Error || !strings.Contains(d.Message, test.message) || !strings.Contains(d.Hint, test.hint) {
				t.Errorf("%s\n\thint: %s", d.Message, d.Hint)
			}
		})
	}
}

func TestDiagnoseTimes(t *testing.T) {
	late := stdio.Record{Strays: []stdio.Stray{{Kind: stdio.Again, ID: json.RawMessage(discoverID)}}}
	tests := []struct {
		name string
		c    Conversation
		want []string
	}{
		{"quick", Conversation{Initialize: time.Second}, nil},
		{"never asked", Conversation{}, nil},
		{"slow handshake", Conversation{Initialize: 4 * time.Second}, []string{"warning slow-start"}},
		{"slow discover", Conversation{Discover: 3100 * time.Millisecond}, []string{"warning slow-start"}},
		{"discover answered too late", Conversation{late: true, Initialize: 5 * time.Second, Record: late}, []string{"warning slow-start"}},
		{"discover never answered", Conversation{late: true, Initialize: 3100 * time.Millisecond}, []string{"warning discover-ignored"}},
		{"nothing ever answered", Conversation{late: true}, nil},
	}
	for _, test := range tests {
		if got := codes(test.c.diagnoseTimes()); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDiagnoseEnd(t *testing.T) {
	failed := &failure{err: stdio.ErrClosed}
	sleeper := []process.Member{{PID: 7, Command: "sleep 9\x1b[0m"}}
	tests := []struct {
		name string
		c    Conversation
		want []string
	}{
		{"well", Conversation{Exit: stdio.Exit{Step: process.StdinClosed}}, nil},
		{"with a code", Conversation{Exit: stdio.Exit{Step: process.StdinClosed, ExitStatus: process.ExitStatus{Code: 1}}}, []string{"warning exit-status"}},
		{"asked", Conversation{Exit: stdio.Exit{Step: process.Terminated}}, []string{"error exit-after-stdin"}},
		{"killed", Conversation{Exit: stdio.Exit{Step: process.Killed}}, []string{"error exit-after-stdin"}},
		{"killed after a failure", Conversation{failure: failed, Exit: stdio.Exit{Step: process.Killed}}, nil},
		{"killed after a second initialize", Conversation{lost: true, Exit: stdio.Exit{Step: process.Killed}}, nil},
		{"left children", Conversation{Exit: stdio.Exit{Step: process.StdinClosed, Left: sleeper}}, []string{"error processes-left"}},
		{"left children after a failure", Conversation{failure: failed, Exit: stdio.Exit{Left: sleeper}}, []string{"error processes-left"}},
		{"both", Conversation{Exit: stdio.Exit{Step: process.Killed, Remaining: sleeper}}, []string{"error exit-after-stdin", "error processes-left"}},
	}
	for _, test := range tests {
		list := test.c.diagnoseEnd()
		if got := codes(list); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		for _, d := range list {
			if strings.Contains(d.Message, "\x1b") {
				t.Errorf("%s: a command line is shown as it is: %q", test.name, d.Message)
			}
		}
	}
}

func TestFirstText(t *testing.T) {
	tests := []struct{ content, want string }{
		{`[{"type":"text","text":"hello"}]`, "hello"},
		{`[{"type":"image","data":"x"},{"type":"text","text":"second"}]`, "second"},
		{`[{"type":"text","text":"a\u001b[0mb"}]`, `a\x1b[0mb`},
		{`[]`, ""},
		{`{"text":"no array"}`, ""},
		{``, ""},
	}
	for _, test := range tests {
		if got := firstText(json.RawMessage(test.content)); got != test.want {
			t.Errorf("%s: %q, want %q", test.content, got, test.want)
		}
	}
}

func TestFolder(t *testing.T) {
	o := ProbeOptions{
		Bundle: []byte("bundle"), FileName: bundleName, Node: "/opt/node/bin/node", TempDir: t.TempDir(), Path: "/bin",
		Extra: map[string][]byte{"package.json": []byte("{}"), "bridge/deep/er.wasm": []byte("wasm")}, Env: []string{"A=1"},
	}
	f, err := newFolder(&o)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{bundleName: "bundle", "package.json": "{}", "bridge/deep/er.wasm": "wasm"} {
		if got, err := os.ReadFile(filepath.Join(f.path("plugin"), file)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	command := f.command(&o)
	if command.Path != o.Node || command.Dir != f.path("project") || command.Args[0] != filepath.Join(f.path("plugin"), bundleName) {
		t.Errorf("%+v", command)
	}
	if !slices.Contains(command.Env, "PATH=/opt/node/bin:/bin") || command.Env[len(command.Env)-1] != "A=1" {
		t.Errorf("environment %q", command.Env)
	}
	text := "at " + f.path("plugin") + "/bridge/server.cjs:1, file://" + f.path("plugin") + "/a.js, in " + f.path("project") + " and " + f.path("home") + "/x"
	if got, want := f.shorten.Replace(text), "at bridge/server.cjs:1, a.js, in ${CLAUDE_PROJECT_DIR} and ~/x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f.Remove()
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("%s stays", left[0].Name())
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	o := ProbeOptions{FileName: bundleName, TempDir: filepath.Join(t.TempDir(), "missing")}
	if _, err := newFolder(&o); err == nil {
		t.Error("a folder was made in one that is missing")
	}
	// One file in the place of another's folder: what was made is removed.
	o = ProbeOptions{FileName: "a/b.cjs", TempDir: t.TempDir(), Extra: map[string][]byte{"a": nil}}
	if _, err := newFolder(&o); err == nil {
		t.Error("a file was written below a file")
	}
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("%s stays", left[0].Name())
	}
}

func TestProbeOfCallsThatEndBadly(t *testing.T) {
	call := func(name string) func(*ProbeOptions) {
		return func(o *ProbeOptions) {
			o.Call, o.Timeout = []Call{{Name: name}, {Name: "note"}}, 8*time.Second
		}
	}
	checkFaults(t, []fault{
		{
			name: "ends the server", script: fixture + `calls.add = () => process.exit(4);`, tune: call("add"), tools: 2,
			codes: []string{"error exits-on-request"}, text: []string{"exit code 4", "the call of add"},
		},
		{
			name: "answers under another id", script: fixture + `calls.add = () => { say({ jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } }) };`, tune: call("add"), tools: 2,
			codes: []string{"error tool-call"}, text: []string{"calling add fails", "answered with id null"},
		},
	})
}

func TestProbeOfASlowStart(t *testing.T) {
	checkFaults(t, []fault{{
		name: "four seconds of work while loading", tools: 2,
		script: fixture + `for (const end = Date.now() + 4000; Date.now() < end; );`,
		codes:  []string{"warning slow-start"}, text: []string{"to its first answer", "when a tool is first called"},
	}})
}
