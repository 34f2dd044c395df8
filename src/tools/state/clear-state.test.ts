import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { git } from "../../test-support/project.js";
import { call, enter, enterProject, plant, readJson, sessionFile, text } from "./calling.js";

const gone = (path: string) => expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
const there = (path: string) => expect(stat(path)).resolves.toBeDefined();

describe("state_clear of one session", () => {
  test("removes its state, what it left elsewhere and what nobody owns, and nothing of others", async () => {
    const { omc } = await enterProject();
    const due = [
      await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true }),
      await plant(sessionFile(omc, "s2", "ralph-state.json"), { active: true, session_id: "s1" }),
      await plant(sessionFile(omc, "old", "ralph-state.json"), { active: true, session_id: "old" }),
      await plant(join(omc, "state", "ralph-state.json"), { active: true }),
      await plant(sessionFile(omc, "s1", "ralph-stop-breaker.json"), {}),
      await plant(sessionFile(omc, "s1", "ralph-verification-state.json"), {}),
    ];
    await plant(join(omc, "sessions", "old.json"), { session_id: "old", ended_at: "2026-01-01T00:00:00Z" });
    const kept = [
      await plant(sessionFile(omc, "s3", "ralph-state.json"), { active: true }),
      await plant(sessionFile(omc, "s4", "ralph-state.json"), { active: true, session_id: "s4" }),
      await plant(sessionFile(omc, "s1", "ralplan-state.json"), { active: true }),
      await plant(join(omc, "ralph-state.json"), { session_id: "s4" }),
    ];
    const answer = await text("state_clear", { mode: "ralph", session_id: "s1" });
    expect(answer).toBe(
      "Successfully cleared state for mode: ralph in session: s1 (ghost legacy file also removed, removed 1 recovered " +
        "session file, removed 1 completed-session orphan file, removed 2 runtime artifacts)",
    );
    for (const path of due) await gone(path);
    for (const path of kept) await there(path);
  });

  test("its signal names no state, so that the Stop hook heeds it", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
    await text("state_clear", { mode: "ralph", session_id: "s1" });
    const signal = await readJson(sessionFile(omc, "s1", "cancel-signal-state.json"));
    expect(Object.keys(signal)).toEqual(["active", "requested_at", "expires_at", "mode", "source"]);
    expect(signal).toMatchObject({ active: true, mode: "ralph", source: "state_clear" });
    const [from, to] = [signal["requested_at"], signal["expires_at"]].map((time) => Date.parse(time as string)) as [number, number];
    expect(to - from).toBe(30_000);
    expect(Date.now() - from).toBeLessThan(10_000);
    expect((await stat(sessionFile(omc, "s1", "cancel-signal-state.json"))).mode & 0o777).toBe(0o600);
  });

  test("an autopilot's signal names its state", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "autopilot-state.json"), { active: true, n: 1 });
    await text("state_clear", { mode: "autopilot", session_id: "s1" });
    const signal = await readJson(sessionFile(omc, "s1", "cancel-signal-state.json"));
    const digest = createHash("sha256").update('{"active":true,"n":1}').digest("hex");
    expect(signal["target_state_sha256"]).toBe(digest);
    expect(signal).not.toHaveProperty("target_workflow_run_id");
  });

  test("clearing nothing leaves nothing behind", async () => {
    const { root, omc } = await enterProject();
    const answer = await text("state_clear", { mode: "ralph", session_id: "never-seen" });
    expect(answer).toContain("No state found to clear for mode: ralph in session: never-seen\n- Checked paths:\n  - ");
    expect(answer).toContain(`  - ${sessionFile(omc, "never-seen", "ralph-state.json")}`);
    expect(answer).toContain(`  - ${join(omc, "ralph-state.json")}`);
    expect(await readdir(root)).toEqual([".git"]);
  });

  test("a state of another session is left alone, and that is no error", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true, session_id: "s2" });
    expect(await text("state_clear", { mode: "ralph", session_id: "s1" })).toContain("No state found to clear");
    await there(path);
    expect(await readdir(join(omc, "state", "sessions", "s1"))).toEqual(["ralph-state.json"]);
  });

  test.each(["ralph", "team", "autopilot"])("moves a corrupt state of %s aside", async (mode) => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", `${mode}-state.json`), "{bad");
    expect(await text("state_clear", { mode, session_id: "s1" })).toContain("moved 1 corrupt state file aside");
    const names = await readdir(join(omc, "state", "sessions", "s1"));
    const aside = names.find((name) => name.startsWith(`${mode}-state.json.corrupt-`)) as string;
    expect(await readFile(sessionFile(omc, "s1", aside), "utf8")).toBe("{bad");
    await text("state_write", { mode, active: true, session_id: "s1" });
  });

  test("a link in the state's place is moved aside, not followed", async () => {
    const { omc, folder } = await enterProject();
    const outside = await plant(join(folder, "outside.json"), { active: true });
    await mkdir(join(omc, "state", "sessions", "s1"), { recursive: true });
    await symlink(outside, sessionFile(omc, "s1", "ralph-state.json"));
    await text("state_clear", { mode: "ralph", session_id: "s1" });
    await there(outside);
    await gone(sessionFile(omc, "s1", "ralph-state.json"));
  });

  test("team keeps the artefacts of sessions it has not cleared, and says what it does not do", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "team-state.json"), { active: true });
    const native = await plant(join(omc, "state", "team", "x", "config.json"), {});
    const other = await plant(join(omc, "state", "team-stop-breaker.json"), {});
    const answer = await text("state_clear", { mode: "team", session_id: "s1" });
    expect(answer).toContain("Native team runtimes and cleanup evidence are not removed by state_clear");
    await there(native);
    await there(other);
  });

  test("a file in the home folder goes only when it names this project", async () => {
    const { root, home } = await enterProject();
    const shared = join(home, ".omc");
    const kept = [
      await plant(join(shared, "state", "ralph-state.json"), { active: true }),
      await plant(sessionFile(shared, "s1", "ralph-state.json"), { active: true, project_path: "/elsewhere" }),
      await plant(join(shared, "state", "autopilot-state.json"), { active: true }),
    ];
    await text("state_clear", { mode: "ralph", session_id: "s1" });
    await text("state_clear", { mode: "autopilot", session_id: "s1" });
    await text("state_clear", { mode: "ralph" });
    for (const path of kept) await there(path);
    const due = await plant(sessionFile(shared, "s1", "ralph-state.json"), { active: true, project_path: root });
    expect(await text("state_clear", { mode: "ralph", session_id: "s1" })).toContain("removed 1 converged state file");
    await gone(due);
    const autopilot = await plant(join(shared, "state", "autopilot-state.json"), { active: true, project_path: root });
    await text("state_clear", { mode: "autopilot", session_id: "s1" });
    await gone(autopilot);
    await gone(join(shared, "state", "cancel-signal-state.json")); // it would stop loops of other projects
  });

  test("looks into the worktree when the state is kept elsewhere", async () => {
    const { root, folder } = await enterProject();
    vi.stubEnv("OMC_STATE_DIR", join(folder, "central"));
    const left = await plant(sessionFile(join(root, ".omc"), "s1", "ralplan-state.json"), { active: true });
    const answer = await text("state_clear", { mode: "ralplan", session_id: "s1" });
    expect(answer).toContain("removed 1 workingDirectory-local state file");
    await gone(left);
  });

  // What is cleared in one worktree is not what another one has.
  test("another worktree keeps its state", async () => {
    const { root, folder, home } = await enterProject();
    const linked = join(folder, "linked");
    await git(root, "worktree", "add", "--quiet", linked);
    const other = await plant(sessionFile(join(linked, ".omc"), "s1", "ralph-state.json"), { active: true });
    expect(await text("state_clear", { mode: "ralph", session_id: "s1" })).toContain("No state found");
    await there(other);
    expect(await text("state_clear", { mode: "ralph", session_id: "s1", workingDirectory: linked })).toContain("Successfully");
    await gone(other);
    enter(root, home);
  });
});

