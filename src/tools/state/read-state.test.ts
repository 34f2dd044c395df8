import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, enter, enterProject, plant, sessionFile, text } from "./calling.js";

describe("state_read of one session", () => {
  test("shows the whole file", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true, _meta: { sessionId: "s1" } });
    const body = JSON.stringify({ active: true, _meta: { sessionId: "s1" } }, null, 2);
    expect(await text("state_read", { mode: "ralph", session_id: "s1" })).toBe(
      `## State for ralph (session: s1)\n\nPath: ${path}\n\n\`\`\`json\n${body}\n\`\`\``,
    );
  });

  test("nothing there is not an error", async () => {
    const { omc } = await enterProject();
    expect(await text("state_read", { mode: "ralph", session_id: "s1" })).toBe(
      `No state found for mode: ralph in session: s1\nExpected path: ${sessionFile(omc, "s1", "ralph-state.json")}`,
    );
  });

  test("a state of another session is not shown", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), { secret: 1, session_id: "s2" });
    expect(await text("state_read", { mode: "ralph", session_id: "s1" })).toMatch(/^No state found for mode: ralph/);
  });

  test("names what completed sessions left active", async () => {
    const { omc } = await enterProject();
    const left = await plant(sessionFile(omc, "old", "ralph-state.json"), { active: true, session_id: "old" });
    await plant(sessionFile(omc, "live", "ralph-state.json"), { active: true, session_id: "live" });
    await plant(join(omc, "sessions", "old.json"), { session_id: "old", ended_at: "2026-01-01T00:00:00Z" });
    const shown = await text("state_read", { mode: "ralph", session_id: "s1" });
    expect(shown).toContain("Discovered 1 completed-session orphan state file(s)");
    expect(shown).toContain(`- session: old\n  path: ${left}`);
    expect(shown).toContain("state_clear");
  });

  test.each([
    ["ralph", "{bad secret", "the state file is corrupt"],
    ["team", "{bad secret", "team state is corrupt"],
    ["team", '["secret"]', "team state is corrupt"],
  ])("a corrupt state of %s tells nothing of its bytes", async (mode, content, expected) => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", `${mode}-state.json`), content);
    const answer = await call("state_read", { mode, session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(`Error reading state for ${mode}: ${expected}`);
    expect(answer.text).not.toMatch(/secret|JSON at position|Unexpected/);
  });

  test("arrays and scalars of other modes are shown", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralplan-state.json"), "[1,2]");
    expect(await text("state_read", { mode: "ralplan", session_id: "s1" })).toContain("[\n  1,\n  2\n]");
  });

  test("a link to a file elsewhere is not followed", async () => {
    const { omc, folder } = await enterProject();
    const outside = await plant(join(folder, "outside.json"), { secret: 1 });
    await mkdir(join(omc, "state", "sessions", "s1"), { recursive: true });
    await symlink(outside, sessionFile(omc, "s1", "ralph-state.json"));
    const answer = await call("state_read", { mode: "ralph", session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).not.toMatch(/secret|outside/);
  });
});

describe("state_read over all sessions", () => {
  test("nothing anywhere", async () => {
    const { omc } = await enterProject();
    const shown = await text("state_read", { mode: "ralph" });
    expect(shown).toContain("No state found for mode: ralph\n");
    expect(shown).toContain(`Expected legacy path: ${join(omc, "state", "ralph-state.json")}`);
    expect(shown).toContain("legacy/aggregate");
  });

  test("tells active from inactive sessions", async () => {
    const { omc } = await enterProject();
    await plant(join(omc, "state", "ralph-state.json"), { active: true, where: "shared" });
    await plant(sessionFile(omc, "a", "ralph-state.json"), { active: true, session_id: "a" });
    await plant(sessionFile(omc, "b", "ralph-state.json"), { active: false, session_id: "b" });
    await plant(sessionFile(omc, "c", "ralph-state.json"), "{bad");
    await mkdir(join(omc, "state", "sessions", "bad.name"));
    const shown = await text("state_read", { mode: "ralph" });
    expect(shown).toMatch(/^## State for ralph\n/);
    expect(shown).toContain("### Legacy Path (shared)\nPath: ");
    expect(shown).toMatch(/### Active Sessions \(1\)\n\n\*\*Session: a\*\*/);
    expect(shown).toMatch(/### Inactive Sessions \(2\)\n\n\*\*Session: b\*\*/);
    expect(shown).toContain("*Error reading state file*");
  });

  test("a corrupt team state makes it an error", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "a", "team-state.json"), "{bad");
    const answer = await call("state_read", { mode: "team" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain("team state is corrupt");
  });

  test("finds the file of an older release", async () => {
    const { omc } = await enterProject();
    await plant(join(omc, "ralph-state.json"), { active: true, from: "older" });
    expect(await text("state_read", { mode: "ralph" })).toContain('"from": "older"');
  });
});

describe("outside of repositories", () => {
  test("session-less states of two directories are apart, and older ones are still found", async () => {
    const { home, folder } = await enterProject();
    const [a, b] = [join(folder, "a"), join(folder, "b")] as const;
    await Promise.all([mkdir(a), mkdir(b)]);
    enter(a, home);
    await text("state_write", { mode: "ralph", active: true, task_description: "of a" });
    await text("state_write", { mode: "ralph", active: true, session_id: "s-a" });
    enter(b, home);
    expect(await text("state_read", { mode: "ralph" })).toContain("No state found");
    expect(await text("state_list_active")).toContain("No modes are currently active");
    await plant(join(home, ".omc", "state", "ralplan-state.json"), { active: true, from: "5.5.0" });
    await plant(sessionFile(join(home, ".omc"), "s-b", "ralph-state.json"), { active: true, from: "hook" });
    expect(await text("state_read", { mode: "ralplan" })).toContain('"from": "5.5.0"');
    expect(await text("state_read", { mode: "ralph", session_id: "s-b" })).toContain('"from": "hook"');
    enter(a, home);
    expect(await text("state_read", { mode: "ralph" })).toContain("of a");
  });

  test("a session's state lies where hooks look for it", async () => {
    const { home, folder } = await enterProject();
    enter(folder, home);
    await text("state_write", { mode: "ralph", active: true, session_id: "s1" });
    const shown = await text("state_read", { mode: "ralph", session_id: "s1" });
    expect(shown).toContain(`Path: ${sessionFile(join(home, ".omc"), "s1", "ralph-state.json")}`);
  });
});
