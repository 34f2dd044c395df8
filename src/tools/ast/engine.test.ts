import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRunning } from "../../lib/process-owner.js";
import { installAstGrep, startAstServer } from "../../test-support/ast-grep.js";
import { makeProject, type Project } from "../../test-support/project.js";
import { bundlePath, startServer, type TestServer } from "../../test-support/server.js";

const run = promisify(execFile);
const SEARCH = { pattern: "f($A)", language: "typescript" };

/** The words are in every file, so that each of them has to be parsed, and nothing matches. */
const SLOW = { pattern: "never($A).ever($B)", language: "typescript" };

/** Files that take some seconds to search. */
async function slowProject(): Promise<Project> {
  const project = await makeProject();
  const text = `// never ever\n${"f({ a: [1, 2, 3], b: (x) => x + 1 });\n".repeat(20_000)}`;
  for (let index = 0; index < 8; index++) await writeFile(join(project.root, `${index}.ts`), text);
  await mkdir(join(project.root, "small"));
  await writeFile(join(project.root, "small", "a.ts"), "f(1);\n");
  return project;
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout.trim().split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child as number);
}

/** The processor time that a process has used so far, in clock ticks. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Starts a slow search, and returns when its engine is at work. */
async function searching(server: TestServer, start: () => Promise<unknown> = () => server.call("ast_grep_search", SLOW)) {
  expect(await server.call("ast_grep_search", { ...SEARCH, path: "small" })).toMatchObject({ isError: false });
  const [engine] = await childrenOf(server.pid);
  if (engine === undefined) throw new Error("the server has no engine");
  const idle = await ticksOf(engine);
  const answer = start();
  answer.catch(() => {}); // some tests end the server
  await expect.poll(() => ticksOf(engine)).toBeGreaterThan(idle + 5);
  onTestFinished(async () => {
    if (await isRunning({ pid: engine })) process.kill(engine, "SIGKILL");
  });
  return { answer, engine };
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isRunning({ pid })).toBe(false);
}

describe("an engine in the middle of a search", () => {
  test("may be killed: that call fails, the next one works", async () => {
    const server = await startAstServer(await slowProject());
    const { answer, engine } = await searching(server);
    process.kill(engine, "SIGKILL");
    expect(await answer).toMatchObject({ isError: true, text: expect.stringContaining("the AST engine ended during the call (SIGKILL)") });
    expect(await server.call("ast_grep_search", { ...SEARCH, path: "small" })).toMatchObject({ isError: false });
    expect(await childrenOf(server.pid)).not.toContain(engine);
  });

  test("keeps nothing else waiting", async () => {
    const server = await startAstServer(await slowProject());
    const { answer } = await searching(server);
    let answered = false;
    answer.finally(() => (answered = true)).catch(() => {});
    await server.request("ping");
    expect(await server.call("ast_grep_search", { ...SEARCH, path: "small" })).toMatchObject({ isError: false });
    expect(answered).toBe(false);
  });

  test("ends when the call is cancelled", async () => {
    const server = await startAstServer(await slowProject());
    const { engine } = await searching(server, () => server.request("tools/call", { name: "ast_grep_search", arguments: SLOW }, "slow"));
    server.notify("notifications/cancelled", { requestId: "slow", reason: "enough" });
    await gone(engine);
    expect(await server.call("ast_grep_search", { ...SEARCH, path: "small" })).toMatchObject({ isError: false });
  });

  test("goes when the client goes", async () => {
    const server = await startAstServer(await slowProject());
    const { engine } = await searching(server);
    expect(await server.closeInput()).toMatchObject({ code: 0 });
    await gone(engine);
  });

  test("goes when the server is killed", async () => {
    const server = await startAstServer(await slowProject());
    const { engine } = await searching(server);
    await server.kill("SIGKILL");
    await gone(engine);
  });
});