describe("state_clear of all sessions", () => {
  test("removes every state of the mode, whoever owns it, with signals beside", async () => {
    const { omc } = await enterProject();
    const due = [
      await plant(join(omc, "state", "ralplan-state.json"), { active: true, session_id: "x" }),
      await plant(join(omc, "ralplan-state.json"), { active: true }),
      await plant(sessionFile(omc, "s1", "ralplan-state.json"), { active: true, session_id: "s1" }),
      await plant(sessionFile(omc, "s2", "ralplan-state.json"), "{bad"),
      await plant(join(omc, "state", "ralplan-last-steer-at"), "1"),
    ];
    const answer = await text("state_clear", { mode: "ralplan" });
    expect(answer).toContain("Cleared state for mode: ralplan\n- Locations cleared: 5\n- Corrupt files moved aside: 1\n");
    expect(answer).toMatch(/\nWARNING: No session_id provided[^\n]*$/);
    for (const path of due) await gone(path);
    for (const dir of ["state", "state/sessions/s1", "state/sessions/s2"]) {
      expect(await readJson(join(omc, dir, "cancel-signal-state.json"))).toMatchObject({ mode: "ralplan" });
    }
  });

  test("nothing there", async () => {
    const { root } = await enterProject();
    expect(await text("state_clear", { mode: "team" })).toMatch(/^No state found to clear for mode: team\n- Checked paths:/);
    expect(await readdir(root)).toEqual([".git"]);
  });

  test("outside of repositories it spares what names another project", async () => {
    const { home, folder } = await enterProject();
    const [a, b] = [join(folder, "a"), join(folder, "b")] as const;
    await Promise.all([mkdir(a), mkdir(b)]);
    enter(b, home);
    await text("state_write", { mode: "ralph", active: true, session_id: "s-b" });
    enter(a, home);
    await text("state_write", { mode: "ralph", active: true, session_id: "s-a" });
    expect(await text("state_clear", { mode: "ralph" })).toContain("- Locations cleared: 1\n");
    enter(b, home);
    expect(await text("state_list_active")).toContain("- **ralph** (s-b)");
  });

  test("what cannot be removed is reported", async () => {
    const { omc } = await enterProject();
    await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true });
    const journal = { owner: { pid: process.pid }, intent: "clear", phase: "prepared" };
    await plant(sessionFile(omc, "s1", "ralph-state.json.emergency-journal.json"), journal);
    const answer = await call("state_clear", { mode: "ralph", session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toMatch(/^Warning: Some files could not be removed for mode: ralph/);
    expect(answer.text).toMatch(/\/ralph-state.json: 'ralph-state.json' is being recovered by process \d+; try again$/);
    const all = await call("state_clear", { mode: "ralph" });
    expect(all.isError).toBe(true);
    expect(all.text).toMatch(/^- Errors: .*ralph-state.json \('ralph-state.json' is being recovered by process \d+; try again\)$/m);
  });
});

