/** What oh-my-claudecode 5.5.0 and killed processes leave beside state files must neither stop us nor stay. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, readdir, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { thisProcess } from "../../lib/process-owner.js";
import { UNBLOCKED_MS } from "../../test-support/stress.js";
import { call, enterProject, plant, readJson, sessionFile, text } from "./calling.js";

const { place: HERE } = await thisProcess();
/** A process id that was in use and is no more. */
const DEAD = spawnSync(process.execPath, ["-e", ""]).pid;
const dead = () => ({ version: 1, pid: DEAD, processStart: "1", createdAt: "2026-01-01T00:00:00.000Z", nonce: randomUUID() });

/** What is planted beside a state file, by what it is. */
const ARTEFACTS: Record<string, (state: string) => Promise<unknown>> = {
  "a mutation lock of a dead process": (state) => plant(`${state}.mutation.lock`, dead()),
  "an empty mutation lock": (state) => plant(`${state}.mutation.lock`, ""),
  "a torn mutation lock": (state) => plant(`${state}.mutation.lock`, '{"version":1,"pi'),
  "a mutation lock whose pid was reused": (state) => plant(`${state}.mutation.lock`, { ...dead(), pid: process.pid }),
  "a recovery claim of a dead process": (state) => plant(`${state}.emergency-recovery.claim`, dead()),
  "an unreadable recovery claim": (state) => plant(`${state}.emergency-recovery.claim`, ""),
  "a claim's temporary file": (state) => plant(`${state}.emergency-recovery.claim.${DEAD}.1.${randomUUID()}.tmp`, dead()),
  "a claim's guard": (state) => plant(`${state}.emergency-recovery.claim.recovery.guard`, dead()),
  "a lock's ticket": (state) => plant(`${state}.mutation.lock.${DEAD}.${randomUUID()}.tmp`, dead()),
  "a simple lock": (state) => plant(`${state}.lock.${DEAD}.${randomUUID()}.tmp`, { pid: DEAD, timestamp: 1 }),
  "our temporary file": (state) => plant(`${dirname(state)}/.${basename(state)}.tmp.${DEAD}-1-${HERE}-${randomUUID()}`, "{"),
  "a shared-memory-like temporary file": (state) => plant(`${state}.tmp.${DEAD}.1700000000000`, "{"),
  "a journal whose maker is dead": (state) =>
    plant(`${state}.emergency-journal.json`, { version: 1, transactionId: randomUUID(), owner: dead(), intent: "publish", phase: "prepared" }),
  "a torn journal": (state) => plant(`${state}.emergency-journal.json`, '{"version"'),
};

describe.each(Object.entries(ARTEFACTS))("%s", (_, leave) => {
  test.each(["ralph", "team"])("does not keep %s from being read, written and cleared", async (mode) => {
    const { omc } = await enterProject();
    const state = await plant(sessionFile(omc, "s1", `${mode}-state.json`), { active: true, session_id: "s1", n: 1 });
    await leave(state);
    expect(await text("state_read", { mode, session_id: "s1" })).toContain('"n": 1');
    const before = performance.now();
    await text("state_write", { mode, iteration: 2, session_id: "s1" });
    expect(performance.now() - before).toBeLessThan(UNBLOCKED_MS);
    expect(await readJson(state)).toMatchObject({ n: 1, iteration: 2 });
    await leave(state);
    expect(await text("state_clear", { mode, session_id: "s1" })).toMatch(/^Successfully cleared/);
    await expect(stat(state)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("is swept by one write once it lies still", async () => {
    const { omc } = await enterProject();
    const state = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
    await leave(state);
    await letAge(dirname(state));
    await text("state_write", { mode: "ralph", iteration: 2, session_id: "s1" });
    expect(await readdir(dirname(state))).toEqual(["ralph-state.json"]);
  });
});

/** Makes all files of a folder two seconds older. */
async function letAge(dir: string): Promise<void> {
  const then = Date.now() / 1_000 - 2;
  for (const name of await readdir(dir)) await utimes(join(dir, name), then, then);
}

/** Waits until what does not tell its maker has been lying still for long enough. */
async function settled(path: string): Promise<void> {
  const until = (await stat(path)).ctimeMs + 1_100;
  while (Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("rollback links and foreign temporary files go once they lie still", async () => {
  const { omc } = await enterProject();
  const state = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
  await link(state, `${state}.rollback.${randomUUID()}`);
  await plant(`${dirname(state)}/.ralph-state.json.tmp.${randomUUID()}`, "{");
  await text("state_write", { mode: "ralph", iteration: 1, session_id: "s1" });
  expect(await readdir(dirname(state))).toHaveLength(3);
  await settled(state);
  await text("state_write", { mode: "ralph", iteration: 2, session_id: "s1" });
  expect(await readdir(dirname(state))).toEqual(["ralph-state.json"]);
});

test("the team lock of a dead process does not block; that of a living one is awaited", async () => {
  const { omc } = await enterProject();
  const state = sessionFile(omc, "s1", "team-state.json");
  const body = { schema_version: 1, pid: DEAD, process_started_at: "linux:1", nonce: randomUUID(), created_at: "2026-01-01T00:00:00Z" };
  await plant(`${state}.team-state.lock`, body);
  await text("state_write", { mode: "team", active: true, session_id: "s1" });
  expect(await readdir(dirname(state))).toEqual(["team-state.json"]);
});

describe("a journal", () => {
  const id = randomUUID();
  const journal = (state: string, changes: object) => ({
    version: 1,
    transactionId: id,
    owner: dead(),
    quarantinePath: `${state}.emergency-quarantine.${id}`,
    ...changes,
  });

  test("of a living process is respected", async () => {
    const { omc } = await enterProject();
    const state = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
    await plant(`${state}.emergency-journal.json`, journal(state, { owner: { pid: process.pid }, phase: "prepared" }));
    const answer = await call("state_write", { mode: "ralph", active: false, session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(`is being recovered by process ${process.pid}`);
    expect(await readJson(state)).toEqual({ active: true });
  });

  test.each([
    ["moved aside for a publication that never came", { intent: "publish", phase: "quarantined" }, undefined, { old: 1, iteration: 2 }],
    ["moved aside, with the new state at hand", { intent: "publish", phase: "quarantined" }, { neu: 1 }, { neu: 1, iteration: 2 }],
    ["moved aside to be cleared", { intent: "clear", phase: "quarantined" }, undefined, { iteration: 2 }],
  ])("settles a state that was %s", async (_, changes, payload, expected) => {
    const { omc } = await enterProject();
    const state = sessionFile(omc, "s1", "ralph-state.json");
    const entry = journal(state, changes);
    await plant(`${state}.emergency-journal.json`, entry);
    await plant(entry.quarantinePath, { old: 1 });
    if (payload !== undefined) await plant(`${entry.quarantinePath}.payload`, payload);
    await text("state_write", { mode: "ralph", iteration: 2, session_id: "s1" });
    const { _meta: __, ...rest } = await readJson(state);
    expect(rest).toEqual(expected);
    expect(await readdir(dirname(state))).toEqual(["ralph-state.json"]);
  });

  test("cannot make us touch a file of another name", async () => {
    const { omc, folder } = await enterProject();
    const state = sessionFile(omc, "s1", "ralph-state.json");
    const victim = await plant(`${folder}/victim.json`, { keep: true });
    await plant(`${state}.emergency-journal.json`, { ...journal(state, { intent: "publish", phase: "quarantined" }), quarantinePath: victim });
    await text("state_write", { mode: "ralph", iteration: 2, session_id: "s1" });
    expect(await readJson(victim)).toEqual({ keep: true });
  });
});
