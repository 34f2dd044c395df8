import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveWorkspace } from "../../lib/workspace.js";
import { enterProject, plant, sessionFile } from "../state/calling.js";
import { gatherArtifacts } from "./artifacts.js";

const gather = async (session?: string) => gatherArtifacts(await resolveWorkspace(), session);

describe("files", () => {
  test("of some kinds in some folders count, by their names as tests or reviews", async () => {
    const { omc } = await enterProject();
    for (const path of ["plans/a.md", "artifacts/deep/er/test-run.log", "logs/Security.txt", "specs/b.json", "interviews/c.md", "artifacts/qa-review.md"]) {
      await plant(join(omc, path), "x");
    }
    for (const path of ["plans/a.ts", "other/a.md", "a.md", "artifacts/merge-readiness/report.md"]) await plant(join(omc, path), "x");
    expect(await gather()).toEqual({
      sourceArtifacts: ["plans/a.md", "artifacts/deep/er/test-run.log", "artifacts/qa-review.md", "logs/Security.txt", "specs/b.json", "interviews/c.md"],
      testEvidence: ["artifacts/deep/er/test-run.log", "artifacts/qa-review.md"],
      reviewEvidence: ["artifacts/qa-review.md", "logs/Security.txt"],
      modeStates: [],
    });
  });

  test("at most 40 of a folder", async () => {
    const { omc } = await enterProject();
    for (let at = 0; at < 50; at++) await plant(join(omc, "logs", `${String(at).padStart(2, "0")}.log`), "x");
    await plant(join(omc, "plans", "p.md"), "x");
    expect((await gather()).sourceArtifacts).toHaveLength(41);
  });

  test("behind links do not", async () => {
    const { omc, folder } = await enterProject();
    await plant(join(folder, "elsewhere", "secret.md"), "x");
    await mkdir(join(omc, "plans"), { recursive: true });
    await symlink(join(folder, "elsewhere"), join(omc, "logs"));
    await symlink(join(folder, "elsewhere"), join(omc, "plans", "linked"));
    await symlink(join(folder, "elsewhere", "secret.md"), join(omc, "plans", "linked.md"));
    expect((await gather()).sourceArtifacts).toEqual([]);
  });

  test("with control characters in their names are shown on one line", async () => {
    const { omc } = await enterProject();
    await mkdir(join(omc, "plans"), { recursive: true });
    await writeFile(join(omc, "plans", "a\n## Readiness.md"), "x");
    expect((await gather()).sourceArtifacts).toEqual(["plans/a?## Readiness.md"]);
  });
});

describe("states of modes", () => {
  test.each([
    [{ active: true }, true],
    [{ active: false, iteration: 2 }, true],
    [{ active: false, started_at: "2026-01-01T00:00:00Z" }, true],
    [{ phase: "execution" }, true],
    [{ active: false, iteration: 0, phase: "init" }, false],
    [{ active: true, session_id: "other" }, false],
    ["{bad", false],
    [[1], false],
  ])("%j counts: %j", async (state, counts) => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), state);
    expect((await gather("s1")).modeStates).toEqual(counts ? ["state/sessions/s1/ralph-state.json"] : []);
  });

  test("those of the session and of none, not of others nor of gates", async () => {
    const { omc } = await enterProject();
    await plant(join(omc, "state", "team-state.json"), { active: true });
    await plant(sessionFile(omc, "s1", "ralplan-state.json"), { active: true });
    await plant(sessionFile(omc, "s1", "merge-readiness-state.json"), { active: true });
    await plant(sessionFile(omc, "s2", "ralph-state.json"), { active: true });
    const expected = ["state/team-state.json", "state/sessions/s1/ralplan-state.json"];
    expect((await gather("s1")).sourceArtifacts.toSorted()).toEqual(expected.toSorted());
    expect((await gather()).sourceArtifacts).toEqual(["state/team-state.json"]);
  });
});
