package surface

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"omcbuild/internal/diag"
	"omcbuild/internal/process"
)

//go:embed testdata/server.cjs
var fixture string

const bundleName = "bridge/server.cjs"

func nodeProgram(t *testing.T) string {
	t.Helper()
	node, err := process.LookPath("node", os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// probeOptions start a script as a bundle.
func probeOptions(t *testing.T, script string) ProbeOptions {
	t.Helper()
	return ProbeOptions{Bundle: []byte(script), FileName: bundleName, Node: nodeProgram(t), TempDir: t.TempDir()}
}

func runProbe(t *testing.T, o ProbeOptions) *Probe {
	t.Helper()
	p, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("Run left %s in the temporary folder", left[0].Name())
	}
	return p
}

// codes lists the diagnostics as "level code".
func codes(list diag.List) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.Level.String()+" "+d.Code)
	}
	return out
}

// The fixture is believed because the official SDK gets along with it.
func TestFixtureAgainstTheOfficialClient(t *testing.T) {
	file := filepath.Join(t.TempDir(), "server.cjs")
	for name, script := range map[string]string{"stateless": fixture, "handshake": fixture + `delete handlers["server/discover"];`} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(nodeProgram(t), file)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			list, err := session.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != "add" {
				t.Fatalf("%+v, %v", list, err)
			}
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]int{"a": 2, "b": 3}})
			if err != nil || result.IsError || result.Content[0].(*mcp.TextContent).Text != "5" {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

func TestProbeOfAGoodServer(t *testing.T) {
	p := runProbe(t, probeOptions(t, fixture))
	if len(p.Diagnostics) > 0 {
		t.Errorf("diagnostics: %v", p.Diagnostics)
	}
	s := p.Surface
	if s.ServerName != "fixture" || s.ServerVersion != "1.2.3" || s.Instructions != "Two tools to test with." {
		t.Errorf("identity: %q %q %q", s.ServerName, s.ServerVersion, s.Instructions)
	}
	if want := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}; !slices.Equal(s.Protocols, want) {
		t.Errorf("protocols = %v, want %v", s.Protocols, want)
	}
	if len(s.Tools) != 2 || s.Tools[0].Name != "add" || string(s.Tools[0].Annotations) != `{"readOnlyHint":true}` {
		t.Errorf("tools = %+v", s.Tools)
	}
	if !p.Listed() || p.Modern != p.Conversations[0] || p.Legacy != p.Conversations[1] {
		t.Error("the conversations are not where they belong")
	}
	if p.Discover <= 0 || p.Initialize <= 0 || p.List <= p.Discover {
		t.Errorf("times: discover %v, initialize %v, list %v", p.Discover, p.Initialize, p.List)
	}
	if !p.Exit.Success() || p.Exit.Step != process.StdinClosed || p.Exit.StdinToExit <= 0 {
		t.Errorf("exit: %+v", p.Exit)
	}
}

func TestProbeOfAServerWithTheHandshakeAlone(t *testing.T) {
	p := runProbe(t, probeOptions(t, fixture+`delete handlers["server/discover"];`))
	if len(p.Diagnostics) > 0 || p.Modern != nil || p.Legacy != p.Conversations[0] || p.Discover != 0 || p.Initialize <= 0 {
		t.Errorf("%v; discover %v, initialize %v", p.Diagnostics, p.Discover, p.Initialize)
	}
	if want := []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}; !slices.Equal(p.Surface.Protocols, want) {
		t.Errorf("protocols = %v, want %v", p.Surface.Protocols, want)
	}
}

