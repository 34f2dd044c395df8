import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { call, enterProject, plant, readJson, sessionFile, text } from "./calling.js";

const RUN = "3f2b8c1e-7a54-4d0b-9c3e-1f2a3b4c5d6e";
const sha256 = (value: string) => createHash("sha256").update(value).digest("hex");

/** A run in its second stage. */
function namedRun(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const stages = ["ralplan", "execution", "qa"];
  const profile = { descriptorVersion: 1, profileVersion: 1, stages, workflowName: "ship" };
  return {
    active: true,
    session_id: "s1",
    prompt: "secret plan",
    workflowRunId: RUN,
    workflow: { ...profile, profileHash: sha256(JSON.stringify(profile)) },
    pipelineTracking: { stages, currentStageIndex: 1, trackingRevision: 4, activationBoundary: null, completionObservations: [] },
    ...changes,
  };
}

const pause = (changes: Record<string, unknown> = {}) => ({
  mode: "autopilot",
  active: false,
  state: { workflowRunId: RUN },
  session_id: "s1",
  ...changes,
});

describe("a named autopilot run", () => {
  test("is shown as a summary", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun());
    for (const [tool, args] of [["state_read", { session_id: "s1" }], ["state_read", {}], ["state_get_status", { session_id: "s1" }]] as const) {
      const shown = await text(tool, { mode: "autopilot", ...args });
      expect(shown).not.toContain("secret plan");
      expect(shown).toContain('"name": "ship"');
      expect(shown).toContain('"currentStage": "execution"');
      expect(shown).toContain('"progress": "1/3"');
    }
  });

  test.each([
    ["no descriptor", { workflow: undefined }],
    ["a wrong hash", { workflow: { ...(namedRun()["workflow"] as object), profileHash: "0".repeat(64) } }],
    ["further keys", { workflow: { ...(namedRun()["workflow"] as object), extra: 1 } }],
    ["another session", { session_id: "s9", _meta: { sessionId: "s1" } }],
    ["no prompt", { prompt: "" }],
    ["an odd run id", { workflowRunId: "run-1" }],
  ])("with %s is shown as failed and cannot be paused", async (_, changes) => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun(changes));
    const before = await readFile(path, "utf8");
    const shown = await text("state_read", { mode: "autopilot", session_id: "s1" });
    expect(JSON.parse((/```json\n([^]*)\n```/.exec(shown) as RegExpExecArray)[1] as string)).toEqual({
      name: "invalid",
      version: 1,
      shortHash: "invalid",
      stages: [],
      currentStage: null,
      status: "workflow_descriptor_integrity_failed",
      progress: "0/0",
    });
    const refused = await call("state_write", pause());
    expect(refused.text).toContain("changed, is stale, or failed integrity");
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test("is paused by its exact id, and only its activity changes", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun());
    expect(await text("state_write", pause())).toMatch(/^Paused named autopilot workflow/);
    expect(await readJson(path)).toEqual(namedRun({ active: false }));
  });

  test("a digest must be that of the present state", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun());
    const withDigest = (digest: string) => pause({ state: { workflowRunId: RUN, target_state_sha256: digest } });
    expect((await call("state_write", withDigest("0".repeat(64)))).text).toContain("is stale");
    expect(await text("state_write", withDigest(sha256(JSON.stringify(namedRun()))))).toMatch(/^Paused/);
  });

  test.each([
    ["a field beside", pause({ iteration: 2 }), "runtime-owned"],
    ["another state field", pause({ state: { workflowRunId: RUN, x: 1 } }), "runtime-owned"],
    ["activation", pause({ active: true }), "runtime-owned"],
    ["progress", { mode: "autopilot", iteration: 3, session_id: "s1" }, "runtime-owned"],
    ["no run id", { mode: "autopilot", active: false, session_id: "s1" }, "exact workflowRunId"],
    ["another run", pause({ state: { workflowRunId: RUN.replace("3f", "4f") } }), "changed, is stale"],
  ])("refuses %s", async (_, args, expected) => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun());
    const answer = await call("state_write", args);
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(expected);
    expect(await readJson(path)).toEqual(namedRun());
  });

  test("cannot be made by a write", async () => {
    await enterProject();
    const answer = await call("state_write", { mode: "autopilot", active: true, state: namedRun(), session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain("runtime-owned");
  });

  test("is cleared without a signal", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "autopilot-state.json"), namedRun());
    expect(await text("state_clear", { mode: "autopilot", session_id: "s1" })).toMatch(/^Successfully cleared/);
    for (const file of [path, sessionFile(omc, "s1", "cancel-signal-state.json")]) {
      await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
    }
  });
});
