import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { type LockProtocol, LockTimeoutError, withFileLock } from "./file-lock.js";
import { thisProcess } from "./process-owner.js";

const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;
const LOCKS: [LockProtocol, string][] = [
  ["simple", "a.json.lock"],
  ["mutation", "a.json.mutation.lock"],
  ["team", "a.json.team-state.lock"],
];

async function makeFile(): Promise<{ dir: string; file: string }> {
  const dir = await temporaryFolder("omc-lock-");
  return { dir, file: join(dir, "a.json") };
}

/** A promise that is resolved from outside. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe.each(LOCKS)("protocol %s", (protocol, name) => {
  test("is held while the function runs, and leaves nothing", async () => {
    const { dir, file } = await makeFile();
    const seen = await withFileLock(file, { waitMs: 1_000, protocol }, () => readdir(dir));
    expect(seen).toEqual([name]);
    expect(await readdir(dir)).toEqual([]);
  });

  test("is released when the function throws", async () => {
    const { dir, file } = await makeFile();
    const failing = withFileLock(file, { waitMs: 1_000, protocol }, () => Promise.reject(new Error("inside")));
    await expect(failing).rejects.toThrow("inside");
    expect(await readdir(dir)).toEqual([]);
  });

  test.each([
    ["of a dead process", (path: string) => writeFile(path, JSON.stringify({ version: 1, pid: DEAD, processStart: "1" }))],
    ["that is empty", (path: string) => writeFile(path, "")],
    ["that is torn", (path: string) => writeFile(path, '{"pid":')],
    ["that is a link", (path: string) => symlink("/dev/zero", path)],
    ["that is a folder", (path: string) => mkdir(path)],
    ["with a time in the future", async (path: string) => (await writeFile(path, ""), utimes(path, 4e9, 4e9))],
  ])("a lock %s is taken over", async (_, plant) => {
    const { dir, file } = await makeFile();
    await plant(join(dir, name));
    expect(await withFileLock(file, { waitMs: 5_000, protocol }, async () => "done")).toBe("done");
    expect((await readdir(dir)).filter((left) => !left.includes(".not-a-lock-"))).toEqual([]);
  });
});

test.each([
  ["simple", { pid: process.pid, timestamp: expect.any(Number) }],
  ["mutation", { version: 1, pid: process.pid, createdAt: expect.stringMatching(/^\d{4}-.*Z$/), nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
  ["team", { schema_version: 1, pid: process.pid, process_started_at: expect.stringMatching(/^linux:/), created_at: expect.any(String) }],
] as const)("the body of %s is what the other program reads", async (protocol, expected) => {
  const { dir, file } = await makeFile();
  const name = (LOCKS.find(([which]) => which === protocol) as [string, string])[1];
  const body = await withFileLock(file, { waitMs: 1_000, protocol }, () => readFile(join(dir, name), "utf8"));
  expect(JSON.parse(body)).toMatchObject(expected);
});

test("calls of one process take turns, in order", async () => {
  const { file } = await makeFile();
  const order: number[] = [];
  let inside = 0;
  const call = (at: number) =>
    withFileLock(file, { waitMs: 5_000 }, async () => {
      expect(++inside).toBe(1);
      await new Promise(setImmediate);
      order.push(at);
      inside--;
    });
  await Promise.all(Array.from({ length: 16 }, (_, at) => call(at)));
  expect(order).toEqual(Array.from({ length: 16 }, (_, at) => at));
});

describe("a lock that others hold", () => {
  test("is waited for, no longer than asked, and the message names the file only", async () => {
    const { dir, file } = await makeFile();
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.pid, timestamp: Date.now() }));
    const waiting = withFileLock(file, { waitMs: 60 }, async () => "never");
    await expect(waiting).rejects.toThrow(LockTimeoutError);
    await expect(waiting).rejects.toThrow(`'a.json' is still locked by process ${process.pid} after 60 ms; nothing was changed`);
    expect(await readdir(dir)).toEqual(["a.json.lock"]);
  });

  test("is had as soon as it is free, and the event loop goes on meanwhile", async () => {
    const { file } = await makeFile();
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.pid, timestamp: Date.now() }));
    let done = false;
    const waiting = withFileLock(file, { waitMs: 10_000 }, async () => (done = true));
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(done).toBe(false);
    await unlink(`${file}.lock`);
    await waiting;
    expect(done).toBe(true);
  });

  test("of another boot, host or container is not taken, dead as it may look", async () => {
    const { file } = await makeFile();
    await writeFile(`${file}.lock`, JSON.stringify({ pid: DEAD, processStart: "1", place: "elsewhere" }));
    await expect(withFileLock(file, { waitMs: 400 }, async () => "never")).rejects.toThrow(LockTimeoutError);
    const old = Date.now() / 1000 - 31;
    await utimes(`${file}.lock`, old, old);
    expect(await withFileLock(file, { waitMs: 400 }, async () => "had")).toBe("had");
  });

  test("inside this process counts for the time too, and others behind still get their turn", async () => {
    const { file } = await makeFile();
    const { opened, open } = gate();
    const first = withFileLock(file, { waitMs: 1_000 }, () => opened);
    const second = withFileLock(file, { waitMs: 30 }, async () => "never");
    const third = withFileLock(file, { waitMs: 10_000 }, async () => "third");
    await expect(second).rejects.toThrow(LockTimeoutError);
    open();
    await first;
    expect(await third).toBe("third");
  });
});

describe("an aborted call", () => {
  test("leaves the queue", async () => {
    const { file } = await makeFile();
    const { opened, open } = gate();
    const first = withFileLock(file, { waitMs: 1_000 }, () => opened);
    const cancel = new AbortController();
    const second = withFileLock(file, { waitMs: 10_000, signal: cancel.signal }, async () => "never");
    cancel.abort(new Error("cancelled"));
    await expect(second).rejects.toThrow("cancelled");
    open();
    await first;
    await expect(withFileLock(file, { waitMs: 10, signal: cancel.signal }, async () => 1)).rejects.toThrow("cancelled");
    expect(await withFileLock(file, { waitMs: 1_000 }, async () => "free")).toBe("free");
  });

  test("stops waiting for others", async () => {
    const { dir, file } = await makeFile();
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.pid }));
    const cancel = new AbortController();
    const waiting = withFileLock(file, { waitMs: 60_000, signal: cancel.signal }, async () => "never");
    setImmediate(() => cancel.abort());
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    expect(await readdir(dir)).toEqual(["a.json.lock"]);
  });
});

test("a lock that replaced ours is left in place", async () => {
  const { dir, file } = await makeFile();
  await withFileLock(file, { waitMs: 1_000 }, async () => {
    await unlink(`${file}.lock`);
    await writeFile(`${file}.lock`, "someone else's");
  });
  expect(await readdir(dir)).toEqual(["a.json.lock"]);
});

test("a mutation lock is given back while a living process has a recovery claim, for a moment", async () => {
  const { file } = await makeFile();
  const holder = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"]);
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  await writeFile(`${file}.emergency-recovery.claim`, JSON.stringify({ version: 1, pid: holder.pid, nonce: "n" }));
  const { place } = await thisProcess();
  expect(place).not.toBe("");
  expect(await withFileLock(file, { waitMs: 5_000, protocol: "mutation" }, async () => "had")).toBe("had");
  expect(await readFile(`${file}.emergency-recovery.claim`, "utf8")).toContain(String(holder.pid));
});

test("the folder of the file is made", async () => {
  const { dir } = await makeFile();
  expect(await withFileLock(join(dir, "x", "y", "a.json"), { waitMs: 1_000 }, async () => "made")).toBe("made");
});
