package bundler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// reply is the rest of a server: what it does with a line.
const reply = `
const reply = (line) => {
  if (!line.trim()) return;
  const { id, method, params } = JSON.parse(line);
  if (method === "exit") process.exit(params.code);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { method, "…": "*/" } }) + "\n");
  if (method === "list") process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "changed" }) + "\n");
};
`

// However a server reads its input and writes its output, a front does not show.
func TestFrontWithServersOfAllStyles(t *testing.T) {
	styles := map[string]string{
		"data": `let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); });`,
		"readable": `let rest = ""; process.stdin.setEncoding("utf8").on("readable", () => {
			for (let d; (d = process.stdin.read()) !== null; ) { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); } });`,
		"read of a byte": `let rest = ""; process.stdin.on("readable", () => {
			for (let d; (d = process.stdin.read(1)) !== null; ) { rest += d.toString("latin1"); if (d[0] === 10) { reply(Buffer.from(rest, "latin1").toString()); rest = ""; } } });`,
		"for await":         `(async () => { let rest = ""; for await (const d of process.stdin) { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); } process.exitCode = 4; })();`,
		"readline":          `require("node:readline").createInterface({ input: process.stdin }).on("line", reply).on("close", () => { process.exitCode = 6; });`,
		"readline promises": `(async () => { for await (const line of require("node:readline/promises").createInterface({ input: process.stdin, crlfDelay: Infinity })) reply(line); })();`,
		"pipe": `const { Transform, PassThrough } = require("node:stream"); let rest = "";
			process.stdin.pipe(new PassThrough()).on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); });`,
		"web stream": `(async () => { let rest = ""; const { Readable } = require("node:stream");
			for await (const d of Readable.toWeb(process.stdin).pipeThrough(new TextDecoderStream())) { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); } })();`,
		"late":   `setTimeout(() => { let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); }).on("end", () => process.exit(8)); }, 80);`,
		"paused": `process.stdin.pause(); let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); }); setTimeout(() => process.stdin.resume(), 20);`,
		"once": `(async () => { const { once } = require("node:events"); let rest = ""; process.stdin.once("end", () => process.exit(2));
			for (;;) { const [d] = await once(process.stdin, "data"); const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); } })();`,
		"never":              `console.error("no reader"); process.exitCode = 9;`,
		"at the end":         `let all = ""; process.stdin.on("data", (d) => all += d).on("end", () => all.split("\n").forEach(reply));`,
		"in pieces":          `const { write } = process.stdout; process.stdout.write = (text) => { for (const c of Buffer.from(text)) write.call(process.stdout, Buffer.from([c])); }; let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); });`,
		"corked":             `process.stdout.cork(); let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); }).on("end", () => process.stdout.uncork());`,
		"piped out":          `const { PassThrough } = require("node:stream"); const out = new PassThrough(); out.pipe(process.stdout); const { stdout } = process; Object.defineProperty(process, "stdout", { get: () => out }); let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); });`,
		"speaks first":       `process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method: "log" }) + "\n"); let rest = ""; process.stdin.on("data", (d) => { const lines = (rest + d).split("\n"); rest = lines.pop(); lines.forEach(reply); });`,
		"ends without a end": `process.stdout.write("noise"); process.stdin.on("end", () => process.exit(1)).resume();`,
	}
	input := hello + ready + list + `{"jsonrpc":"2.0","id":3,"method":"call"}` + "\n" + `{"jsonrpc":"2.0","id":4,"method":"last"}` + "\n"
	for name, style := range styles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, reply+style, echoFront())
			plain, fronted := runNode(t, input, nil, p.plain), runNode(t, input, nil, p.fronted)
			if name == "never" || name == "ends without a end" { // the front has answered where the server would not
				fronted.stdout, _ = strings.CutPrefix(fronted.stdout, answer("1", "hello")+"\n"+answer(`"two"`, "list")+"\n{\"jsonrpc\":\"2.0\",\"method\":\"changed\"}\n")
			}
			if name == "speaks first" { // it comes when the server is there
				plain.stdout, fronted.stdout = strings.Join(sortedLines(plain.stdout), "\n"), strings.Join(sortedLines(fronted.stdout), "\n")
			}
			if plain != fronted {
				t.Errorf("plain\n%+v\nwith a front\n%+v", plain, fronted)
			}
		})
	}
}