func TestProbeKeepsTheServersBytes(t *testing.T) {
	const tool = `{"name":"odd",  "inputSchema": {"type":"object","x":1.0,"y":"\u0041"}, "name":"odd"}`
	p := runProbe(t, probeOptions(t, fixture+`
		const raw = '`+strings.ReplaceAll(tool, `\`, `\\`)+`';
		handlers["tools/list"] = (p, id) => { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[' + raw + ']}}\n') };`))
	if len(p.Surface.Tools) != 1 || string(p.Surface.Tools[0].Raw) != tool {
		t.Errorf("tools = %+v", p.Surface.Tools)
	}
}

// The world of a probed server: nothing of the machine but node.
func TestProbeWorld(t *testing.T) {
	t.Setenv("OF_THE_MACHINE", "1")
	o := probeOptions(t, fixture+`
		const fs = require("fs"), path = require("path");
		calls.note = () => text(JSON.stringify({
			env: process.env, cwd: process.cwd(), file: __filename, roots: fs.readdirSync("."),
			home: fs.existsSync(process.env.HOME), data: fs.existsSync(process.env.CLAUDE_PLUGIN_DATA),
			extra: fs.readFileSync(path.join(__dirname, "data", "words.txt"), "utf8"),
		}));`)
	o.Extra = map[string][]byte{"bridge/data/words.txt": []byte("words")}
	o.Env = []string{"GIVEN=yes", "CLAUDE_CODE_ENTRYPOINT=other"}
	o.Call = []Call{{Name: "note"}}
	p := runProbe(t, o)
	if len(p.Calls) != 1 {
		t.Fatalf("%v", p.Diagnostics)
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(object(p.Calls[0].Result)["content"], &parts); err != nil {
		t.Fatal(err)
	}
	var world struct {
		Env              map[string]string
		Cwd, File, Extra string
		Roots            []string
		Home, Data       bool
	}
	if err := json.Unmarshal([]byte(parts[0].Text), &world); err != nil {
		t.Fatal(err)
	}
	root := world.Env["CLAUDE_PLUGIN_ROOT"]
	want := map[string]string{
		"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "other", "GIVEN": "yes", "OF_THE_MACHINE": "",
		"CLAUDE_PROJECT_DIR": world.Cwd, "PATH": filepath.Dir(o.Node) + ":/usr/bin:/bin",
	}
	for name, value := range want {
		if world.Env[name] != value {
			t.Errorf("%s = %q, want %q", name, world.Env[name], value)
		}
	}
	if world.File != filepath.Join(root, "bridge", "server.cjs") || len(world.Roots) > 0 || world.Extra != "words" {
		t.Errorf("file %s, project %v, extra %q", world.File, world.Roots, world.Extra)
	}
	if !world.Home || !world.Data || strings.HasPrefix(world.Cwd, root) || strings.HasPrefix(world.Env["HOME"], root) {
		t.Errorf("home %v, data %v, working directory %s", world.Home, world.Data, world.Cwd)
	}
}

func TestProbeErrors(t *testing.T) {
	folder := t.TempDir()
	tests := []struct {
		name   string
		change func(*ProbeOptions)
		code   string
	}{
		{"no node", func(o *ProbeOptions) { o.Node = "" }, "node-missing"},
		{"node gone", func(o *ProbeOptions) { o.Node = filepath.Join(folder, "node") }, "node-missing"},
		{"node is a folder", func(o *ProbeOptions) { o.Node = folder }, "node-missing"},
		{"node is no program", func(o *ProbeOptions) { o.Node = filepath.Join(folder, "text") }, "node-missing"},
		{"bundle outside", func(o *ProbeOptions) { o.FileName = "../server.cjs" }, "path-outside-plugin"},
		{"bundle without a name", func(o *ProbeOptions) { o.FileName = "" }, "path-outside-plugin"},
		{"file outside", func(o *ProbeOptions) { o.Extra = map[string][]byte{"/etc/passwd": nil} }, "path-outside-plugin"},
	}
	if err := os.WriteFile(filepath.Join(folder, "text"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := probeOptions(t, fixture)
			test.change(&o)
			_, err := Run(t.Context(), o)
			var failure *diag.Failure
			if !errors.As(err, &failure) || failure.Class != diag.Usage || failure.Diagnostics[0].Code != test.code || failure.Diagnostics[0].Hint == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

// A probe that is interrupted leaves no process and no file.
func TestProbeEndsWithItsContext(t *testing.T) {
	marks := t.TempDir()
	o := probeOptions(t, fixture+`
		const { spawn } = require("child_process"), fs = require("fs");
		process.on("SIGTERM", () => {});
		const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
		receive = () => {};
		fs.writeFileSync(process.env.MARKS + "/" + process.pid + ".new", String(child.pid));
		fs.renameSync(process.env.MARKS + "/" + process.pid + ".new", process.env.MARKS + "/" + process.pid);`)
	o.Env = []string{"MARKS=" + marks}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := Run(ctx, o)
		done <- err
	}()
	var started []string
	for deadline := time.Now().Add(2 * time.Minute); len(started) < 2 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		started, _ = filepath.Glob(filepath.Join(marks, "*[0-9]"))
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	if len(started) != 2 {
		t.Fatalf("started %v", started)
	}
	for _, mark := range started {
		child, err := os.ReadFile(mark)
		if err != nil {
			t.Fatal(err)
		}
		mustBeGone(t, filepath.Base(mark))
		mustBeGone(t, string(child))
	}
	if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
		t.Errorf("left %s in the temporary folder", left[0].Name())
	}
}

func mustBeGone(t *testing.T, pid string) {
	t.Helper()
	status, err := os.ReadFile("/proc/" + pid + "/stat")
	if err == nil && !strings.Contains(string(status), ") Z ") {
		t.Errorf("process %s still runs: %s", pid, status)
	}
}
