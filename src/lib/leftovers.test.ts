import { spawnSync } from "node:child_process";
import { link, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test-support/folders.js";
import { sweepLeftovers } from "./leftovers.js";
import { thisProcess } from "./process-owner.js";

const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;
const UUID = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
const { place: HERE } = await thisProcess();
const ELSEWHERE = "0123456789abcdef";

/** A folder of files that all say `text` and were last changed so many milliseconds ago. */
async function makeFolder(names: string[], text = "", old = 0): Promise<string> {
  const dir = await temporaryFolder("omc-leftovers-");
  for (const name of names) {
    await writeFile(join(dir, name), text);
    if (old > 0) await age(join(dir, name), old);
  }
  return dir;
}

async function age(path: string, milliseconds: number): Promise<void> {
  const then = (Date.now() - milliseconds) / 1_000;
  await utimes(path, then, then);
}

async function swept(dir: string): Promise<string[]> {
  await sweepLeftovers(dir, "a.json");
  return (await readdir(dir)).toSorted();
}

/** Our leftovers beside a file, named after the process that made them and where that ran. */
const ours = (pid: number, place = HERE, file = "a.json") => [
  `.${file}.tmp.${pid}-0-${place}-${UUID}`,
  `${file}.lock.${pid}.${place}-${UUID}.tmp`,
  `${file}.mutation.lock.${pid}.${place}-${UUID}.tmp`,
  `${file}.team-state.lock.${pid}.${place}-${UUID}.tmp`,
];
/** Those of oh-my-claudecode, named after a process somewhere. */
const theirs = (pid: number) => [
  `a.json.mutation.lock.${pid}.${UUID}.tmp`,
  `a.json.emergency-recovery.claim.${pid}.x.${UUID}.tmp`,
  `a.json.emergency-recovery.claim.recovery.guard.${pid}.${UUID}.tmp`,
  `a.json.tmp.${pid}.1700000000000`,
];
const sayingTheirMaker = ["a.json.emergency-recovery.claim", "a.json.emergency-recovery.claim.recovery.guard", "a.json.mutation.lock.reclaim.12-34-0a9f.0"];
const silent = [`.a.json.tmp.${UUID}`, `a.json.rollback.${UUID}`];
const unrelated = ["a.json", "b.json", ...ours(DEAD, HERE, "b.json"), "a.json.lock", "a.json.mutation.lock", "a.json.corrupt-2026", "a.json.bak", "a.json.tmp.x"];

test("what dead processes of this place left is taken away at once, and nothing else", async () => {
  const kept = [...ours(process.pid), ...ours(DEAD, ELSEWHERE), ...silent, ...unrelated];
  expect(await swept(await makeFolder([...ours(DEAD), ...kept]))).toEqual(kept.toSorted());
});

test("what a process elsewhere made goes when nobody can be waiting for it any more", async () => {
  const names = [...ours(process.pid, ELSEWHERE), ...ours(DEAD, ELSEWHERE)];
  expect(await swept(await makeFolder(names, "", 20_000))).toEqual(names.toSorted());
  expect(await swept(await makeFolder(names, "", 31_000))).toEqual([]);
});

test("what does not tell where its maker ran is judged by what it says, and goes after a moment", async () => {
  const names = [...theirs(DEAD), ...sayingTheirMaker];
  const text = JSON.stringify({ pid: DEAD, processStart: "1" });
  expect(await swept(await makeFolder(names, text))).toEqual(names.toSorted());
  expect(await swept(await makeFolder(names, text, 200))).toEqual([]);
  expect(await swept(await makeFolder(names, JSON.stringify({ pid: process.pid }), 200))).toEqual(names.toSorted());
  const elsewhere = JSON.stringify({ pid: DEAD, place: ELSEWHERE });
  expect(await swept(await makeFolder(names, elsewhere, 20_000))).toEqual(names.toSorted());
});

test("what was not written to its end is judged by its name, and goes once it lies still", async () => {
  const names = [...theirs(DEAD), ...theirs(process.pid)];
  expect(await swept(await makeFolder(names, "", 200))).toEqual(names.toSorted());
  expect(await swept(await makeFolder(names, "", 1_050))).toEqual(theirs(process.pid).toSorted());
});

test("what does not tell its maker goes once it lies still", async () => {
  const dir = await makeFolder(["a.json"]);
  await link(join(dir, "a.json"), join(dir, silent[1] as string));
  await writeFile(join(dir, silent[0] as string), "");
  expect(await swept(dir)).toHaveLength(3);
  const still = (await stat(join(dir, silent[0] as string))).ctimeMs + 1_050;
  await expect.poll(() => Date.now()).toBeGreaterThan(still);
  expect(await swept(dir)).toEqual(["a.json"]);
});

test("what the dead left beside other files goes when it is old", async () => {
  const others = ["b.json", "b.json.lock", "b.tmp", `.b.json.tmp.${UUID}`, `b.json.rollback.${UUID}`, ...ours(process.pid, HERE, "b.json")];
  const names = [...ours(DEAD, HERE, "b.json"), ...ours(DEAD, ELSEWHERE, "c.json"), ...others];
  expect(await swept(await makeFolder(names))).toEqual(names.toSorted());
  expect(await swept(await makeFolder(names, "", 61_000))).toEqual(others.toSorted());
});

test("a folder that is not there is swept already", async () => {
  await sweepLeftovers(join(await makeFolder([]), "none"), "a.json");
});
