package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fiftyTools writes a server as most authors write one: the SDK's server, a schema
// of zod for each tool, and `import { z } from "zod"`.
func fiftyTools() string {
	var b strings.Builder
	b.WriteString(`import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "records", version: "1.0.0" });
`)
	for i := range 50 {
		fmt.Fprintf(&b, `
server.registerTool(
  "collection_%[1]d",
  {
    description: "Returns the records of collection %[1]d that carry all of the tags, newest first.",
    inputSchema: {
      id: z.string().min(1).describe("Identifier of a record, or the beginning of one"),
      limit: z.number().int().min(1).max(100).optional().describe("How many, 10 when left out"),
      tags: z.array(z.string()).optional().describe("Tags that a record must carry"),
      form: z.enum(["short", "long"]).optional().describe("How much of each record, short when left out"),
    },
  },
  async ({ id, limit, tags, form }) => ({
    content: [{ type: "text", text: JSON.stringify({ collection: %[1]d, id, limit: limit ?? 10, tags: tags ?? [], form: form ?? "short" }) }],
  }),
);
`, i+1)
	}
	b.WriteString("\nserver.connect(new StdioServerTransport()).catch((error) => {\n  console.error(error);\n  process.exit(1);\n});\n")
	return b.String()
}

// takeSizes compares the sizes of bundles, which are the same in every round.
func takeSizes(ctx context.Context, l *lab, want wanted) (figures, error) {
	out := figures{}
	folder, err := l.fiftyTools()
	if err != nil {
		return nil, err
	}
	copied, err := l.copy("sized")
	if err != nil {
		return nil, err
	}
	plain := []string{entry, "--bundle", "--platform=node", "--format=cjs", "--target=node20", "--main-fields=module,main", "--log-level=error",
		"--define:__PLUGIN_VERSION__=" + version, "--outfile=out.cjs"}
	for _, s := range []struct {
		name, folder, path, file string
		args                     []string
	}{
		{"50 tools", folder, l.omcbuild, outfile, []string{"build", "--minify"}},
		{"50 tools, esbuild", folder, l.esbuild, "out.cjs", append(plain, "--minify")},
		{"t", copied, l.omcbuild, outfile, []string{"build"}},
		{"t, esbuild", copied, l.esbuild, "out.cjs", plain},
		{"t, minified", copied, l.omcbuild, outfile, []string{"build", "--minify"}},
		{"t, esbuild minified", copied, l.esbuild, "out.cjs", append(plain, "--minify")},
	} {
		if !want.needs(s.name) {
			continue
		}
		if missing := l.rivals.missing(); missing != "" && s.folder == folder {
			out[s.name] = figure{absent: missing} // the server's own packages are among them
		} else {
			out[s.name] = l.sizeAfter(ctx, filepath.Join(s.folder, s.file), s.folder, s.path, s.args...)
		}
	}
	if want.needs("list of t") {
		out["list of t"] = l.listSize(ctx, l.shipped())
		file, err := reference(ctx, l)
		if err != nil {
			out["list of the reference"] = figure{absent: err.Error()}
		} else {
			out["list of the reference"] = l.listSize(ctx, server{file: file})
		}
	}
	return out, ctx.Err()
}

// listSize is how many bytes a server's answer to tools/list has.
func (l *lab) listSize(ctx context.Context, s server) figure {
	o, err := l.open(ctx, s)
	if err != nil {
		return figure{absent: err.Error()}
	}
	o.client.Close(5 * time.Second)
	return figure{values: []float64{float64(len(o.answers["tools/list"]))}}
}

// sizeAfter runs a command and returns the size of the file it wrote.
func (l *lab) sizeAfter(ctx context.Context, file, folder, path string, args ...string) figure {
	if _, err := timed(ctx, l.command(folder, path, args...)); err != nil {
		return figure{absent: err.Error()}
	}
	info, err := os.Stat(file)
	if err != nil {
		return figure{absent: err.Error()}
	}
	return figure{values: []float64{float64(info.Size())}}
}

// fiftyTools makes a plugin of that server.
func (l *lab) fiftyTools() (string, error) {
	folder := filepath.Join(l.work, "fifty")
	source := filepath.Join(folder, filepath.FromSlash(entry))
	if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(source, []byte(fiftyTools()), 0o644); err != nil {
		return "", err
	}
	if err := os.Symlink(l.rivals.file(""), filepath.Join(folder, "node_modules")); err != nil {
		return "", err
	}
	manifest := `{ "name": "records", "version": "1.0.0", "description": "Records.", "license": "MIT" }`
	return folder, os.WriteFile(filepath.Join(folder, "package.json"), []byte(manifest), 0o644)
}
