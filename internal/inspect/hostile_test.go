package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"omcbuild/internal/inspect"
)

const (
	builds  = `{"name":"p","version":"1.0.0","scripts":{"build":"node build.mjs"}}`
	plain   = `await esbuild.build({ entryPoints: ["src/a.ts"], outfile: "dist/a.js" });`
	servers = `{"mcpServers":{"t":{"command":"node","args":["dist/a.js"]}}}`
)

// Each of these asks for more than anyone can wait for: what grows with the
// power, or with the square, of its size. All of it ends at once.
func TestHostileSizes(t *testing.T) {
	times := strings.Repeat
	var chain, functions, many, scripts strings.Builder
	for i := range 24 {
		fmt.Fprintf(&chain, "function f%d(x) { f%d(x); f%d(x); }\n", i, i+1, i+1)
	}
	chain.WriteString("function f24(x) { esbuild.build({ entryPoints: [x], outfile: 'dist/a.js' }); }\nf0('src/a.ts');\n")
	for i := range 20_000 {
		fmt.Fprintf(&functions, "function g%d(a) { return a }\n", i)
	}
	for i := range 8000 {
		fmt.Fprintf(&many, `"s%d":{"command":"node","args":["dist/a.js"]},`, i)
		fmt.Fprintf(&scripts, `"build:%d":"node dist/x%d.js",`, i, i)
	}
	deep := "src/" + times("d/", 25)
	for name, files := range map[string]map[string]string{
		"braces":     {"package.json": builds, "build.mjs": `esbuild.build({ entryPoints: ["` + times("{a,b}", 22) + `.ts"], outdir: "dist" })`},
		"nested":     {"package.json": builds, "build.mjs": `esbuild.build({ entryPoints: ["` + times("{a,", 22) + times("}", 22) + `.ts"], outdir: "dist" })`},
		"workspaces": {"package.json": `{"name":"p","version":"1.0.0","workspaces":["` + times("{a,b}", 26) + `"]}`},
		"wide":       {"package.json": `{"name":"p","version":"1.0.0","workspaces":[` + times(`"**",`, 1000) + `"x"]}`, deep + "x.ts": ""},
		"stars":      {"package.json": builds, "build.mjs": `esbuild.build({ entryPoints: ["src/` + times("**/*/", 6) + `x.ts"], outdir: "dist" })`, deep + "x.ts": ""},
		"calls":      {"package.json": builds, "build.mjs": chain.String()},
		"conditions": {"package.json": builds, "build.mjs": "if (x) {" + functions.String() + chain.String() + "}" + times("if (x) "+plain, 150)},
		"members":    {"package.json": builds, "build.mjs": plain + "a" + times(".b", 300_000) + " = 1"},
		"pushes":     {"package.json": builds, "build.mjs": plain + "a" + times(".push", 100_000) + "(1)"},
		"arrows":     {"package.json": builds, "build.mjs": plain + times("a=>", 100_000) + "1"},
		"heads":      {"package.json": builds, "build.mjs": plain + times("for(", 50_000) + times(")", 50_000)},
		"parameters": {"package.json": builds, "build.mjs": plain + times("(a=", 50_000) + times(")=>1", 50_000)},
		"maps":       {"package.json": builds, "build.mjs": plain + "a" + times(".map(x=>x)", 50_000)},
		"bodies":     {"package.json": builds, "build.mjs": plain + times("if(f(){", 30_000) + times("}){}", 30_000)},
		"functions":  {"package.json": builds, "build.mjs": functions.String() + times(strings.TrimSuffix(plain, ";")+"\n", 200)},
		"servers":    {"package.json": builds, "build.mjs": plain, ".mcp.json": `{"mcpServers":{` + many.String() + `"t":{}}}`},
		"arguments":  {"package.json": builds, "build.mjs": plain, ".mcp.json": `{"mcpServers":{"t":{"command":"node","args":[` + times(`"--x",`, 40_000) + `"dist/a.js"]}}}`},
		"scripts":    {"package.json": `{"name":"p","version":"1.0.0","scripts":{` + scripts.String() + `"build":"node build.mjs"}}`, "build.mjs": plain},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "src/a.ts", "")
			write(t, root, ".mcp.json", servers)
			for file, text := range files {
				write(t, root, file, text)
			}
			if _, err := inspect.Here(t.Context(), root); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	root := t.TempDir()
	write(t, root, "package.json", builds)
	write(t, root, "build.mjs", plain)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if result, err := inspect.Here(ctx, root); !errors.Is(err, context.Canceled) || result.Config != nil {
		t.Errorf("%s, %v", result.Config, err)
	}
}
