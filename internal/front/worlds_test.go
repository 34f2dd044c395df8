package front

import (
	"slices"
	"strings"
	"testing"

	"omcbuild/bundler"
	"omcbuild/internal/diag"
)

// What a server lists may depend on the machine, the version of Node, the time and who
// asks. A server that only looks at them, as libraries do, keeps its front.
func TestAnswersThatDependOnTheMachine(t *testing.T) {
	const described = `tools[0].description = String(`
	for name, script := range map[string]string{
		"macOS":                      `if (process.platform === "darwin") tools.pop();`,
		"macOS, as os says":          `if (require("node:os").type() === "Darwin") tools.pop();`,
		"Windows":                    `if (process.platform === "win32") tools.pop();`,
		"the major version":          described + `parseInt(process.versions.node));`,
		"the version":                described + `process.version);`,
		"the version's place":        described + `process.execPath);`,
		"a younger module":           `if (require("node:module").isBuiltin("node:sqlite")) tools.pop();`,
		"a younger global":           described + `typeof WebSocket);`,
		"processors":                 described + `require("node:os").availableParallelism());`,
		"the first processor":        described + `require("node:os").cpus()[0].model);`,
		"the architecture":           described + `require("node:os").arch());`,
		"the host":                   described + `require("node:os").hostname());`,
		"network interfaces":         described + `Object.keys(require("node:os").networkInterfaces()));`,
		"the user":                   described + `process.geteuid());`,
		"the C library":              described + `process.report.getReport().header.glibcVersionRuntime);`,
		"variables in a report":      described + `process.report.getReport().environmentVariables.FIXTURE);`,
		"the year, in discover":      `handlers["server/discover"] = ((f) => () => ({ ...f(), ttlMs: new Date().getFullYear() }))(handlers["server/discover"]);`,
		"the client's name":          `handlers["server/discover"] = ((f) => (p) => ({ ...f(), ttlMs: JSON.stringify(p).includes('"claude-code"') ? 1 : 2 }))(handlers["server/discover"]);`,
		"the client's version":       `handlers["tools/list"] = ((f) => (p) => (JSON.stringify(p).includes('"version":"2.') ? { tools } : f(p)))(handlers["tools/list"]);`,
		"the client's abilities":     `handlers["server/discover"] = ((f) => (p) => ({ ...f(), ttlMs: JSON.stringify(p).includes('"elicitation"') ? 1 : 2 }))(handlers["server/discover"]);`,
		"whom it greets":             `delete handlers["server/discover"]; handlers.initialize = ((f) => (p) => ({ ...f(p), instructions: p.clientInfo.name }))(handlers.initialize);`,
		"the year it greets in":      `delete handlers["server/discover"]; handlers.initialize = ((f) => (p) => ({ ...f(p), instructions: String(new Date().getFullYear()) }))(handlers.initialize);`,
		"nothing, and looks at all":  `const os = require("node:os"); void [process.platform, process.version, process.versions.v8, process.execPath, process.argv[0], os.cpus().length, os.hostname(), os.homedir(), os.networkInterfaces(), typeof navigator, typeof WebSocket, Date.now(), process.report.getReport().header.arch, require("node:module").isBuiltin("fs")];`,
		"nothing, and asks who asks": `handlers["tools/list"] = ((f) => (p) => (JSON.stringify(p).includes("Claude") ? f(p) : f({ ...p })))(handlers["tools/list"]);`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, server+script)
			p := run(t, o)
			f, list := Record(p, Options{File: o.FileName})
			if f != nil {
				outputs, err := bundler.WithFront([]bundler.Output{{Path: o.FileName, Contents: o.Bundle}}, *f)
				if err != nil {
					t.Fatal(err)
				}
				o.Bundle = outputs[0].Contents
				if _, list, err = Prove(t.Context(), o, p); err != nil {
					t.Fatal(err)
				}
			}
			refused := slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Code == "front-refused" })
			if refused == strings.HasPrefix(name, "nothing") || list.HasErrors() {
				t.Errorf("%v", list)
			}
		})
	}
}