// What a program sees of itself is the same: names, lines, texts of functions.
func TestFrontKeepsTheProgram(t *testing.T) {
	for name, server := range map[string]string{
		"comments":    "/* one *\\/ two */ /** three **/ console.log(1 /*/*/, 2);\nconsole.log((() => { /* in *\\* side */ }).toString());",
		"regexes":     "console.log(/*a*/ /\\*\\//.test('*/'), /[*/]*/.source, `*/${'*/'}*\\/`, String.raw`*\\/ *~ ~u2026 …`);",
		"strings":     "console.log(JSON.stringify('\u2028\u2029é…𝄞\ufeff\\u2026 ~u2026 *~ *^ *@ ~uu2026 \x01\x7f'));",
		"lines":       "function named() {\n  throw new Error('x');\n}\ntry { named(); } catch (error) { console.log(error.stack.split('\\n').slice(1, 3).map((line) => line.replace(/\\(.*cjs/, '')).map(line => line.replace(/:\\d+:/, (n) => process.env.SHIFT ? `:${n.slice(1, -1) - process.env.SHIFT}:` : n)).join()); }",
		"itself":      "console.log(require.main === module, module.id, module.loaded, typeof require.cache[__filename], this === module.exports, exports === module.exports, module.children.length, arguments.length, __filename.endsWith('server.cjs'), __dirname === require('node:path').dirname(__filename), process.argv.length, require.resolve('node:fs'));\nsetImmediate(() => console.log(module.loaded));",
		"import":      "import('node:path').then((m) => console.log(typeof m.join)); import('./absent.mjs').catch((e) => console.log(e.code)); import(__filename).then((m) => console.log(m.default === module.exports));",
		"strict":      "'use strict'; console.log((function () { return this; })() === undefined); try { undeclared = 1; } catch (e) { console.log(e.name); }",
		"sloppy":      "console.log((function () { return typeof this; })()); undeclared = 1; console.log(undeclared);",
		"return":      "console.log(1); return; console.log(2);",
		"globals":     "console.log(typeof __omcbuild_server, typeof __omcbuild_answers, typeof answers, typeof settings);",
		"crash":       "console.log(1);\n\nnull.x;",
		"late crash":  "setTimeout(() => { throw new Error('late'); }, 5);",
		"rejection":   "Promise.reject(new Error('no'));",
		"not thrown":  "throw 'text';",
		"exit code":   "process.exitCode = 12; process.stdin.resume();",
		"exit":        "process.on('exit', (code) => { console.log('exit', code); process.exitCode = 3; }); process.exit(2);",
		"before exit": "process.once('beforeExit', () => console.log('before')); process.stdin.resume();",
		"syntax":      "console.log(1);\nlet = ;",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, server, echoFront())
			text, err := os.ReadFile(p.fronted)
			if err != nil {
				t.Fatal(err)
			}
			at := bytes.Index(text, []byte("\nfunction __omcbuild_server"))
			shift := strconv.Itoa(bytes.Count(text[:at], []byte("\n")) + 1)
			for _, input := range []string{"", hello + list} {
				plain, fronted := runNode(t, input, nil, p.plain), runNode(t, input, []string{"SHIFT=" + shift}, p.fronted)
				fronted.stdout = strings.Replace(fronted.stdout, answer("1", "hello")+"\n", "", 1)
				fronted.stdout = strings.Replace(fronted.stdout, answer(`"two"`, "list")+"\n"+`{"jsonrpc":"2.0","method":"changed"}`+"\n", "", 1)
				plain.stderr, fronted.stderr = crash(plain.stderr, p.plain), crash(fronted.stderr, p.fronted)
				if plain != fronted {
					t.Errorf("after %q: plain\n%+v\nwith a front\n%+v", input, plain, fronted)
				}
			}
		})
	}
}