test("one engine serves one call after another, and more than two are never there", async () => {
  const project = await makeProject();
  await writeFile(join(project.root, "a.ts"), "f(1);\n");
  const server = await startAstServer(project);
  await server.call("ast_grep_search", SEARCH);
  const first = await childrenOf(server.pid);
  await server.call("ast_grep_search", SEARCH);
  expect(await childrenOf(server.pid)).toEqual(first);
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.call("ast_grep_search", SEARCH)));
  expect(answers.every(({ isError, text }) => !isError && text.includes("Found 1 match(es)"))).toBe(true);
  expect((await childrenOf(server.pid)).length).toBeLessThanOrEqual(2);
});

test("no engine is there before the first call", async () => {
  const server = await startAstServer(await makeProject());
  await server.request("tools/list");
  expect(await childrenOf(server.pid)).toEqual([]);
});

describe("an installation", () => {
  /** The files of the plugin as a client keeps them, with no packages anywhere near. */
  async function cachedPlugin(project: Project, ...files: string[]): Promise<string> {
    const bridge = join(project.folder, "plugins", "cache", "tools", "bridge");
    await mkdir(bridge, { recursive: true });
    for (const file of files) await copyFile(join(dirname(bundlePath()), file), join(bridge, file));
    await writeFile(join(project.root, "a.ts"), "f(1);\n");
    return join(bridge, "mcp-server.cjs");
  }

  test("of the matcher among globally installed packages is found from the plugin cache", async () => {
    const project = await makeProject();
    const bundle = await cachedPlugin(project, "mcp-server.cjs", "ast-engine.cjs");
    await installAstGrep(join(project.folder, "npm", "lib", "node_modules"), "0.33");
    await writeFile(join(project.home, ".npmrc"), `prefix=${join(project.folder, "npm")}\n`);
    const server = await startServer({ ...project, bundle });
    expect(await server.call("ast_grep_search", SEARCH)).toMatchObject({ isError: false, text: expect.stringContaining("Found 1 match(es)") });
  });

  test("without the matcher says how to get it", async () => {
    const project = await makeProject();
    const server = await startServer({ ...project, bundle: await cachedPlugin(project, "mcp-server.cjs", "ast-engine.cjs") });
    const { text, isError } = await server.call("ast_grep_search", SEARCH);
    expect(isError).toBe(true);
    expect(text).toMatch(/^@ast-grep\/napi is not available\./);
    expect(text).toContain("npm install -g @ast-grep/napi@0.33.0");
  });

  test("with a matcher that does not load says what the loader said, without places of the machine", async () => {
    const project = await makeProject();
    const broken = join(project.folder, "broken", "@ast-grep", "napi");
    await mkdir(broken, { recursive: true });
    await writeFile(join(broken, "index.js"), 'throw new Error("wrong ELF class: " + __filename);\n');
    const server = await startServer({ ...project, env: { NODE_PATH: join(project.folder, "broken") } });
    const { text, isError } = await server.call("ast_grep_search", SEARCH);
    expect(isError).toBe(true);
    expect(text).toMatch(/^@ast-grep\/napi is not available\.[^]*wrong ELF class: index\.js$/);
    expect(text).not.toContain(project.folder);
  });

  test("with a matcher that ends its process loses that call only", async () => {
    const project = await makeProject();
    const deadly = join(project.folder, "deadly", "@ast-grep", "napi");
    await mkdir(deadly, { recursive: true });
    await writeFile(join(deadly, "index.js"), "process.abort();\n");
    const server = await startServer({ ...project, env: { NODE_PATH: join(project.folder, "deadly") } });
    expect(await server.call("ast_grep_search", SEARCH)).toMatchObject({ isError: true, text: expect.stringContaining("SIGABRT") });
    expect(await server.request("tools/list")).toHaveProperty("result.tools");
  });

  test("without the engine says so", async () => {
    const project = await makeProject();
    const server = await startServer({ ...project, bundle: await cachedPlugin(project, "mcp-server.cjs") });
    expect(await server.call("ast_grep_search", SEARCH)).toMatchObject({ isError: true, text: expect.stringContaining("bridge/ast-engine.cjs, which searches, is missing") });
  });
});
