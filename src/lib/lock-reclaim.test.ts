import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { LockWatch } from "./lock-reclaim.js";
import { readOwnerFile } from "./owner-file.js";
import { thisProcess } from "./process-owner.js";

const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;

async function makeLock(owner?: object): Promise<{ dir: string; lock: string; ticket: string; watch: LockWatch }> {
  const dir = await temporaryFolder("omc-reclaim-");
  const [lock, ticket] = [join(dir, "lock"), join(dir, "ticket")] as const;
  await writeFile(ticket, JSON.stringify(await thisProcess()));
  if (owner !== undefined) await writeFile(lock, JSON.stringify(owner));
  return { dir, lock, ticket, watch: new LockWatch(lock, ticket) };
}

/** An owner of this machine that surely has ended. */
const gone = async () => ({ pid: DEAD, processStart: "1", place: (await thisProcess()).place });

test("a lock that is not there can be tried for at once", async () => {
  const { watch } = await makeLock();
  expect(await watch.clearIfDead()).toBe(true);
});

test("the lock of a dead process of this machine goes at once, and no mark stays", async () => {
  const { dir, watch } = await makeLock(await gone());
  expect(await watch.clearIfDead()).toBe(true);
  expect(watch.holder).toBe(DEAD);
  expect(await readdir(dir)).toEqual(["ticket"]);
});

test("the lock of a living process stays", async () => {
  const { dir, watch } = await makeLock(await thisProcess());
  expect(await watch.clearIfDead()).toBe(false);
  expect(watch.holder).toBe(process.pid);
  expect(await readdir(dir)).toEqual(["lock", "ticket"]);
});

test("a dead lock stays while a living process has the right to remove it", async () => {
  const { lock, ticket, watch } = await makeLock(await gone());
  const { id } = (await readOwnerFile(lock)) as { id: string };
  await writeFile(`${lock}.reclaim.${id}.0`, await readFile(ticket));
  expect(await watch.clearIfDead()).toBe(false);
  await unlink(`${lock}.reclaim.${id}.0`);
  expect(await watch.clearIfDead()).toBe(true);
});

test("the right of a process that died with it passes on", async () => {
  const { dir, lock, watch } = await makeLock(await gone());
  const { id } = (await readOwnerFile(lock)) as { id: string };
  for (const generation of [0, 1]) await writeFile(`${lock}.reclaim.${id}.${generation}`, JSON.stringify(await gone()));
  expect(await watch.clearIfDead()).toBe(true);
  expect(await readdir(dir)).not.toContain("lock");
});

test("one of many waiters removes it, and only once", async () => {
  const { dir, lock, ticket } = await makeLock(await gone());
  await Promise.all(Array.from({ length: 20 }, () => new LockWatch(lock, ticket).clearIfDead()));
  expect(await readdir(dir)).toEqual(["ticket"]);
});

test("a folder is moved aside, with what is in it", async () => {
  const { dir, lock, watch } = await makeLock();
  await mkdir(join(lock, "inside"), { recursive: true });
  await expect.poll(() => watch.clearIfDead()).toBe(true);
  const aside = (await readdir(dir)).find((name) => name.startsWith("lock.not-a-lock-"));
  expect(await readdir(join(dir, aside as string))).toEqual(["inside"]);
});
