/** What is loaded on demand keeps out of what is loaded at the start. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));

// A bundler puts everything that a module loaded on demand imports into functions called when it is needed, zod too. The
// SDK uses zod while it is loaded, and esbuild leaves out that call: the server then does not start at all.
it("zod is imported only by what is loaded at the start", async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(SOURCES, file), "utf8")));
  const importing = files.filter((_, at) => /^import (?!type\b).* from "zod";$/m.test(texts[at] as string));
  expect(importing).toContain(join("tools", "notepad-tools.ts"));
  // The files of families, the schema that they share, and the frame.
  const early = /^(tools[\\/]([^\\/]+-tools|working-directory)\.ts|mcp[\\/][^\\/]+\.ts)$/;
  expect(importing.filter((file) => !early.test(file))).toEqual([]);
  const late = files.filter((_, at) => /from ".*working-directory\.js"/.test(texts[at] as string));
  expect(late.filter((file) => !early.test(file))).toEqual([]);
});
