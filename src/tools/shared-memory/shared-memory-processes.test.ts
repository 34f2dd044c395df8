/** Shared memory in real servers: many at once, killed at work, waiting for others. */
import { mkdir, readdir, readFile, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../../test-support/project.js";
import { startServer } from "../../test-support/server.js";
import { killWhileWriting, type Write, writeFromMany } from "../../test-support/stress.js";

const namespace = "ns";

function folder({ omc }: Project): string {
  return join(omc, "state", "shared-memory", namespace);
}

const ownKey: Write = (server, number) => server.call("shared_memory_write", { namespace, key: `k${number}`, value: number });
const value = (number: number) => ({ number, filler: "x".repeat(20_000) });
const oneKey: Write = (server, number) => server.call("shared_memory_write", { namespace, key: "k", value: value(number) });

async function stored(project: Project, key: string): Promise<{ value: unknown }> {
  return JSON.parse(await readFile(join(folder(project), `${key}.json`), "utf8"));
}

describe("8 servers, 25 writes each", () => {
  it("lose nothing under keys of their own", async () => {
    const project = await makeProject();
    const { written, failures } = await writeFromMany(project, { servers: 8, each: 25 }, ownKey);
    expect(failures).toEqual([]);
    expect(written).toHaveLength(200);
    for (const number of written) expect((await stored(project, `k${number}`)).value).toBe(number);
    expect(await readdir(folder(project))).toHaveLength(200);
  });

  it("leave one whole entry under one key, and never fail", async () => {
    const project = await makeProject();
    const { written, failures } = await writeFromMany(project, { servers: 8, each: 25 }, oneKey);
    expect(failures).toEqual([]);
    const last = (await stored(project, "k")).value as { number: number };
    expect(written).toContain(last.number);
    expect(last).toEqual(value(last.number));
    expect(await readdir(folder(project))).toEqual(["k.json"]);
  });
});

it("killed at work, leaves whole files, and nothing that stops the next", async () => {
  const project = await makeProject();
  await killWhileWriting(project, 20, oneKey, async ({ refused, next }) => {
    expect(refused).toEqual([]);
    expect(next).toMatchObject({ isError: false });
    const last = (await stored(project, "k")).value as { number: number };
    expect(last).toEqual(value(last.number));
    expect(await readdir(folder(project))).toEqual(["k.json"]);
  });
});

describe("while another process has an entry", () => {
  async function lockedProject() {
    const project = await makeProject();
    await mkdir(folder(project), { recursive: true });
    const lock = join(folder(project), "k.json.lock");
    await writeFile(lock, JSON.stringify({ pid: process.pid, timestamp: Date.now() }));
    return { project, lock, server: await startServer(project) };
  }

  it("a write waits, the server does not", async () => {
    const { project, lock, server } = await lockedProject();
    const order: string[] = [];
    const write = oneKey(server, 1).then((answer) => {
      order.push("write");
      return answer;
    });
    for (let turn = 0; turn < 20; turn++) {
      expect((await server.request("ping")).result).toEqual({});
      order.push("ping");
    }
    expect(await ownKey(server, 2)).toMatchObject({ isError: false });
    order.push("other");
    await unlink(lock);
    expect(await write).toMatchObject({ isError: false });
    expect(order).toEqual([...Array.from({ length: 20 }, () => "ping"), "other", "write"]);
    expect((await stored(project, "k")).value).toEqual(value(1));
  });

  it("a write that is cancelled does not happen later", async () => {
    const { project, lock, server } = await lockedProject();
    void server.request("tools/call", { name: "shared_memory_write", arguments: { namespace, key: "k", value: 1 } }, "first").catch(() => {});
    await server.request("ping");
    server.notify("notifications/cancelled", { requestId: "first", reason: "changed my mind" });
    await server.request("ping");
    const second = server.call("shared_memory_write", { namespace, key: "k", value: 2, ifUpdatedAt: "" });
    await unlink(lock);
    expect(await second).toMatchObject({ isError: false });
    expect((await stored(project, "k")).value).toBe(2);
  });

  it("a write gives up with a word, and nothing is changed", async () => {
    const { project, server } = await lockedProject();
    const { text, isError } = await oneKey(server, 1);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Error writing shared memory: 'k\.json' is still locked by /);
    expect(text).not.toContain(project.folder);
    expect(await readdir(folder(project))).toEqual(["k.json.lock"]);
  });
});

it("leftovers of the dead go with the next write", async () => {
  const project = await makeProject();
  await mkdir(folder(project), { recursive: true });
  const dead = 2 ** 22 + 1; // above the largest process id of Linux
  await writeFile(join(folder(project), "k.json.lock"), JSON.stringify({ pid: dead, timestamp: 0 }));
  const temporary = join(folder(project), `k.json.tmp.${dead}.1`);
  await writeFile(temporary, "{ half");
  await utimes(temporary, 1, 1);
  const server = await startServer(project);
  expect(await oneKey(server, 1)).toMatchObject({ isError: false });
  expect(await readdir(folder(project))).toEqual(["k.json"]);
});

it("locks of the dead on keys that nobody uses go with a cleanup, those of the living stay", async () => {
  const project = await makeProject();
  await mkdir(folder(project), { recursive: true });
  await writeFile(join(folder(project), "dead.json.lock"), JSON.stringify({ pid: 2 ** 22 + 1, timestamp: 0 }));
  await writeFile(join(folder(project), "living.json.lock"), JSON.stringify({ pid: process.pid, timestamp: 0 }));
  const server = await startServer(project);
  expect(await server.call("shared_memory_cleanup", {})).toMatchObject({ isError: false });
  expect(await readdir(folder(project))).toEqual(["living.json.lock"]);
});