// crash is what node prints of an error, without the frames that are not the
// program's and without the line numbers.
func crash(stderr, file string) string {
	lines := strings.Split(strings.ReplaceAll(stderr, file, "FILE"), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if strings.HasPrefix(line, "    at ") && !strings.Contains(line, "Object.<anonymous> (FILE") {
			continue
		}
		kept = append(kept, digits.ReplaceAllString(line, "FILE:N"))
	}
	return strings.Join(kept, "\n")
}

// What loads the server at once: then nothing was answered by the front, and the
// program is not different at all.
func TestFrontStepsAside(t *testing.T) {
	p := newPair(t, "console.error('state', module.loaded, process.argv.slice(2).join());\n"+echoServer, echoFront())
	input := hello + ready + list
	for name, c := range map[string]struct{ env, args []string }{
		"OMCBUILD_FRONT": {env: []string{"OMCBUILD_FRONT=0"}},
		"variable":       {env: []string{"FRONT_OFF=1"}},
		"empty variable": {env: []string{"FRONT_OFF="}},
		"argument":       {args: []string{"--version"}},
	} {
		t.Run(name, func(t *testing.T) {
			other := strings.Replace(input, `"1"`, `"2"`, 1)
			if got := runNode(t, other, c.env, append([]string{p.fronted}, c.args...)...); !strings.HasPrefix(got.stderr, "state false "+strings.Join(c.args, "")+"\nloaded\ngot hello 1\n") {
				t.Errorf("%+v", got)
			}
		})
	}
	requires := "const before = Object.keys(require.cache).length; const s = require(process.argv[1]); console.log(Object.keys(s).length, typeof process.stdin._events.readable);"
	if got := runNode(t, "", nil, "-e", requires, "--", p.fronted); !strings.HasPrefix(got.stderr, "state false ") || got.code != 0 {
		t.Errorf("required: %+v", got)
	}
	thread := "new (require('node:worker_threads').Worker)(process.argv[1]).on('error', (e) => console.log(e)).on('exit', (code) => console.log('ended', code));"
	if got := runNode(t, "", nil, "-e", thread, "--", p.fronted); !strings.Contains(got.stderr, "state false ") || got.stdout != "ended 0\n" {
		t.Errorf("in a thread: %+v", got)
	}
}

