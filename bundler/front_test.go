package bundler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"omcbuild/bundler"
)

// echoServer answers each request with its method; what it is asked and how it ends
// is written to stderr.
const echoServer = `
let rest = "";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
console.error("loaded");
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    let message;
    try { message = JSON.parse(line); } catch { console.error("no JSON", line.length); continue; }
    console.error("got", message.method, message.id);
    if (message.method === "exit") process.exit(message.params.code);
    if (message.id !== undefined) say({ id: message.id, result: { method: message.method, "…": "*/" } });
    if (message.method === "list") say({ method: "changed" });
  }
}).on("end", () => console.error("end"));
`

// echoFront answers two methods of echoServer.
func echoFront() bundler.Front {
	answer := func(method string) []string {
		return []string{`{"jsonrpc":"2.0","id":` + bundler.FrontID + `,"result":{"method":"` + method + `","…":"*/"}}`}
	}
	return bundler.Front{Env: []string{"FRONT_OFF"}, Answers: []bundler.FrontAnswer{
		{Match: json.RawMessage(`{"method":"hello","params":{"version":"1","client":"?object"}}`), Asks: true, After: []string{bundler.FrontStart}, State: "open", Messages: answer("hello")},
		{Match: json.RawMessage(`{"method":"ready","params?":{}}`)},
		{Match: json.RawMessage(`{"method":"list","params?":{}}`), Asks: true, After: []string{"open"}, Messages: append(answer("list"), `{"jsonrpc":"2.0","method":"changed"}`), Last: true},
	}}
}

// pair is one program as a plain bundle and as one with a front.
type pair struct {
	t              *testing.T
	plain, fronted string
}

