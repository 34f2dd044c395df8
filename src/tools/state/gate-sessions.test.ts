/** Which gate is meant when a call names no session: the same for the tools of gates and of states. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { plainFolder } from "../../test-support/project.js";
import { makeChange } from "../merge-readiness/asking.js";
import { call, enter, enterProject, plant, readJson, sessionFile, text } from "./calling.js";

const FILE = "merge-readiness-state.json";
const mode = "merge-readiness";

interface Setting {
  env: Record<string, string>;
  /** The session under which the gate is kept. */
  kept: string | undefined;
}

const SETTINGS: [string, Setting][] = [
  ["no session", { env: {}, kept: undefined }],
  ["OMC_SESSION_ID", { env: { OMC_SESSION_ID: "omc" }, kept: "omc" }],
  ["CLAUDE_SESSION_ID", { env: { CLAUDE_SESSION_ID: "claude" }, kept: "claude" }],
  ["both", { env: { CLAUDE_SESSION_ID: "claude", OMC_SESSION_ID: "omc" }, kept: "claude" }],
];

async function startGate({ env, kept }: Setting) {
  const project = await enterProject();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  await makeChange(project);
  await text("merge_readiness_start", { summary: "x" });
  const path = kept === undefined ? join(project.omc, "state", FILE) : sessionFile(project.omc, kept, FILE);
  return { ...project, path };
}

describe.each(SETTINGS)("with %s in the environment, the gate", (_, setting) => {
  test("is where its tools look for it", async () => {
    const { path } = await startGate(setting);
    expect(await readJson(path)).toMatchObject({ active: true, result: "pending" });
    expect(await text("merge_readiness_report")).toContain("Result: pending");
  });

  test("is read", async () => {
    const { path } = await startGate(setting);
    for (const args of [{}, { session_id: "" }]) {
      const shown = await text("state_read", { mode, ...args });
      expect(shown).toContain(`Path: ${path}`);
      expect(shown).toContain('"result": "pending"');
    }
  });

  test("is listed as active", async () => {
    await startGate(setting);
    expect(await text("state_list_active")).toContain("- **merge-readiness**");
    expect(await text("state_list_active", { all: true })).toContain(`- **merge-readiness** (${setting.kept ?? "legacy"})`);
  });

  test("has a status", async () => {
    const { path } = await startGate(setting);
    expect(await text("state_get_status", { mode })).toContain(`- **Active:** Yes\n- **State Path:** ${path}`);
    const all = await text("state_get_status");
    expect(all).toMatch(/\*\*merge-readiness\*\*: (Active|Inactive\n.*\n   Active sessions: claude)/);
  });

  test.each([{}, { session_id: "" }])("is cancelled, with the one that is nobody's, by %j", async (args) => {
    const { omc, path } = await startGate(setting);
    const shared = await plant(join(omc, "state", FILE), { active: true, result: "pending" });
    const others = await plant(sessionFile(omc, "other", FILE), { active: true, result: "pending" });
    const names = setting.kept === undefined ? "legacy" : `${setting.kept}, legacy`;
    expect(await text("state_clear", { mode, ...args })).toBe(`Cancelled merge-readiness gate(s) with durable state audit records: ${names}`);
    for (const file of [path, shared]) expect(await readJson(file)).toMatchObject({ active: false, result: "cancelled" });
    expect(await readJson(others)).toMatchObject({ active: true });
    expect(await text("state_clear", { mode, ...args })).toContain("No active merge-readiness gate found");
  });

  test("is found by its session too", async () => {
    const { path } = await startGate(setting);
    if (setting.kept === undefined) return;
    expect(await text("state_read", { mode, session_id: setting.kept })).toContain(`Path: ${path}`);
    expect(await text("state_clear", { mode, session_id: setting.kept })).toMatch(new RegExp(`: ${setting.kept}$`));
  });
});

test("a list of one session says so when the gate is kept under another", async () => {
  const { omc } = await startGate({ env: { CLAUDE_SESSION_ID: "claude", OMC_SESSION_ID: "omc" }, kept: "claude" });
  await plant(sessionFile(omc, "omc", "ralph-state.json"), { active: true });
  expect(await text("state_list_active")).toBe(
    "## Active Modes (session: omc, 2)\n\n- **ralph**\n- **merge-readiness** (session: claude)",
  );
  expect(await text("state_list_active", { session_id: "omc" })).toBe("## Active Modes (session: omc, 1)\n\n- **ralph**");
  expect(await text("state_get_status")).toContain(`[ACTIVE] **merge-readiness**: Active\n   Path: \`${sessionFile(omc, "claude", FILE)}\``);
});

test("a session in the environment that cannot be one is said, and does not hinder other modes", async () => {
  const { omc } = await enterProject();
  vi.stubEnv("CLAUDE_SESSION_ID", "a/b");
  vi.stubEnv("OMC_SESSION_ID", "omc");
  await plant(sessionFile(omc, "omc", "ralph-state.json"), { active: true });
  expect(await call("merge_readiness_report")).toMatchObject({ isError: true, text: expect.stringContaining("CLAUDE_SESSION_ID cannot be used") });
  expect(await call("state_read", { mode })).toMatchObject({ isError: true });
  expect(await text("state_list_active")).toContain("- **ralph**");
  expect(await text("state_get_status")).toContain("[ACTIVE] **ralph**");
  expect(await text("state_clear", { mode })).toContain("No active merge-readiness gate found");
});

test("outside of repositories the gate lies with the sessions of all, and names its folder", async () => {
  const folder = await plainFolder("omc-gate-");
  const home = join(folder, "home");
  const project = join(folder, "project");
  for (const dir of [home, project]) await mkdir(dir);
  enter(project, home);
  expect((await call("merge_readiness_start", { summary: "x", session_id: "s1" })).text).toContain("blocked");
  const gate = await readJson(sessionFile(join(home, ".omc"), "s1", FILE));
  expect(gate).toMatchObject({ project_path: project, result: "blocked" });
  expect((gate["evidence"] as { missingEvidence: string[] }).missingEvidence).toEqual(["the folder is not in a git repository, so there is no diff"]);
  expect(await text("merge_readiness_report", { session_id: "s1" })).toContain("Result: blocked");
  expect(await text("state_clear", { mode, session_id: "s1" })).toContain("records: s1");
});
