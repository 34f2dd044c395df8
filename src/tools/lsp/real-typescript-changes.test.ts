/** Changes on the disk that reach a real TypeScript server by no document: files that go and come, and packages. */
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { removeFolder } from "../../test-support/folders.js";
import { writeFiles } from "../../test-support/fake-project.js";
import { makeProject } from "../../test-support/project.js";
import { barePath, installNative, REAL_PATIENCE_MS, REAL_TEST_MS, realPath } from "../../test-support/real-servers.js";
import { startServer } from "../../test-support/server.js";

vi.setConfig({ testTimeout: REAL_TEST_MS });

const FILES = {
  "package.json": "{}",
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"], "noEmit": true }, "include": ["src"] }',
  "src/sums.ts": "export function addUp(a: number, b: number): number {\n  return a + b;\n}\n",
  "src/use.ts": 'import { addUp } from "./sums";\n\nexport const three = addUp(1, 2);\n',
  "src/packaged.ts": 'import { dep } from "dep";\n\nexport const text: string = dep;\n',
};

/** Starts a server; the result asks it for the errors of a file. */
async function start(kind: "classic" | "native"): Promise<{ root: string; errorsOf(file: string): Promise<string> }> {
  const project = await makeProject();
  await writeFiles(project.root, { ...FILES, "node_modules/.package-lock.json": "{}" });
  if (kind === "native") await installNative(project.root);
  const env = { PATH: kind === "native" ? await barePath(project.folder) : realPath(), OMC_LSP_TIMEOUT_MS: "60000" };
  const server = await startServer({ ...project, env, patienceMs: REAL_PATIENCE_MS });
  return { root: project.root, errorsOf: async (file) => (await server.call("lsp_diagnostics", { file, severity: "error" })).text };
}

async function install(root: string, type: string): Promise<void> {
  await writeFiles(root, {
    "node_modules/dep/package.json": '{ "name": "dep", "types": "index.d.ts" }',
    "node_modules/dep/index.d.ts": `export const dep: ${type};\n`,
    "node_modules/.package-lock.json": `{ "dep": "${type}" }`,
  });
}

describe.each(["classic", "native"] as const)("TypeScript (%s)", (kind) => {
  it("knows that a file went, and that it is back", async () => {
    const { root, errorsOf } = await start(kind);
    const clean = "No error diagnostics in src/use.ts";
    expect(await errorsOf("src/use.ts")).toBe(clean);
    for (const _ of ["once", "again"]) {
      await unlink(join(root, "src/sums.ts"));
      expect(await errorsOf("src/use.ts")).toContain("(2307)");
      await writeFiles(root, { "src/sums.ts": FILES["src/sums.ts"] });
      expect(await errorsOf("src/use.ts")).toBe(clean);
    }
  });

  it("knows packages that were installed, changed and removed", async () => {
    const { root, errorsOf } = await start(kind);
    expect(await errorsOf("src/packaged.ts")).toContain("(2307)");
    await install(root, "string");
    expect(await errorsOf("src/packaged.ts")).toBe("No error diagnostics in src/packaged.ts");
    await install(root, "number");
    const together = await Promise.all(Array.from({ length: 5 }, () => errorsOf("src/packaged.ts")));
    expect(together.filter((text) => !text.includes("(2322)"))).toEqual([]);
    await removeFolder(join(root, "node_modules/dep"));
    await writeFiles(root, { "node_modules/.package-lock.json": "{}" });
    expect(await errorsOf("src/packaged.ts")).toContain("(2307)");
  });
});
