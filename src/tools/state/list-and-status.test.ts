import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Project } from "../../test-support/project.js";
import { enter, enterProject, plant, sessionFile, text } from "./calling.js";

async function plantMany({ omc }: Project): Promise<void> {
  await plant(join(omc, "state", "ralph-state.json"), { active: true });
  await plant(sessionFile(omc, "s1", "autopilot-state.json"), { active: true });
  await plant(sessionFile(omc, "s1", "team-state.json"), { active: true, session_id: "s1" });
  await plant(sessionFile(omc, "s1", "ultragoal-state.json"), { active: 1 });
  await plant(sessionFile(omc, "s1", "ultrawork-state.json"), { active: true });
  await plant(sessionFile(omc, "s2", "team-state.json"), { active: true });
  await plant(sessionFile(omc, "s2", "deep-interview-state.json"), { active: "true" });
}

describe("state_list_active", () => {
  test("nothing", async () => {
    await enterProject();
    expect(await text("state_list_active")).toBe("## Active Modes\n\nNo modes are currently active.");
    const scoped = await text("state_list_active", { session_id: "s1" });
    expect(scoped).toMatch(/^## Active Modes \(session: s1\)\n\nNo modes are currently active/);
  });

  test("over all sessions, with their scopes and without retired modes", async () => {
    await plantMany(await enterProject());
    expect(await text("state_list_active")).toBe(
      "## Active Modes (4)\n\n- **autopilot** (s1)\n- **team** (s1, s2)\n- **ralph** (legacy)\n- **ultragoal** (s1)",
    );
  });

  test("of one session; a loop without session runs in it too", async () => {
    await plantMany(await enterProject());
    expect(await text("state_list_active", { session_id: "s1" })).toBe(
      "## Active Modes (session: s1, 4)\n\n- **autopilot**\n- **team**\n- **ultragoal**\n- **ralph**",
    );
  });

  test("a completed skill vetoes its mode for a day", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
    const tombstone = (hours: number) => ({
      active_skills: { ralph: { completed_at: new Date(Date.now() - hours * 3_600_000).toISOString() } },
    });
    await plant(sessionFile(omc, "s1", "skill-active-state.json"), tombstone(23));
    expect(await text("state_list_active")).toContain("No modes");
    await plant(sessionFile(omc, "s1", "skill-active-state.json"), tombstone(25));
    expect(await text("state_list_active")).toContain("- **ralph** (s1)");
  });

  test("agrees with the status, whoever owns the file and wherever it lies", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "a", "ralph-state.json"), { active: true });
    expect(await text("state_list_active")).toContain("- **ralph** (a)");
    await plant(join(omc, "state", "ralph-state.json"), { active: true, session_id: "b" });
    expect(await text("state_list_active")).toContain("- **ralph** (a)");
    expect(await text("state_get_status", { mode: "ralph" })).toContain("### Legacy Path\n- **Active:** No");
    expect(await text("state_list_active", { session_id: "b" })).toContain("No modes");
  });

  test("what lies in the home folder is ours only when it names this project", async () => {
    const { home, root } = await enterProject();
    const shared = join(home, ".omc");
    await plant(sessionFile(shared, "other", "ralph-state.json"), { active: true });
    await plant(join(shared, "state", "ralph-state.json"), { active: true, project_path: "/elsewhere" });
    expect(await text("state_list_active")).toContain("No modes");
    expect(await text("state_list_active", { session_id: "other" })).toContain("No modes");
    await plant(sessionFile(shared, "mine", "ralph-state.json"), { active: true, project_path: root });
    expect(await text("state_list_active")).toContain("- **ralph** (mine)");
  });
});

describe("state_get_status", () => {
  test("one mode in one session", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true, note: "y".repeat(600) });
    const shown = await text("state_get_status", { mode: "ralph", session_id: "s1" });
    expect(shown).toContain(`## Status: ralph\n\n### Session: s1\n- **Active:** Yes\n- **State Path:** ${path}\n- **Exists:** Yes`);
    expect(shown).toMatch(/### State Preview\n```json\n\{[^]*yyy\n\.\.\.\(truncated\)\n```$/);
    const none = await text("state_get_status", { mode: "ralph", session_id: "s2" });
    expect(none).toContain("- **Active:** No");
    expect(none).toContain("- **Exists:** No\n\n### State Preview\nNo state file");
  });

  test("a corrupt file exists; another session's does not exist for us", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), "{bad secret");
    const corrupt = await text("state_get_status", { mode: "ralph", session_id: "s1" });
    expect(corrupt).toContain("- **Exists:** Yes\n\n### State Preview\nError reading state file");
    await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true, session_id: "s2", secret: 1 });
    const foreign = await text("state_get_status", { mode: "ralph", session_id: "s1" });
    expect(foreign).toMatch(/- \*\*Active:\*\* No[^]*- \*\*Exists:\*\* No[^]*No state file/);
  });

  test("one mode over all sessions", async () => {
    const project = await enterProject();
    await plantMany(project);
    const shown = await text("state_get_status", { mode: "team" });
    expect(shown).toContain(`### Legacy Path\n- **Active:** No\n- **State Path:** ${join(project.omc, "state", "team-state.json")}`);
    expect(shown).toContain("### Active Sessions (2)\n- s1\n- s2");
    expect(await text("state_get_status", { mode: "ralplan" })).toContain("No active sessions");
  });

  test("all modes", async () => {
    const project = await enterProject();
    await plantMany(project);
    const all = await text("state_get_status");
    expect(all).toMatch(/^## All Mode Statuses\n\n\[INACTIVE\] \*\*autopilot\*\*: Inactive\n {3}Path: `[^`]*`\n {3}Active sessions: s1\n/);
    expect(all).toContain("[ACTIVE] **ralph**: Active");
    const modes = [...all.matchAll(/\*\*(\S+)\*\*/g)].map((match) => match[1]);
    expect(modes.join(" ")).toBe(
      "autopilot autoresearch team ralph deep-interview merge-readiness self-improve ralplan omc-teams skill-active ultragoal",
    );
    const scoped = await text("state_get_status", { session_id: "s1" });
    expect(scoped).toMatch(/^## All Mode Statuses \(session: s1\)\n\n\[ACTIVE\] \*\*autopilot\*\*: Active\n/);
    expect(scoped).not.toContain("Active sessions:");
  });
});

test("one project's sessions are not seen from another", async () => {
  const first = await enterProject();
  await text("state_write", { mode: "ralph", active: true, session_id: "s1" });
  const second = await enterProject();
  expect(await text("state_list_active")).toContain("No modes");
  enter(first.root, second.home);
  expect(await text("state_list_active")).toContain("ralph");
});
