import { chmod, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { writeFiles } from "../../../test-support/fake-project.js";
import { waitUntilGone } from "../../../test-support/processes.js";
import { makeProject, type Project } from "../../../test-support/project.js";
import { barePath, installClassic, installNative, nativePath, REAL_PATIENCE_MS, REAL_TEST_MS } from "../../../test-support/real-servers.js";
import { startServer, type ToolAnswer } from "../../../test-support/server.js";

vi.setConfig({ testTimeout: REAL_TEST_MS });

const WRONG = 'export const wrong: number = "text";\n';
const STRICT = { compilerOptions: { strict: true, types: [], module: "nodenext", lib: ["es5"], skipLibCheck: true } };
const json = (value: unknown) => JSON.stringify(value);

async function projectWith(files: Record<string, string>): Promise<Project> {
  const project = await makeProject();
  await writeFiles(project.root, { "package.json": "{}", ...files });
  return project;
}

async function check(project: Project, args: Record<string, unknown> = {}, env: Record<string, string> = {}): Promise<ToolAnswer> {
  const server = await startServer({ ...project, env: { PATH: nativePath(), ...env }, patienceMs: REAL_PATIENCE_MS });
  return server.call("lsp_diagnostics_directory", { directory: ".", ...args });
}

/** All paths below, so that a file that was written shows. */
async function everything(root: string): Promise<string[]> {
  return (await readdir(root, { recursive: true })).filter((path) => !/^(\.git|node_modules)\b/.test(path)).toSorted();
}

/** A program called tsc, in the project. */
async function installScript(root: string, script: string): Promise<void> {
  const path = join("node_modules", ".bin", "tsc");
  await writeFiles(root, { [path]: `#!/bin/sh\n${script}\n` });
  await chmod(join(root, path), 0o755);
}

describe("a directory with a tsconfig.json", () => {
  it("passes when there is nothing wrong with it", async () => {
    const project = await projectWith({ "tsconfig.json": json(STRICT), "a.ts": "export const right = 1;\n" });
    expect(await check(project)).toEqual({
      text: "## Directory Diagnostics\n\nStrategy: tsc\nSummary: TypeScript check passed: 0 errors, 0 warnings\n\nNo problems found.",
      isError: false,
    });
  });

  it("fails with each problem below its file, and the whole message", async () => {
    const project = await projectWith({
      "tsconfig.json": json(STRICT),
      "a.ts": WRONG,
      "(group)/b.ts": "interface A { x: { y: number } }\nexport const a: A = { x: { y: 1, z: 2 } };\nexport const f: (a: A) => string = (a: { x: { y: string } }) => a.x.y;\n",
    });
    const { text, isError } = await check(project);
    expect(isError).toBe(false);
    expect(text).toContain("Summary: TypeScript check failed: 3 errors, 0 warnings\n\n### Diagnostics\n\n");
    expect(text).toContain("a.ts:\n  1:14 - error TS2322: Type 'string' is not assignable to type 'number'.");
    expect(text).toMatch(/\(group\)\/b\.ts:\n {2}2:34 - error TS2353: [^\n]*\n {2}3:14 - error TS2322: [^\n]*\n {4}Types of parameters/);
  });

  it.each(["classic", "native"] as const)("is checked without a file written, build information included (%s)", async (kind) => {
    const options = { compilerOptions: { ...STRICT.compilerOptions, incremental: true, outDir: "out" } };
    const project = await projectWith({ "tsconfig.json": json(options), "a.ts": WRONG });
    await (kind === "native" ? installNative(project.root) : installClassic(project.root));
    const before = await everything(project.root);
    expect((await check(project, {}, { PATH: await barePath(project.folder) })).text).toContain("TypeScript check failed: 1 errors");
    expect(await everything(project.root)).toEqual(before);
  });

  it("fails when its patterns match no file", async () => {
    const { text } = await check(await projectWith({ "tsconfig.json": json({ ...STRICT, include: ["nothing/**/*.ts"] }), "a.ts": WRONG }));
    expect(text).toContain("TypeScript check failed: 1 errors");
    expect(text).toMatch(/tsconfig\.json:\n {2}error TS18003: No inputs were found/);
  });
});

describe.each(["classic", "native"] as const)("a tsconfig.json that only refers to others (%s)", (kind) => {
  const options = { ...STRICT.compilerOptions, composite: true, outDir: "out", rootDir: ".", declarationDir: "types" };

  it("is checked project by project, against sources where nothing was built, and nothing is written", async () => {
    const project = await projectWith({
      "tsconfig.json": '{ "files": [], /* all */ "references": [{ "path": "./core" }, { "path": "./app/tsconfig.app.json" }, { "path": "./gone" }], }',
      "core/tsconfig.json": json({ compilerOptions: options }),
      "core/index.ts": `export const add = (a: number, b: number) => a + b;\n${WRONG}`,
      "app/tsconfig.app.json": json({ compilerOptions: options, include: ["*.ts"], references: [{ path: "../core" }] }),
      "app/index.ts": 'import { add } from "../core/index.js";\nexport const sum: string = add(1, 2);\n',
    });
    await (kind === "native" ? installNative(project.root) : installClassic(project.root));
    const before = await everything(project.root);
    const { text, isError } = await check(project, {}, { PATH: await barePath(project.folder) });
    expect(isError).toBe(false);
    expect(text).toContain("Summary: TypeScript check failed: 2 errors, 0 warnings (not everything was checked)");
    expect(text).toMatch(/app\/index\.ts:\n {2}2:14 - error TS2322/);
    expect(text).toMatch(/core\/index\.ts:\n {2}2:14 - error TS2322/);
    expect(text).toContain("Not checked:\n- gone: the reference cannot be followed");
    expect(await everything(project.root)).toEqual(before);
  });
});

describe("the compiler", () => {
  const files = { "tsconfig.json": json(STRICT), "a.ts": WRONG };

  it("is the project's own, also of a directory above", async () => {
    const project = await projectWith({ "packages/one/tsconfig.json": json(STRICT), "packages/one/package.json": "{}" });
    await installScript(project.root, 'echo "a.ts(1,1): error TS1: ours"; exit 2');
    expect((await check(project, { directory: "packages/one" })).text).toContain("a.ts:\n  1:1 - error TS1: ours");
  });

  it("is the one on PATH where the project's programs may not be run", async () => {
    const project = await projectWith(files);
    await installScript(project.root, "touch ran; exit 0");
    expect((await check(project, {}, { OMC_SECURITY: "strict" })).text).toContain("a.ts:\n  1:14 - error TS2322");
    expect(await everything(project.root)).not.toContain("ran");
  });

  it("that is missing leaves the directory unchecked", async () => {
    const project = await projectWith(files);
    const { text, isError } = await check(project, { strategy: "tsc" }, { PATH: await barePath(project.folder) });
    expect(isError).toBe(true);
    expect(text).toContain("Summary: TypeScript check incomplete: 0 errors, 0 warnings (not checked)");
    expect(text).toContain("tsc was not found");
    const auto = await check(project, {}, { PATH: await barePath(project.folder) });
    expect(auto.text).toContain("Strategy: lsp\nSummary: LSP check incomplete: 0 errors, 0 warnings (0/3 files checked)");
    expect(auto.text).toContain("tsc was not found, so language servers checked the files instead.");
    expect(auto.isError).toBe(true);
  });

  it.each([
    { name: "that fails without a word", script: "exit 1", words: "tsconfig.json: tsc ended with code 1 and said nothing" },
    { name: "that is another program", script: "echo This is not the tsc command you are looking for; exit 1", words: "tsc ended with code 1: This is not the tsc" },
    { name: "that is killed", script: "kill -9 $$", words: "tsc did not end: it was ended by SIGKILL" },
  ])("$name is not taken for a pass", async ({ script, words }) => {
    const project = await projectWith(files);
    await installScript(project.root, script);
    const { text, isError } = await check(project);
    expect(isError).toBe(true);
    expect(text).toContain("TypeScript check incomplete");
    expect(text).toContain(words);
  });

  it("does not stop other calls while it works, and ends with the call", async () => {
    const project = await projectWith(files);
    await installScript(project.root, 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000');
    const temporary = join(project.folder, "temporary");
    await mkdir(temporary);
    const server = await startServer({ ...project, env: { PATH: nativePath(), TMPDIR: temporary } });
    void server.call("lsp_diagnostics_directory", { directory: "." }).catch(() => {});
    await expect.poll(() => everything(project.root)).toContain("pid");
    expect((await server.call("lsp_servers")).isError).toBe(false);
    const pid = Number(await readFile(join(project.root, "pid"), "utf8"));
    expect(await server.closeInput()).toEqual({ code: 0, signal: null });
    await waitUntilGone([pid], 4_000);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("is asked for in vain where there is no tsconfig.json", async () => {
    const { text } = await check(await projectWith({ "a.lua": "" }), { strategy: "tsc" });
    expect(text).toContain("Strategy: lsp\n");
    expect(text).toContain("There is no tsconfig.json in the directory, so language servers checked its files.");
  });
});
