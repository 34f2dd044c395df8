/** Every way to end the built server: it goes, with 0, and leaves nothing. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject, type Project } from "../test-support/project.js";
import { bundlePath, startServer } from "../test-support/server.js";

const CALL = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "shared_memory_write", arguments: { key: "k", namespace: "n", value: "last words" } },
};

function environment({ home }: Project) {
  return { PATH: process.env["PATH"] ?? "", HOME: home };
}

/** Takes an entry's lock in the name of this process, which is alive. */
async function holdLock({ omc }: Project, namespace: string, key: string): Promise<void> {
  const folder = join(omc, "state", "shared-memory", namespace);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${key}.json.lock`), JSON.stringify({ pid: process.pid, timestamp: Date.now() }));
}

describe("a server that is told to go", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("by %s", async (signal) => {
    const server = await startServer(await makeProject());
    expect(await server.kill(signal)).toEqual({ code: 0, signal: null });
    expect(server.stderr).toContain(`OMC MCP Server: received ${signal}, disconnecting...`);
  });

  it("by the end of its input, answers what was asked before", async () => {
    const project = await makeProject();
    const child = spawn(process.execPath, [bundlePath()], { cwd: project.root, env: environment(project) });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    child.stdin.end(`${JSON.stringify(CALL)}\n`);
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    expect(JSON.parse(said)).toMatchObject({ id: 2, result: { isError: false } });
  });

  it("hands over a large last answer to a slow reader", async () => {
    const project = await makeProject();
    const value = "x".repeat(900_000);
    const before = await startServer(project);
    await before.call("shared_memory_write", { key: "k", namespace: "n", value });
    await before.closeInput();
    const child = spawn(process.execPath, [bundlePath()], { cwd: project.root, env: environment(project) });
    child.stdin.end(`${JSON.stringify({ ...CALL, params: { name: "shared_memory_read", arguments: { key: "k", namespace: "n" } } })}\n`);
    let said = "";
    child.stderr.setEncoding("utf8").once("data", () => {
      child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    });
    await once(child, "close");
    expect(JSON.parse(said).result.content[0].text).toContain(value);
  });

  it("by an IPC parent that disconnects", async () => {
    const project = await makeProject();
    const child = fork(bundlePath(), [], { cwd: project.root, env: environment(project), stdio: ["pipe", "pipe", "pipe", "ipc"], execArgv: [] });
    let log = "";
    child.stdout?.resume();
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("running on stdio") && child.connected) child.disconnect();
    });
    // A child without its channel never says that its streams are closed; the log is complete when stderr is.
    const [[code]] = await Promise.all([once(child, "exit"), once(child.stderr as Readable, "close")]);
    expect(code).toBe(0);
    expect(log).toContain("received parent disconnect");
  });

  it("by the death of its parent, while its input stays open", async () => {
    const project = await makeProject();
    const middle = `
      const child = require("node:child_process").spawn(process.execPath, [process.argv[1]], { stdio: [3, 1, 2] });
      require("node:fs").writeSync(2, "child " + child.pid + "\\n");`;
    // The server's input is a pipe of ours, which its parent's death does not close.
    const parent = spawn(process.execPath, ["-e", middle, bundlePath()], {
      cwd: project.root,
      env: environment(project),
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const stderr = parent.stderr as Readable;
    let log = "";
    stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (/child \d+/.test(log) && log.includes("running on stdio")) parent.kill("SIGKILL");
    });
    onTestFinished(() => {
      if (!stderr.closed) endIfThere(Number(/child (\d+)/.exec(log)?.[1]));
    });
    await once(stderr, "close"); // the server has it too, so this is its end as well
    expect(log).toMatch(new RegExp(`received parent pid changed \\(${parent.pid} -> \\d+\\)`));
  });

  it("by a client that no longer reads", async () => {
    const server = await startServer(await makeProject());
    server.stopReading();
    for (let turn = 0; turn < 3; turn++) server.send(JSON.stringify({ jsonrpc: "2.0", id: `lost-${turn}`, method: "tools/list" }));
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr).toContain("received a closed connection");
  });

  it("by a message larger than the protocol layer takes", async () => {
    const server = await startServer(await makeProject());
    server.send("x".repeat(11 * 1024 * 1024));
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr).toContain("received a closed connection");
  });

  it("only once, however often it is told", async () => {
    const server = await startServer(await makeProject());
    void server.kill("SIGINT");
    void server.kill("SIGTERM");
    void server.closeInput();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr.match(/received/g)).toHaveLength(1);
  });

  it("does not wait for a call that waits for somebody else", async () => {
    const project = await makeProject();
    await holdLock(project, "n", "k");
    const server = await startServer(project);
    const call = server.call("shared_memory_write", { key: "k", namespace: "n", value: 1 });
    const ending = expect(call).rejects.toThrow("no answer");
    await server.request("ping");
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    await ending;
    // The ticket that the call waited with may be left; it names a dead process, and the next write sweeps it.
    const left = await readdir(join(project.omc, "state", "shared-memory", "n"));
    expect(left.filter((name) => !name.endsWith(".tmp"))).toEqual(["k.json.lock"]);
  });
});

function endIfThere(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, "SIGKILL");
  } catch {
    // gone, as it should be
  }
}
