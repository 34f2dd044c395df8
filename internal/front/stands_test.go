package front

import (
	"strings"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/surface"
)

// stand asks whether the answers of one server are those of another.
func stand(t *testing.T, before, after string, change func(*bundler.Front)) (*surface.Probe, *Proof) {
	t.Helper()
	o := options(t, before)
	known := Options{File: o.FileName}
	old, list := Record(run(t, o), known)
	if len(list) > 0 {
		t.Fatal(list)
	}
	if change != nil {
		change(old)
	}
	o = options(t, after)
	outputs, err := bundler.WithFront([]bundler.Output{{Path: o.FileName, Contents: o.Bundle}}, *old)
	if err != nil {
		t.Fatal(err)
	}
	probe, proof, err := Stands(t.Context(), o, func() ([]byte, error) { return outputs[0].Contents, nil }, old, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	return probe, proof
}

func TestStands(t *testing.T) {
	const otherwise = `; const as = (method, change) => { const f = handlers[method]; handlers[method] = (params, id) => change(f(params, id), params, id); };`
	tests := []struct {
		name, after string
		change      func(*bundler.Front)
		stands      bool
	}{
		{name: "the same", stands: true},
		{name: "another call", after: `handlers["tools/call"] = () => ({ content: [], isError: true });`, stands: true},
		{name: "another description", after: `tools[1].description = "new";`},
		{name: "a tool more", after: `tools.push({ name: "more", inputSchema: { type: "object" } });`},
		{name: "other words for an older version", after: `as("initialize", (r, p) => (p.protocolVersion < "2025" ? { ...r, instructions: "old" } : r));`},
		{name: "other words for another client", after: `as("server/discover", (r, p) => (JSON.stringify(p).includes("claude-code") ? r : { ...r, ttlMs: 1 }));`},
		{name: "another list for another client", after: `as("tools/list", (r, p) => (JSON.stringify(p).includes('"name":"omcbuild"') ? { tools: [] } : r));`},
		{name: "other words elsewhere", after: `as("tools/list", (r) => (Date.now() > Date.parse("2028-01-01") ? { tools: [] } : r));`},
		{name: "a look around", after: `require("node:fs").existsSync("/opt/fixture");`},
		{name: "a variable", after: `void process.env.FIXTURE;`},
		{name: "noise", after: `console.log("hello");`},
		{name: "a request", after: `as("server/discover", (r) => { say({ jsonrpc: "2.0", id: 1, method: "roots/list" }); return r; });`},
		{name: "no answer to what it does not know", after: `handlers["omcbuild/no-such-method"] = () => undefined;`},
		{name: "a throw", after: `throw new Error("boom");`},
		{name: "an end behind a front", after: `if (process.listenerCount("SIGTERM") > 0) process.exit(3);`},
		{name: "no end", after: `setInterval(() => {}, 1000);`},
		{name: "a status", after: `process.on("exit", () => { process.exitCode = 4; });`},
		{name: "without the stateless protocol", after: `delete handlers["server/discover"];`},
		{name: "an answer that was never given", change: func(f *bundler.Front) {
			f.Answers[0].Messages[0] = strings.Replace(f.Answers[0].Messages[0], "fixture", "other", 1)
		}},
		{name: "an answer that is not asked for", change: func(f *bundler.Front) {
			f.Answers = append(f.Answers, bundler.FrontAnswer{Match: []byte(`{"method":"x"}`)})
		}},
		{name: "an answer elsewhere", change: func(f *bundler.Front) { f.Answers[0].After = nil }},
		{name: "an answer less", change: func(f *bundler.Front) { f.Answers = f.Answers[:len(f.Answers)-1] }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			probe, proof := stand(t, server, server+otherwise+test.after, test.change)
			if (probe != nil) != test.stands {
				t.Fatalf("stands: %v", probe != nil)
			}
			if test.stands && (proof.Initialize <= 0 || proof.List < proof.Initialize || !probe.Listed() || len(probe.Stderr) > 0) {
				t.Errorf("proof %+v, stderr %q", proof, probe.Stderr)
			}
		})
	}
}

// A server that greets its clients may remember the first.
func TestStandsNotForServersThatGreet(t *testing.T) {
	old := server + `delete handlers["server/discover"];`
	if probe, _ := stand(t, old, old, nil); probe != nil {
		t.Error("it stands")
	}
}