// Which requests an answer is given to; -1 asks the server.
func TestFrontAnswersOnlyWhatFits(t *testing.T) {
	pattern := `{"method":"m","params":{"a":1,"b?":"?string","c":{"*":"?any"},"d":["?number",null,true],"__proto__?":"?object"}}`
	f := bundler.Front{Answers: []bundler.FrontAnswer{
		{Match: json.RawMessage(pattern), Asks: true, Messages: []string{`{"front":` + bundler.FrontID + `}`}},
		{Match: json.RawMessage(`{"method":"two"}`), Asks: true, Messages: []string{`{"a":` + bundler.FrontID + `,"b":` + bundler.FrontID + `}`}},
	}}
	p := newPair(t, "process.stdin.resume(); process.on('exit', () => console.log('server'));", f)
	params := `{"a":1,"c":{},"d":[5,null,true]}`
	ask := func(id, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"m","params":` + params + `}`
	}
	for line, want := range map[string]string{
		ask(`1`, params):                          `{"front":1}`,
		ask(`-7`, params):                         `{"front":-7}`,
		ask(`0`, params):                          `{"front":0}`,
		ask(`9007199254740991`, params):           `{"front":9007199254740991}`,
		ask(`"a-b_c:1.2/3"`, params):              `{"front":"a-b_c:1.2/3"}`,
		ask(`""`, params):                         `{"front":""}`,
		ask(`"\u0061"`, params):                   `{"front":"a"}`,
		ask(`1e2`, params):                        `{"front":100}`,
		ask(`9007199254740993`, params):           ``,
		ask(`1.5`, params):                        ``,
		ask(`null`, params):                       ``,
		ask(`true`, params):                       ``,
		ask(`[1]`, params):                        ``,
		ask(`{"a":1}`, params):                    ``,
		ask(`"é"`, params):                        ``,
		ask(`"$&"`, params):                       ``,
		ask(`"\""`, params):                       ``,
		ask(`"<id>"`, params):                     ``,
		"[" + ask(`1`, params) + "]":              ``,
		ask(`1`, params) + ` x`:                   ``,
		" " + ask(`1`, params) + " \r":            `{"front":1}`,
		``:                                        ``,
		`null`:                                    ``,
		`"m"`:                                     ``,
		`{"method":"two","id":1}`:                 ``,
		`{"jsonrpc":"1.0","method":"two","id":1}`: ``,
		`{"jsonrpc":"2.0","method":"two"}`:        ``,
		`{"jsonrpc":"2.0","method":"two","id":1,"params":{}}`:            ``,
		`{"jsonrpc":"2.0","method":"two","id":1,"extra":0}`:              ``,
		`{"jsonrpc":"2.0","method":"two","id":"x"}`:                      `{"a":"x","b":"x"}`,
		`{"id":1,"method":"two","jsonrpc":"2.0"}`:                        `{"a":1,"b":1}`,
		`{"jsonrpc":"2.0","id":1,"method":"constructor"}`:                ``,
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:                          ``,
		ask(`1`, `{"a":1,"b":"x","c":{"x":{"y":[]}},"d":[0,null,true]}`): `{"front":1}`,
		ask(`1`, `{"a":1,"b":2,"c":{},"d":[0,null,true]}`):               ``,
		ask(`1`, `{"a":2,"c":{},"d":[0,null,true]}`):                     ``,
		ask(`1`, `{"a":"1","c":{},"d":[0,null,true]}`):                   ``,
		ask(`1`, `{"a":1,"c":[],"d":[0,null,true]}`):                     ``,
		ask(`1`, `{"a":1,"c":null,"d":[0,null,true]}`):                   ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null]}`):                          ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null,true,1]}`):                   ``,
		ask(`1`, `{"a":1,"c":{},"d":{"0":0,"1":null,"2":true}}`):         ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null,true],"z":1}`):               ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null,true],"b?":"x"}`):            ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null,true],"toString":1}`):        ``,
		ask(`1`, `{"a":1,"c":{},"d":[0,null,true],"__proto__":{}}`):      `{"front":1}`,
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if want != "" {
				want += "\n"
			}
			if got := runNode(t, line+"\n", nil, p.fronted); got.stdout != want+"server\n" || got.code != 0 {
				t.Errorf("%.200s: got %+v, want %q", line, got, want)
			}
		})
	}
}

// Whole bundles of ours: with waits at the top level, with a source map.
func TestFrontBeforeBundles(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.ts"), "import { later } from './later.ts';\nconst ready: number = await later();\n"+strings.Replace(echoServer, "let rest", "let rest: any", 1)+"process.stdin.on('end', () => { throw new Error('at the end ' + ready); });\n")
	write(t, filepath.Join(root, "later.ts"), "export const later = () => new Promise<number>((done) => setTimeout(() => done(5), 20));\n")
	for _, minify := range []bool{false, true} {
		result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Entry: "main.ts", Outfile: "out/server.cjs", Sourcemap: true, Minify: minify})
		if err != nil {
			t.Fatal(err)
		}
		f := echoFront()
		f.Minify = minify
		fronted, err := bundler.WithFront(result.Outputs, f)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		place(t, filepath.Join(dir, "a"), result.Outputs)
		place(t, filepath.Join(dir, "b"), fronted)
		input := hello + ready + list + `{"jsonrpc":"2.0","id":3,"method":"call"}` + "\n"
		plain := runNode(t, input, nil, "--enable-source-maps", filepath.Join(dir, "a", "out", "server.cjs"))
		front := runNode(t, input, nil, "--enable-source-maps", filepath.Join(dir, "b", "out", "server.cjs"))
		plain.stderr = strings.ReplaceAll(plain.stderr, filepath.Join(dir, "a"), "DIR")
		front.stderr = strings.ReplaceAll(front.stderr, filepath.Join(dir, "b"), "DIR")
		if plain != front {
			t.Errorf("minify %v: plain\n%+v\nwith a front\n%+v", minify, plain, front)
		}
		if !strings.Contains(front.stderr, "main.ts:19") {
			t.Errorf("the stack names no source: %s", front.stderr)
		}
	}
}

var digits = regexp.MustCompile(`FILE:\d+`)
