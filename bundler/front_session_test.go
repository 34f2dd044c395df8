package bundler_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"omcbuild/bundler"
)

// session is a program whose input stays open.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	errs  chan string
}

func startSession(t *testing.T, env []string, args ...string) *session {
	t.Helper()
	cmd := exec.Command("node", args...)
	cmd.Env = append(append(cmd.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="), env...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	s := &session{t, cmd, in, make(chan string, 1000), make(chan string, 1000)}
	follow := func(r io.Reader, to chan string) {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			to <- scanner.Text()
		}
		close(to)
	}
	go follow(out, s.lines)
	go follow(errs, s.errs)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return s
}

func (s *session) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatal(err)
	}
}

// next is the next line of stdout, await the next of stderr; "" when there is none.
func (s *session) next() string  { s.t.Helper(); return s.from(s.lines) }
func (s *session) await() string { s.t.Helper(); return s.from(s.errs) }

func (s *session) from(lines chan string) string {
	s.t.Helper()
	select {
	case line := <-lines:
		return line
	case <-time.After(time.Minute):
		s.t.Fatal("nothing was written for a minute")
		return ""
	}
}

// wait is how the process ended.
func (s *session) wait() *os.ProcessState {
	s.t.Helper()
	ended := make(chan struct{})
	go func() { _ = s.cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		s.t.Fatal("the process did not end in a minute")
	}
	return s.cmd.ProcessState
}

func (s *session) expect(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if got := s.next(); got != w {
			s.t.Fatalf("got %s\nwant %s", got, w)
		}
	}
}

func answer(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"method":"` + method + `","…":"*/"}}`
}

// The server is loaded after the last answer, and gets everything in order.
func TestFrontHandsOverTheConversation(t *testing.T) {
	p := newPair(t, echoServer, echoFront())
	s := startSession(t, nil, p.fronted)
	s.send(hello)
	s.expect(answer("1", "hello"))
	s.send(ready + list)
	s.expect(answer(`"two"`, "list"), `{"jsonrpc":"2.0","method":"changed"}`)
	for _, want := range []string{"loaded", "got hello 1", "got ready undefined", "got list two"} {
		if got := s.await(); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	s.send(list + `{"jsonrpc":"2.0","id":1,"method":"call"}` + "\n")
	s.expect(answer(`"two"`, "list"), `{"jsonrpc":"2.0","method":"changed"}`, answer("1", "call"))
	_ = s.in.Close()
	if state := s.wait(); state.ExitCode() != 0 {
		t.Error(state)
	}
}

// A client that says nothing more, or nothing at all, finds a loaded server.
func TestFrontLoadsTheServerInAPause(t *testing.T) {
	p := newPair(t, echoServer, echoFront())
	for name, input := range map[string]string{"nothing": "", "a first word": hello, "half a line": hello[:20]} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, nil, p.fronted)
			s.send(input)
			if got := s.await(); got != "loaded" {
				t.Error(got)
			}
		})
	}
}

// Wherever the input is cut, within characters too, the output is the same: byte by
// byte, and in two pieces.
func TestFrontReadsInputInPieces(t *testing.T) {
	const pieces = `
	const { spawn } = require("node:child_process");
	const { setTimeout } = require("node:timers/promises");
	const [file, text] = process.argv.slice(1);
	const bytes = Buffer.from(text);
	const run = async (...parts) => {
	  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "ignore"] });
	  let out = "";
	  child.stdout.on("data", (data) => out += data);
	  const closed = new Promise((done) => child.on("close", (code) => done(out + code)));
	  for (const part of parts) {
	    child.stdin.write(part);
	    await setTimeout(parts.length > 2 ? 1 : 100);
	  }
	  child.stdin.end();
	  return closed;
	};
	(async () => {
	  const want = await run(bytes), wrong = [];
	  if (await run(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))) !== want) wrong.push("each");
	  for (let at = 3; at < bytes.length; at += 17) if (await run(bytes.subarray(0, at), bytes.subarray(at)) !== want) wrong.push(at);
	  console.log(want, wrong.join());
	})();`
	p := newPair(t, echoServer, echoFront())
	input := `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":"1","client":{"n":"é𝄞"}}}` + "\r\n" + list + `{"jsonrpc":"2.0","id":3,"method":"…"}` + "\n"
	got := runNode(t, "", nil, "-e", pieces, "--", p.fronted, input)
	want := answer("1", "hello") + "\n" + answer(`"two"`, "list") + "\n" + `{"jsonrpc":"2.0","method":"changed"}` + "\n" + answer("3", "…") + "\n0 \n"
	if got.stdout != want || got.stderr != "" {
		t.Errorf("got\n%s%swant\n%s", got.stdout, got.stderr, want)
	}
}

