/** The state tools in real servers: many at once, killed at work, waiting for others. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProject } from "../../test-support/project.js";
import { startServer } from "../../test-support/server.js";
import { killWhileWriting, type Write, UNBLOCKED_MS, writeFromMany } from "../../test-support/stress.js";
import { plant, readJson, sessionFile } from "./calling.js";

const field = (number: number) => `f${number}`;

function writing(mode: string): Write {
  return (server, number) => server.call("state_write", { mode, state: { [field(number)]: number }, session_id: "s1" });
}

async function fields(path: string): Promise<number[]> {
  const values = Object.entries(await readJson(path)).filter(([key]) => /^f\d+$/.test(key));
  return values.map(([, value]) => value as number).toSorted((a, b) => a - b);
}

describe("8 servers write 25 fields each into one session", () => {
  test.each(["ralph", "autopilot", "team"])("of %s: none is lost, none fails", async (mode) => {
    const project = await makeProject();
    const { written, failures } = await writeFromMany(project, { servers: 8, each: 25 }, writing(mode));
    expect(failures).toEqual([]);
    expect(written).toHaveLength(200);
    const path = sessionFile(project.omc, "s1", `${mode}-state.json`);
    expect(await fields(path)).toEqual(written);
    expect(await readdir(join(path, ".."))).toEqual([`${mode}-state.json`]);
  });
});

test("calls that one server gets at once are all kept", async () => {
  const project = await makeProject();
  const server = await startServer(project);
  const numbers = Array.from({ length: 16 }, (_, at) => at);
  await Promise.all(numbers.map((number) => writing("ralph")(server, number)));
  expect(await fields(sessionFile(project.omc, "s1", "ralph-state.json"))).toEqual(numbers);
});

test.each(["ralph", "team"])("a killed server leaves no torn state of %s and blocks nobody", async (mode) => {
  const project = await makeProject();
  const path = sessionFile(project.omc, "s1", `${mode}-state.json`);
  await killWhileWriting(project, 12, writing(mode), async ({ answered, next }) => {
    expect(next).toMatchObject({ isError: false });
    expect(next.elapsed).toBeLessThan(UNBLOCKED_MS);
    expect(await fields(path)).toEqual(expect.arrayContaining(answered));
    expect(await readdir(join(path, ".."))).toEqual([`${mode}-state.json`]);
  });
});

test("a server that waits for a lock still answers, and goes on when the lock is free", async () => {
  const project = await makeProject();
  const server = await startServer(project);
  const lock = `${sessionFile(project.omc, "s1", "ralph-state.json")}.mutation.lock`;
  const holder = await startServer(project);
  const body = { version: 1, pid: holder.pid, processStart: "unknown", createdAt: new Date().toISOString(), nonce: "n" };
  await plant(lock, body);
  let written = false;
  const write = server.call("state_write", { mode: "ralph", active: true, session_id: "s1" }).finally(() => (written = true));
  for (let turn = 0; turn < 20; turn++) {
    expect((await server.request("ping")).result).toEqual({});
    expect((await server.call("state_list_active")).isError).toBe(false);
  }
  expect(written).toBe(false);
  await holder.kill("SIGKILL");
  expect(await write).toMatchObject({ isError: false });
});

test("what every tool answers has one text and says whether it failed", async () => {
  const project = await makeProject();
  const server = await startServer(project);
  const calls = [
    ["state_read", { mode: "ralph" }, false],
    ["state_write", { mode: "ralph", active: true, session_id: "s1" }, false],
    ["state_write", { mode: "ralph", active: "yes" }, true],
    ["state_get_status", {}, false],
    ["state_list_active", { all: true }, false],
    ["state_clear", { mode: "ralph", session_id: "s1" }, false],
    ["state_migrate_non_git", { session_id: "s1" }, true],
    ["state_read", { mode: "ralph", workingDirectory: "/" }, true],
  ] as const;
  for (const [name, args, isError] of calls) expect(await server.call(name, args)).toMatchObject({ isError });
});
