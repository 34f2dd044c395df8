import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { waitUntilGone } from "../../../test-support/processes.js";
import { makeProject } from "../../../test-support/project.js";
import { runProgram } from "./run-program.js";

async function program(script: string): Promise<{ command: string; folder: string }> {
  const { folder } = await makeProject();
  const command = join(folder, "program");
  await writeFile(command, `#!/bin/sh\n${script}\n`);
  await chmod(command, 0o755);
  return { command, folder };
}

async function run(script: string, { timeoutMs = 30_000, signal = new AbortController().signal, missing = false } = {}) {
  const { command, folder } = await program(script);
  const lines: string[] = [];
  const outcome = await runProgram({ command: missing ? `${command}-missing` : command, args: ["one two"], cwd: folder, timeoutMs, signal, onLine: (line) => lines.push(line) });
  return { outcome, lines, folder };
}

/** Starts a second process, writes both ids to `pids`, and both wait for ever. */
const TWO = 'sleep 1000 & echo "$$ $!" > pids; echo ready; wait';

async function pidsIn(folder: string): Promise<number[]> {
  return (await readFile(join(folder, "pids"), "utf8")).trim().split(" ").map(Number);
}

describe("a program", () => {
  it("gives its lines and its code", async () => {
    expect(await run("printf 'größe\\r\\ntwo\\n'; printf 'last %s' \"$1\"; exit 3")).toMatchObject({ outcome: { code: 3 }, lines: ["größe", "two", "last one two"] });
  });

  it("that is missing, or is ended, is told apart", async () => {
    expect((await run("", { missing: true })).outcome).toEqual({ trouble: "it could not be started (ENOENT)" });
    expect((await run("kill -9 $$")).outcome).toEqual({ trouble: "it was ended by SIGKILL" });
  });

  it("is ended with what it started when its time is over", async () => {
    const { outcome, folder } = await run(TWO, { timeoutMs: 2_000 });
    expect(outcome).toEqual({ trouble: "it took longer than 2 seconds" });
    await waitUntilGone(await pidsIn(folder), 5_000);
  });

  it("is ended with what it started when the call is aborted", async () => {
    const { command, folder } = await program(TWO);
    const abort = new AbortController();
    const outcome = await runProgram({ command, args: [], cwd: folder, timeoutMs: 30_000, signal: abort.signal, onLine: () => abort.abort() });
    expect(outcome).toEqual({ trouble: "the call was cancelled" });
    await waitUntilGone(await pidsIn(folder), 5_000);
    expect(await runProgram({ command, args: [], cwd: folder, timeoutMs: 30_000, signal: abort.signal, onLine: () => {} })).toEqual({ trouble: "the call was cancelled" });
  });

  it("does not keep us waiting for what it left running", async () => {
    const { outcome, folder } = await run('sleep 1000 & echo "$!" > pids; exit 0');
    expect(outcome).toEqual({ code: 0 });
    await waitUntilGone(await pidsIn(folder), 5_000);
  });

  it("may print lines of any length", async () => {
    const { lines } = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end");
    expect(lines.at(-1)).toBe("end");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64 * 1024);
  });
});