test("retired ultrawork is not cleared through a link", async () => {
  const { root, folder } = await enterProject();
  const elsewhere = join(folder, "elsewhere");
  const path = await plant(join(elsewhere, "state", "ultrawork-state.json"), { active: true });
  await symlink(elsewhere, join(root, ".omc"));
  expect(await text("state_clear", { mode: "ultrawork", session_id: "s1" })).toContain("No state found to clear");
  await there(path);
});

describe("merge-readiness", () => {
  const gate = { active: true, result: "pending", phase: "questioning", questions: [{ id: "q1", correctOptionId: "a" }] };

  test("is cancelled and kept", async () => {
    const { omc } = await enterProject();
    const mine = await plant(sessionFile(omc, "s1", "merge-readiness-state.json"), gate);
    const other = await plant(sessionFile(omc, "s2", "merge-readiness-state.json"), gate);
    expect(await text("state_clear", { mode: "merge-readiness", session_id: "s1" })).toBe(
      "Cancelled merge-readiness gate(s) with durable state audit records: s1",
    );
    expect(await readJson(mine)).toMatchObject({ active: false, result: "cancelled", cancel_owner: "s1", questions: gate.questions });
    expect(await readJson(other)).toMatchObject({ active: true, result: "pending" });
    expect(await text("state_clear", { mode: "merge-readiness", session_id: "s1" })).toContain("No active merge-readiness gate found");
  });

  test("without a session: that of the environment and the shared one", async () => {
    const { omc } = await enterProject();
    vi.stubEnv("CLAUDE_SESSION_ID", "env");
    await plant(join(omc, "state", "merge-readiness-state.json"), gate);
    await plant(sessionFile(omc, "env", "merge-readiness-state.json"), gate);
    expect(await text("state_clear", { mode: "merge-readiness" })).toMatch(/: env, legacy$/);
  });

  const tooDeep = `{"active":true,"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  test.each([["torn", "{bad"], ["nested too deep", tooDeep]])("a gate that is %s is moved aside, and a new one can be started", async (_, damaged) => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "merge-readiness-state.json"), damaged);
    expect((await call("state_read", { mode: "merge-readiness", session_id: "s1" })).text).toContain("the state file is corrupt");
    expect(await text("state_clear", { mode: "merge-readiness", session_id: "s1" })).toBe("Corrupt merge-readiness gate(s) moved aside: s1");
    await gone(path);
    const name = (await readdir(join(path, ".."))).find((each) => each.includes(".corrupt-"));
    expect(await readFile(join(path, "..", name ?? ""), "utf8")).toBe(damaged);
  });

  test("a gate that cannot be changed is reported", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "merge-readiness-state.json"), gate);
    await plant(`${path}.emergency-recovery.claim`, { version: 1, pid: process.pid });
    await plant(`${path}.emergency-journal.json`, { version: 1, transactionId: "t", owner: { pid: process.pid }, phase: "prepared" });
    const answer = await call("state_clear", { mode: "merge-readiness", session_id: "s1" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain("FAILED for: s1");
  });
});
