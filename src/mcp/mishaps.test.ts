/**
 * What goes wrong inside the server, brought about from outside: a script preloaded into the process misbehaves when it
 * gets a signal, as a careless library would.
 */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../test-support/project.js";
import { bundlePath, startServer, type TestServer } from "../test-support/server.js";

async function startWith(script: string, generation: "legacy" | "raw" = "legacy"): Promise<TestServer> {
  const project = await makeProject();
  const preload = join(project.folder, "preload.cjs");
  await writeFile(preload, script);
  return startServer({ ...project, env: { NODE_OPTIONS: `--require=${preload}` }, generation });
}

/** Until the server is loaded, recorded answers are given in its name, and nothing of it can be disturbed. */
async function startLoaded(script: string): Promise<TestServer> {
  const server = await startWith(script);
  await expect.poll(() => server.stderr, { timeout: 30_000 }).toContain("running on stdio");
  return server;
}

describe("a library that misbehaves", () => {
  it("cannot write to stdout", async () => {
    const server = await startLoaded(`process.on("SIGUSR2", () => {
      console.log("said on the console");
      console.info("%s", "also");
      process.stdout.write("written\\n");
      console.error("done");
    });`);
    process.kill(server.pid, "SIGUSR2");
    await expect.poll(() => server.stderr).toContain("done");
    await server.request("ping");
    expect(server.noise).toEqual([]);
    expect(server.stderr).toContain("said on the console\nalso\nwritten\n");
  });

  it("cannot end the server by a rejection that nobody handles", async () => {
    const server = await startLoaded(`process.on("SIGUSR2", () => Promise.reject(new Error("forgotten")));`);
    process.kill(server.pid, "SIGUSR2");
    await expect.poll(() => server.stderr).toContain("unhandled rejection: Error: forgotten");
    expect(await server.call("shared_memory_list")).toMatchObject({ isError: false });
  });

  it("ends it in order, but as a failure, by a throw that nobody catches", async () => {
    const server = await startLoaded(`process.on("SIGUSR2", () => { throw new Error("dropped"); });`);
    process.kill(server.pid, "SIGUSR2");
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.stderr).toContain("uncaught exception: Error: dropped");
    expect(server.stderr).toContain("received an uncaught exception, disconnecting...");
  });
});

it("a server that cannot start says so and ends with 1", async () => {
  const server = await startWith(
    `Object.defineProperty(process, "stdin", { get() { throw new Error("no stdin here"); } });`,
    "raw",
  );
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.stderr).toContain("Failed to start server: Error: no stdin here");
  expect(server.stderr).not.toContain("running on stdio");
});

it("an end that gets stuck is cut short, with 1", async () => {
  const server = await startWith(`require("node:timers/promises").setImmediate = () => new Promise(() => {});`);
  await server.request("ping");
  expect(await server.kill("SIGTERM")).toEqual({ code: 1, signal: null });
  expect(server.stderr).toContain("received SIGTERM, disconnecting...");
});

it("a disk that takes no more gets an answer, and keeps no empty files", async () => {
  const project = await makeProject();
  const wrapper = join(project.folder, "no-room.cjs");
  const command = `trap "" XFSZ; ulimit -f 0; exec "${process.execPath}" "${bundlePath()}"`;
  await writeFile(wrapper, `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(command)}], { stdio: "inherit" });`);
  const server = await startServer({ ...project, bundle: wrapper });
  const writes: [tool: string, args: Record<string, unknown>][] = [
    ["notepad_write_working", { content: "x" }],
    ["project_memory_write", { memory: {} }],
    ["shared_memory_write", { key: "k", namespace: "n" }],
    ["state_write", { mode: "team", active: true, session_id: "s1" }],
  ];
  for (const [tool, args] of writes) {
    const { text, isError } = await server.call(tool, args);
    expect([isError, text]).toEqual([true, expect.stringContaining("EFBIG: file too large (write)")]);
  }
  const left = await readdir(project.omc, { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => !entry.isDirectory())).toEqual([]);
  expect(await server.closeInput()).toEqual({ code: 0, signal: null });
});
