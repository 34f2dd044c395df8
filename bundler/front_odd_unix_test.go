//go:build unix

package bundler_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"omcbuild/bundler"
)

// A client that stops to read in the middle of a long answer can still end the process.
func TestFrontHearsASignalWhileNobodyReads(t *testing.T) {
	f := echoFront()
	f.Answers[0].Messages = []string{`{"jsonrpc":"2.0","id":` + bundler.FrontID + `,"result":"` + strings.Repeat("x", 4<<20) + `"}`}
	p := newPair(t, echoServer, f)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", p.fronted)
	cmd.Env = append(cmd.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME=")
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(hello)); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.String(); got != "signal: terminated" {
		t.Errorf("ended with %s", got)
	}
}

// An engine that keeps no comments in the text of a function loads the server at once.
func TestFrontInAnEngineWithoutComments(t *testing.T) {
	p := newPair(t, echoServer, echoFront())
	engine := filepath.Join(t.TempDir(), "engine.cjs")
	write(t, engine, `const whole = Function.prototype.toString;
		Function.prototype.toString = function () { return whole.call(this).replace(/\/\*[^]*?\*\//g, ""); };`)
	input := hello + ready + list
	for _, env := range [][]string{nil, {"OMCBUILD_FRONT=0"}} {
		plain, fronted := runNode(t, input, env, "--require", engine, p.plain), runNode(t, input, env, "--require", engine, p.fronted)
		if plain != fronted || fronted.code != 0 {
			t.Errorf("plain\n%+v\nwith a front\n%+v", plain, fronted)
		}
	}
}

// A server that takes no request before its first answer is through is not given one, and
// a request that its client has given up holds nothing back that is said later.
func TestFrontBeforeAServerThatInsistsOnOrder(t *testing.T) {
	const server = `
		let open = false;
		const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
		const result = (method) => ({ method, "…": "*/" });
		require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
		  const { id, method } = JSON.parse(line);
		  if (method === "hello") { await new Promise((done) => setTimeout(done, 50)); say({ id, result: result(method) }); open = true; return; }
		  if (!open) process.exit(7);
		  if (method === "list") { say({ id, result: result(method) }); say({ method: "changed" }); }
		  if (method === "call") say({ id, result: result(method) });
		});`
	p := newPair(t, server, echoFront())
	const again = `{"jsonrpc":"2.0","id":"two","method":"call"}` + "\n" // with the id of the list, as its answer has it
	got := runNode(t, hello+ready+list+`{"jsonrpc":"2.0","method":"cancelled","params":{"requestId":"two"}}`+"\n"+again, nil, p.fronted)
	want := ended{stdout: answer("1", "hello") + "\n" + answer(`"two"`, "list") + "\n" + `{"jsonrpc":"2.0","method":"changed"}` + "\n" + answer(`"two"`, "call") + "\n"}
	if got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
