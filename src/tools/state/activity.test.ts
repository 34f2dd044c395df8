import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { call, enterProject, plant, sessionFile, text } from "./calling.js";
import { LISTED_MODES, REGISTRY_MODES } from "./modes.js";

/** Whether each of the three answers takes the mode for active in session s1. */
async function answers(mode: string): Promise<boolean[]> {
  const list = await text("state_list_active", { session_id: "s1" });
  const status = await text("state_get_status", { mode, session_id: "s1" });
  const all = await text("state_get_status", { session_id: "s1" });
  return [list.includes(`- **${mode}**`), status.includes("- **Active:** Yes"), all.includes(`[ACTIVE] **${mode}**`)];
}

describe.each(LISTED_MODES.map((mode) => [mode]))("%s", (mode) => {
  test.each([
    [{ active: true }, true],
    [{ active: true, session_id: "s1" }, true],
    [{ active: true, _meta: { sessionId: "s1" }, session_id: "ignored" }, true],
    [{ active: true, _meta: { sessionId: "" }, session_id: "" }, true],
    [{ active: true, session_id: "s2" }, false],
    [{ active: true, _meta: { sessionId: "s2" }, session_id: "s1" }, false],
    [{ active: false }, false],
    [{}, false],
    [[{ active: true }], false],
    ["{bad", false],
  ])("with %j: list and status agree on %s", async (content, expected) => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", `${mode}-state.json`), content);
    expect(await answers(mode)).toEqual([expected, expected, expected]);
  });
});

test.each(REGISTRY_MODES.map((mode) => [mode]))("a tombstone lays %s to rest in its own scope only", async (mode) => {
  const { omc } = await enterProject();
  const tombstone = { active_skills: { [mode]: { completed_at: new Date().toISOString() } } };
  for (const session of ["s1", "s2"]) await plant(sessionFile(omc, session, `${mode}-state.json`), { active: true });
  await plant(sessionFile(omc, "s1", "skill-active-state.json"), tombstone);
  expect(await answers(mode)).toEqual([false, false, false]);
  expect(await text("state_list_active", { session_id: "s2" })).toContain(mode);
});

test.each(["yesterday", 7, null, "2020-01-01T00:00:00Z"])("a tombstone of %j says nothing", async (completed) => {
  const { omc } = await enterProject();
  await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
  await plant(sessionFile(omc, "s1", "skill-active-state.json"), { active_skills: { ralph: { completed_at: completed } } });
  expect(await answers("ralph")).toEqual([true, true, true]);
});

test("an owned session-less state is nobody else's", async () => {
  const { omc } = await enterProject();
  await plant(join(omc, "state", "team-state.json"), { active: true, session_id: "s9" });
  expect(await text("state_list_active")).toContain("No modes");
  expect(await text("state_get_status", { mode: "team" })).toContain("- **Active:** No");
});

test("a bad session id is an error of every tool", async () => {
  await enterProject();
  for (const tool of ["state_read", "state_clear", "state_get_status", "state_write"]) {
    const answer = await call(tool, { mode: "ralph", session_id: "a/b" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain("path traversal not allowed (a/b)");
  }
  expect(await call("state_list_active", { session_id: " " })).toMatchObject({ isError: true });
});

test.each([
  ["state_read", "Error reading state for ralph"],
  ["state_write", "Error writing state for ralph"],
  ["state_clear", "Error clearing state for ralph"],
  ["state_list_active", "Error listing active modes"],
  ["state_get_status", "Error getting status"],
])("%s names what failed, without paths of the machine", async (tool, prefix) => {
  const { folder, root } = await enterProject();
  const foreign = await call(tool, { ...(tool === "state_list_active" ? {} : { mode: "ralph" }), workingDirectory: "/" });
  expect(foreign).toMatchObject({ isError: true });
  expect(foreign.text).toMatch(`${prefix}: `);
  expect(foreign.text).not.toContain(root);
  vi.stubEnv("PATH", "");
  const blind = await call(tool, { ...(tool === "state_list_active" ? {} : { mode: "ralph" }), workingDirectory: "sub" });
  expect(blind.text).toContain("git probe failed and was not used");
  expect(blind.text).not.toContain(folder);
});
