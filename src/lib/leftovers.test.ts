import { spawnSync } from "node:child_process";
import { link, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sweepLeftovers } from "./leftovers.js";
import { thisProcess } from "./process-owner.js";

const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;
const UUID = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "omc-leftovers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Names of leftovers of `a.json`, made by the process `pid`. */
const namedAfterMaker = (pid: number) => [
  `.a.json.tmp.${pid}-0-${UUID}`,
  `a.json.lock.${pid}.${UUID}.tmp`,
  `a.json.mutation.lock.${pid}.${UUID}.tmp`,
  `a.json.team-state.lock.${pid}.${UUID}.tmp`,
  `a.json.emergency-recovery.claim.${pid}.x.${UUID}.tmp`,
  `a.json.emergency-recovery.claim.recovery.guard.${pid}.${UUID}.tmp`,
  `a.json.tmp.${pid}.1700000000000`,
];

const sayingTheirMaker = ["a.json.emergency-recovery.claim", "a.json.emergency-recovery.claim.recovery.guard", "a.json.mutation.lock.reclaim.12-34-0a9f.0"];
const silent = [`.a.json.tmp.${UUID}`, `a.json.rollback.${UUID}`];
const unrelated = ["a.json", "b.json", `.b.json.tmp.${DEAD}-0-${UUID}`, "a.json.lock", "a.json.mutation.lock", "a.json.corrupt-2026", "a.json.bak", `a.json.tmp.x`];

test("takes away what dead processes left, and nothing else", async () => {
  const dir = await makeFolder();
  const plant = (names: string[], text: string) => Promise.all(names.map((name) => writeFile(join(dir, name), text)));
  const { place } = await thisProcess();
  await plant(namedAfterMaker(DEAD), JSON.stringify({ pid: DEAD, place }));
  await plant(namedAfterMaker(process.pid), "");
  await plant(sayingTheirMaker, JSON.stringify({ pid: DEAD, processStart: "1", place }));
  await plant(silent, "");
  await plant(unrelated, "");
  await sweepLeftovers(dir, "a.json");
  const expected = [...namedAfterMaker(process.pid), ...silent, ...unrelated].toSorted();
  expect((await readdir(dir)).toSorted()).toEqual(expected);
});

test("keeps the claims of the living", async () => {
  const dir = await makeFolder();
  for (const name of sayingTheirMaker) await writeFile(join(dir, name), JSON.stringify({ pid: process.pid }));
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toHaveLength(sayingTheirMaker.length);
});

test("what does not tell its maker goes once it lies still", async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, "a.json"), "");
  await link(join(dir, "a.json"), join(dir, silent[1] as string));
  await writeFile(join(dir, silent[0] as string), "");
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toHaveLength(3);
  const still = (await stat(join(dir, silent[0] as string))).ctimeMs + 1_050;
  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(still);
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toEqual(["a.json"]);
});

/** Sets the time of a file back. */
async function age(path: string, milliseconds: number): Promise<void> {
  const then = (Date.now() - milliseconds) / 1_000;
  await utimes(path, then, then);
}

test("a ticket of another machine or container stays, whoever has its process id here", async () => {
  const dir = await makeFolder();
  const ticket = namedAfterMaker(DEAD)[2] as string;
  await writeFile(join(dir, ticket), JSON.stringify({ pid: DEAD, processStart: "1", place: "another container" }));
  await age(join(dir, ticket), 20_000);
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toEqual([ticket]);
  await age(join(dir, ticket), 31_000);
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toEqual([]);
});

test("a ticket that was not written to its end is judged by its name, and by its age", async () => {
  const dir = await makeFolder();
  const [dead, living] = [DEAD, process.pid].map((pid) => namedAfterMaker(pid)[1] as string) as [string, string];
  for (const name of [dead, living]) await writeFile(join(dir, name), "");
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toHaveLength(2);
  for (const name of [dead, living]) await age(join(dir, name), 1_050);
  await sweepLeftovers(dir, "a.json");
  expect(await readdir(dir)).toEqual([living]);
});

test("what the dead left beside other files goes when it is old", async () => {
  const ours = (pid: number) => [`.b.json.tmp.${pid}-0-${UUID}`, `c.json.lock.${pid}.${UUID}.tmp`, `d.mutation.lock.${pid}.${UUID}.tmp`];
  const others = ["b.json", "b.json.lock", "b.tmp", `.b.json.tmp.${UUID}`, `b.json.rollback.${UUID}`];
  const all = [...ours(DEAD), ...ours(process.pid), ...others];
  const [young, old] = [await makeFolder(), await makeFolder()];
  for (const name of all) await Promise.all([writeFile(join(young, name), ""), writeFile(join(old, name), "")]);
  for (const name of all) await age(join(old, name), 61_000);
  await Promise.all([sweepLeftovers(young, "a.json"), sweepLeftovers(old, "a.json")]);
  expect((await readdir(young)).toSorted()).toEqual(all.toSorted());
  expect((await readdir(old)).toSorted()).toEqual([...ours(process.pid), ...others].toSorted());
});

test("a folder that is not there is swept already", async () => {
  await sweepLeftovers(join(await makeFolder(), "none"), "a.json");
});