func newPair(t *testing.T, server string, f bundler.Front) pair {
	t.Helper()
	plain := bundler.Output{Path: "server.cjs", Contents: []byte("#!/usr/bin/env node\n" + server), Mode: 0o755}
	fronted, err := bundler.WithFront([]bundler.Output{plain}, f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	place(t, filepath.Join(dir, "plain"), []bundler.Output{plain})
	place(t, filepath.Join(dir, "fronted"), fronted)
	return pair{t, filepath.Join(dir, "plain", "server.cjs"), filepath.Join(dir, "fronted", "server.cjs")}
}

// ended is how a process ended and what it wrote.
type ended struct {
	stdout, stderr string
	code           int
}

// runNode runs a program to its end with an input that ends.
func runNode(t *testing.T, input string, env []string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = append(append(cmd.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="), env...)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":"1","client":{"name":"x"}}}` + "\n"
	ready = `{"jsonrpc":"2.0","method":"ready"}` + "\n"
	list  = `{"jsonrpc":"2.0","id":"two","method":"list"}` + "\n"
)

// Whatever is asked, a bundle with a front writes what the plain one writes.
func TestFrontAnswersAsTheServer(t *testing.T) {
	p := newPair(t, echoServer, echoFront())
	for name, input := range map[string]string{
		"nothing":         "",
		"the usual":       hello + ready + list,
		"one request":     hello,
		"then a call":     hello + ready + list + `{"jsonrpc":"2.0","id":3,"method":"call"}` + "\n",
		"unknown first":   `{"jsonrpc":"2.0","id":0,"method":"probe"}` + "\n" + hello + list,
		"exit":            hello + list + `{"jsonrpc":"2.0","method":"exit","params":{"code":7}}` + "\n",
		"no JSON":         hello + "garbage\n" + list,
		"unfinished line": hello + ready + strings.TrimSuffix(list, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			plain, fronted := runNode(t, input, nil, p.plain), runNode(t, input, nil, p.fronted)
			if plain != fronted {
				t.Errorf("plain\n%+v\nwith a front\n%+v", plain, fronted)
			}
		})
	}
}

func TestUnfrontGivesBackWhatWentIn(t *testing.T) {
	for _, server := range []string{"", "x", echoServer, "/* a *~ b *^ */ \"~u2026 …\" // 𝄞\n*//*/", strings.Repeat("é", 100), "…" + strings.Repeat("~uuuu", 400), "…~" + strings.Repeat("u", 400)} {
		plain := bundler.Output{Path: "a.cjs", Contents: []byte("#!/usr/bin/env node\n" + server)}
		f := echoFront()
		out, err := bundler.WithFront([]bundler.Output{plain}, f)
		if err != nil {
			t.Fatal(err)
		}
		back, front, ok := bundler.Unfront(out[0].Contents)
		if !ok || !bytes.Equal(back, plain.Contents) {
			t.Errorf("got %q, want %q", back, plain.Contents)
		}
		got, _ := json.Marshal(front)
		want, _ := json.Marshal(f)
		if string(got) != string(want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
		if alone, ok := bundler.FrontOf(out[0].Contents); !ok || !reflect.DeepEqual(alone, front) {
			t.Errorf("the front by itself is %v, want %v", alone, front)
		}
		if _, ok := bundler.FrontOf(plain.Contents); ok {
			t.Error("a bundle without a front has one")
		}
		if _, _, ok := bundler.Unfront(plain.Contents); ok {
			t.Error("a plain bundle has no front")
		}
	}
}

// What is read is only what is written: another mark would be work without a bound.
func TestUnfrontRefusesOtherMarks(t *testing.T) {
	out, err := bundler.WithFront([]bundler.Output{{Path: "a.cjs", Contents: []byte(strings.Repeat("a", 1000) + "…")}}, bundler.Front{})
	if err != nil {
		t.Fatal(err)
	}
	ours := []byte(`"unicode":"~u"`)
	marks := map[string]bool{"~u": true, "~uuu": true, "x": false, "~": false, "~u.": false, strings.Repeat("(", 99): false, "~" + strings.Repeat("u", 99): false}
	for mark, want := range marks {
		text := bytes.Replace(out[0].Contents, ours, []byte(`"unicode":"`+mark+`"`), 1)
		if _, _, ok := bundler.Unfront(text); ok != want {
			t.Errorf("the mark %s: read is %v", mark, ok)
		}
	}
}

// Any text comes back as it was, and any file can be looked at.
func FuzzFront(f *testing.F) {
	f.Add("#!/usr/bin/env node\nx /* a *~ */ …", `{"id":<id>}`)
	f.Add("*~*^*@*#~u2026~uu", "~u\u2028")
	f.Add(strings.Repeat("é*/", 50), "")
	f.Add("function __omcbuild_answers() {/*\n{}\n*/}\nfunction __omcbuild_server() {/*\n\n*/}\n", "\t")
	f.Fuzz(func(t *testing.T, server, message string) {
		bundler.Unfront([]byte(server))
		front := bundler.Front{Answers: []bundler.FrontAnswer{{Match: json.RawMessage(`{"a":"*/"}`), Messages: []string{message}}}}
		out, err := bundler.WithFront([]bundler.Output{{Contents: []byte(server)}}, front)
		if err != nil {
			return
		}
		back, got, ok := bundler.Unfront(out[0].Contents)
		if !ok || string(back) != server || got.Answers[0].Messages[0] != message {
			t.Errorf("got %q and %+v of %q and %q", back, got, server, message)
		}
		if _, rest, _ := bytes.Cut(out[0].Contents, []byte("\n})();\n")); bytes.Count(rest, []byte("*/")) != 2 {
			t.Errorf("a comment ends early in %q", rest)
		}
	})
}

func sortedLines(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

func TestTampered(t *testing.T) {
	front := bundler.Front{Env: []string{"A"}, Answers: []bundler.FrontAnswer{{Match: []byte(`{"method":"ping"}`), Asks: true, Messages: []string{`{"id":` + bundler.FrontID + `}`}}}}
	for _, front.Minify = range []bool{false, true} {
		outputs, err := bundler.WithFront([]bundler.Output{{Contents: []byte("#!/usr/bin/env node\nconsole.log(1);\n")}}, front)
		if err != nil {
			t.Fatal(err)
		}
		text := string(outputs[0].Contents)
		for name, changed := range map[string]string{
			"the code":          strings.Replace(text, "function __omcbuild_answers", "boom();\nfunction __omcbuild_answers", 1),
			"a line at the end": text + "boom();\n",
			"the settings":      strings.Replace(text, `"env":["A"]`, `"env": ["A"]`, 1),
		} {
			if !bundler.Tampered([]byte(changed)) {
				t.Errorf("minified %t: %s was changed", front.Minify, name)
			}
		}
		if bundler.Tampered(outputs[0].Contents) || bundler.Tampered([]byte("console.log(1);\n")) {
			t.Errorf("minified %t: nothing was changed", front.Minify)
		}
	}
}
