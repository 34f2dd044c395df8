package bundler_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"omcbuild/bundler"
)

// sdkServer is a server as people write them.
const sdkServer = `
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
const server = new McpServer({ name: "sdk", version: "1.2.3" });
server.registerTool("add", { description: "Returns the sum… of two numbers. */", inputSchema: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
await server.connect(new StdioServerTransport());
console.error("running");
`

// A server on the SDK says through a front what it says without one, and proves it.
func TestFrontBeforeAServerOnTheSDK(t *testing.T) {
	root, err := filepath.Abs("../src")
	if err != nil {
		t.Fatal(err)
	}
	result, err := bundler.Build(context.Background(), bundler.Options{Root: root, Source: sdkServer, Outfile: "out/server.cjs"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	place(t, dir, result.Outputs)
	file := filepath.Join(dir, "out", "server.cjs")
	requests := []string{
		`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}},"jsonrpc":"2.0","id":0}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"method":"tools/list","jsonrpc":"2.0","id":1}`,
		`{"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}},"jsonrpc":"2.0","id":"call"}`,
		`{"method":"prompts/list","jsonrpc":"2.0","id":2}`,
	}
	input := strings.Join(requests, "\n") + "\n"
	plain := runNode(t, input, nil, file)
	said := map[string]string{} // by the end of the line, where this SDK writes the id; its answers overtake each other
	for line := range strings.Lines(plain.stdout) {
		said[line[strings.LastIndex(line, ",")+1:]] = strings.TrimSuffix(line, "\n")
	}
	first, tools := said["\"id\":0}\n"], said["\"id\":1}\n"]
	if len(said) != len(requests)-1 || first == "" || !strings.Contains(tools, "sum…") {
		t.Fatalf("%+v", plain)
	}
	answers := []bundler.FrontAnswer{
		{Match: json.RawMessage(`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":"?object","clientInfo":{"name":"?string","version":"?string"}}}`),
			Asks: true, Messages: []string{strings.Replace(first, `"id":0`, `"id":`+bundler.FrontID, 1)}},
		{Match: json.RawMessage(`{"method":"notifications/initialized"}`)},
		{Match: json.RawMessage(`{"method":"tools/list"}`), Asks: true, Last: true, Messages: []string{strings.Replace(tools, `"id":1`, `"id":`+bundler.FrontID, 1)}},
	}
	fronted, err := bundler.WithFront(result.Outputs, bundler.Front{Answers: answers})
	if err != nil {
		t.Fatal(err)
	}
	place(t, dir, fronted)
	lines := sortedLines(plain.stdout)
	if got := runNode(t, input, nil, file); !slices.Equal(sortedLines(got.stdout), lines) || got.stderr != plain.stderr || got.code != 0 {
		t.Errorf("plain\n%+v\nwith a front\n%+v", plain, got)
	}
	proof := runNode(t, input, []string{"OMCBUILD_FRONT=prove"}, file)
	if proof.stderr != "running\nfront: 2 messages are the same\n" || !slices.Equal(sortedLines(proof.stdout), lines) {
		t.Errorf("%+v", proof)
	}
}

// Once the server has said again what the front said, nothing of the front is left.
func TestFrontLeavesNothingBehind(t *testing.T) {
	const told = `
	let rest = "";
	process.stdin.on("data", (data) => {
	  const lines = (rest + data).split("\n");
	  rest = lines.pop();
	  for (const line of lines) {
	    const { id, method } = JSON.parse(line);
	    const { stdin, stdout } = process;
	    const left = method !== "call" ? method : {
	      own: [Object.hasOwn(stdout, "_write"), Object.hasOwn(stdout, "_writev")],
	      listeners: [stdin.listenerCount("readable"), stdin.listenerCount("data"), stdin.listenerCount("end"), ...["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name))],
	      stdin: [stdin.isPaused(), stdin.readableFlowing, stdin.readableLength, stdin.readableEncoding, stdin.fd, stdin.constructor.name],
	      loaded: module.loaded,
	    };
	    const result = method === "call" ? left : { method, "…": "*/" };
	    if (id !== undefined) setImmediate(() => stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n"));
	    if (method === "list") setImmediate(() => stdout.write('{"jsonrpc":"2.0","method":"changed"}\n'));
	  }
	});`
	p := newPair(t, told, echoFront())
	var got [2]string
	for i, file := range []string{p.plain, p.fronted} {
		s := startSession(t, nil, file)
		s.send(hello + ready + list)
		s.expect(answer("1", "hello"), answer(`"two"`, "list"), `{"jsonrpc":"2.0","method":"changed"}`)
		for range 3 {
			s.send(`{"jsonrpc":"2.0","id":5,"method":"call"}` + "\n")
			got[i] = s.next()
		}
	}
	if got[0] != got[1] {
		t.Errorf("plain\n%s\nwith a front\n%s", got[0], got[1])
	}
}