// What a signal means is the server's to say, also of one that came before it: loaded,
// it hears of it; one that does not listen is ended by it.
func TestFrontLetsSignalsWait(t *testing.T) {
	listens := newPair(t, "process.on('SIGTERM', () => process.exit(3));\n"+echoServer, echoFront())
	ends := newPair(t, echoServer, echoFront())
	for input, answers := range map[string]int{hello: 1, hello + list: 3} {
		for file, code := range map[string]int{listens.fronted: 3, ends.fronted: -1} {
			s := startSession(t, nil, file)
			s.send(input)
			for range answers {
				s.next()
			}
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			if state := s.wait(); state.ExitCode() != code {
				t.Errorf("after %d answers: %v, want %d", answers, state, code)
			}
		}
	}
}

// A server hears the requests that the front has answered as from a client that waits
// for each answer, and what came after them when it has answered them all; also when
// one is cancelled, of which it hears after its answer.
func TestFrontGivesOneRequestAtATime(t *testing.T) {
	const server = `
		let open = false, rest = "";
		const handle = async (line) => {
		  const { id, method } = JSON.parse(line);
		  console.error(method, open);
		  if (method === "hello") { await new Promise((done) => setTimeout(done, 30)); }
		  if (id === undefined || (method === "list" && rest.includes("cancel"))) return;
		  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
		  say({ id, result: { method, "…": "*/" } });
		  if (method === "hello") open = true;
		  if (method === "list") say({ method: "changed" });
		};
		process.stdin.on("data", (text) => { rest = String(text); for (const line of rest.split("\n")) if (line) handle(line); });`
	p := newPair(t, server, echoFront())
	const cancel = `{"jsonrpc":"2.0","method":"cancel"}` + "\n"
	got := runNode(t, hello+ready+list+cancel+`{"jsonrpc":"2.0","id":3,"method":"call"}`+"\n", nil, p.fronted)
	want := ended{
		stdout: answer("1", "hello") + "\n" + answer(`"two"`, "list") + "\n" + `{"jsonrpc":"2.0","method":"changed"}` + "\n" + answer("3", "call") + "\n",
		stderr: "hello false\nready true\nlist true\ncancel true\ncall true\n",
	}
	if got != want {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// An input that ends at once is the stream that it is without a front.
func TestFrontWithAnEndAtOnce(t *testing.T) {
	p := newPair(t, `process.stdin.unref().ref().setTimeout(0); process.stdin.on("end", () => console.error("end")).on("close", () => console.error("closed")).resume();`, echoFront())
	if plain, fronted := runNode(t, "", nil, p.plain), runNode(t, "", nil, p.fronted); plain != fronted || plain.code != 0 {
		t.Errorf("plain\n%+v\nwith a front\n%+v", plain, fronted)
	}
}

// What the front cannot write is the server's to write, and to fail with.
func TestFrontWithNobodyToRead(t *testing.T) {
	p := newPair(t, "process.stdout.on('error', (error) => { console.error(error.code); process.exit(5); });\n"+echoServer, echoFront())
	for _, file := range []string{p.plain, p.fronted} {
		cmd := exec.Command("node", file)
		cmd.Stdin = strings.NewReader(hello + ready + list)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = out.Close()
		_ = cmd.Run()
		if cmd.ProcessState.ExitCode() != 5 || !strings.Contains(errs.String(), "EPIPE") {
			t.Errorf("%s: %v %s", file, cmd.ProcessState, errs.String())
		}
	}
}

// Inputs of all kinds, as a shell makes them.
func TestFrontReadsWhatNodeReads(t *testing.T) {
	p := newPair(t, echoServer, echoFront())
	dir := t.TempDir()
	write(t, dir+"/input", hello+ready+list)
	write(t, dir+"/large", hello+strings.Repeat(" ", 100_000)+"\n"+list)
	for _, redirection := range []string{"< /dev/null", "<&-", "< input", "< large", "< input > out; cat out", "< input >&-", "2>&- < input"} {
		var got [2]string
		for i, file := range []string{p.plain, p.fronted} {
			cmd := exec.Command("sh", "-c", "node "+file+" "+redirection)
			cmd.Dir = dir
			cmd.Env = append(cmd.Environ(), "HOME="+dir, "XDG_CACHE_HOME=")
			var both bytes.Buffer
			cmd.Stdout, cmd.Stderr = &both, &both
			_ = cmd.Run()
			got[i] = fmt.Sprint(sortedLines(both.String()), cmd.ProcessState.ExitCode())
		}
		if got[0] != got[1] {
			t.Errorf("%s:\nplain %s\nwith a front %s", redirection, got[0], got[1])
		}
	}
}

// A server that says something else than was recorded, or does not say it again.
func TestFrontProves(t *testing.T) {
	prove := []string{"OMCBUILD_FRONT=prove"}
	good := runNode(t, hello+ready+list, prove, newPair(t, echoServer, echoFront()).fronted)
	if good.code != 0 || !strings.Contains(good.stderr, "front: 3 messages are the same\n") {
		t.Errorf("%+v", good)
	}
	for name, c := range map[string]struct{ server, want string }{
		"another answer":   {strings.ReplaceAll(echoServer, `"*/"`, "Date.now()"), "front: 2 of 3 messages differ\n"},
		"ends with 0":      {strings.ReplaceAll(echoServer, `"*/"`, "2") + "process.stdin.on('end', () => process.exit(0));", "front: 2 of 3 messages differ\n"},
		"no answer":        {"process.stdin.resume();", "did not say again"},
		"past the stream":  {strings.ReplaceAll(echoServer, "process.stdout.write(", "require('fs').writeSync(1, "), "did not say again"},
		"reads the file 0": {"console.error(require('fs').readFileSync(0, 'utf8').length);", "did not say again"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runNode(t, hello+ready+list, prove, newPair(t, c.server, echoFront()).fronted)
			if got.code != 1 || !strings.Contains(got.stderr, c.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestFrontRefusesWhatItCannotWriteDown(t *testing.T) {
	plain := []bundler.Output{{Path: "a.cjs", Contents: []byte("x")}}
	match := json.RawMessage(`{"method":"a"}`)
	for name, f := range map[string]bundler.Front{
		"variable": {Env: []string{"A-*/"}},
		"pattern":  {Answers: []bundler.FrontAnswer{{Match: json.RawMessage(`{`)}}},
		"lines":    {Answers: []bundler.FrontAnswer{{Match: match, Messages: []string{"a\nb"}}}},
		"UTF-8":    {Answers: []bundler.FrontAnswer{{Match: match, Messages: []string{"\xff"}}}},
	} {
		if _, err := bundler.WithFront(plain, f); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := bundler.WithFront(nil, bundler.Front{}); err == nil {
		t.Error("no bundle: no error")
	}
	if _, err := bundler.WithFront([]bundler.Output{{Contents: []byte("\xff")}}, bundler.Front{}); err == nil {
		t.Error("no UTF-8: no error")
	}
}
