import { readdir, readFile, stat, symlink, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { call, enter, enterProject, plant, readJson, sessionFile, text } from "./calling.js";

describe("state_write", () => {
  test("writes a session's state, private to the user, and says where", async () => {
    const { omc } = await enterProject();
    const path = sessionFile(omc, "s1", "ralph-state.json");
    const answer = await text("state_write", { mode: "ralph", active: true, iteration: 1, session_id: "s1" });
    expect(answer).toMatch(`Successfully wrote state for ralph (session: s1)\nPath: ${path}\n\n\`\`\`json\n{`);
    const { _meta: meta, ...rest } = await readJson(path);
    expect(rest).toEqual({ active: true, iteration: 1 });
    expect(meta).toEqual({ mode: "ralph", sessionId: "s1", updatedAt: expect.any(String), updatedBy: "state_write_tool" });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, "utf8")).not.toMatch(/\n$/);
  });

  test("without a session writes the shared place, with a warning", async () => {
    const { omc } = await enterProject();
    const answer = await text("state_write", { mode: "ralplan", active: true });
    expect(answer).toContain("(legacy path)");
    expect(answer).toContain("WARNING: No session_id provided");
    expect(answer.match(/WARNING/g)).toHaveLength(1); // nothing about native modules
    expect((await readJson(join(omc, "state", "ralplan-state.json")))["_meta"]).toMatchObject({ sessionId: null });
  });

  test.each(["ralph", "self-improve", "deep-interview", "ralplan", "skill-active", "team", "autopilot"])(
    "merges into the state of %s",
    async (mode) => {
      await enterProject();
      await text("state_write", { mode, active: true, started_at: "t0", session_id: "s1" });
      await text("state_write", { mode, iteration: 1, status: "running", session_id: "s1" });
      const shown = await text("state_read", { mode, session_id: "s1" });
      for (const field of ['"active": true', '"started_at": "t0"', '"iteration": 1', '"status": "running"']) {
        expect(shown).toContain(field);
      }
    },
  );

  test("removes a field on an explicit null, in state and among unknown arguments", async () => {
    const { omc } = await enterProject();
    await text("state_write", { mode: "ralph", state: { a: 1, b: 2, c: { d: null } }, status: "x", session_id: "s1" });
    await text("state_write", { mode: "ralph", state: { a: null }, status: null, session_id: "s1" });
    const { _meta: _, ...rest } = await readJson(sessionFile(omc, "s1", "ralph-state.json"));
    expect(rest).toEqual({ b: 2, c: { d: null } });
  });

  test("keeps keys that every object has, and never an inherited one", async () => {
    const { omc } = await enterProject();
    const state = JSON.parse('{"constructor":1,"toString":"x","hasOwnProperty":false,"valueOf":null}') as object;
    await text("state_write", { mode: "ralph", state, session_id: "s1" });
    const { _meta: _, ...rest } = await readJson(sessionFile(omc, "s1", "ralph-state.json"));
    expect(rest).toEqual({ constructor: 1, toString: "x", hasOwnProperty: false });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("named arguments win over unknown ones, these over state; _meta is ours", async () => {
    const { omc } = await enterProject();
    const state = { iteration: 9, note: "state", _meta: { sessionId: "evil" } };
    await text("state_write", { mode: "ralph", iteration: 1, note: "argument", state, session_id: "s1" });
    const written = await readJson(sessionFile(omc, "s1", "ralph-state.json"));
    expect(written).toMatchObject({ iteration: 1, note: "argument", _meta: { sessionId: "s1" } });
  });

  test("OMC_SESSION_ID names the session for every tool, and an empty session_id means none", async () => {
    const { omc } = await enterProject();
    vi.stubEnv("OMC_SESSION_ID", "env-1");
    await text("state_write", { mode: "ralph", active: true });
    expect(await readJson(sessionFile(omc, "env-1", "ralph-state.json"))).toMatchObject({ active: true });
    expect(await text("state_read", { mode: "ralph" })).toContain("(session: env-1)");
    expect(await text("state_list_active")).toContain("(session: env-1, 1)");
    expect(await text("state_list_active", { all: true })).toContain("- **ralph** (env-1)");
    expect(await text("state_list_active", { session_id: "" })).toContain("- **ralph** (env-1)");
    expect(await text("state_get_status", { mode: "ralph" })).toContain("### Session: env-1");
    expect(await text("state_write", { mode: "ralph", active: true, session_id: "" })).toContain("(legacy path)");
    expect(await text("state_clear", { mode: "ralph" })).toContain("in session: env-1");
    vi.stubEnv("OMC_SESSION_ID", "../x");
    expect(await call("state_write", { mode: "ralph", active: true })).toMatchObject({ isError: true });
  });

  test("autopilot and autoresearch are not active together in one session", async () => {
    await enterProject();
    await text("state_write", { mode: "autoresearch", active: true, session_id: "s1" });
    const refused = await call("state_write", { mode: "autopilot", active: true, session_id: "s1" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("autoresearch is active in session 's1' and excludes autopilot");
    await text("state_write", { mode: "autopilot", active: true, session_id: "s2" });
    await text("state_write", { mode: "autoresearch", iteration: 2, active: true, session_id: "s1" });
    await text("state_write", { mode: "autoresearch", active: false, session_id: "s1" });
    await text("state_write", { mode: "autopilot", active: true, session_id: "s1" });
  });

  test("only one of many rival activations at once wins", async () => {
    await enterProject();
    const modes = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? "autopilot" : "autoresearch"));
    await Promise.all(modes.map((mode) => call("state_write", { mode, active: true, session_id: "s1" })));
    expect(await text("state_list_active", { session_id: "s1" })).toContain("(session: s1, 1)");
  });

  test("refuses a state of another session", async () => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", "ralph-state.json"), { active: true, session_id: "s2" });
    const before = await readFile(path, "utf8");
    const refused = await call("state_write", { mode: "ralph", active: false, session_id: "s1" });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain("is owned by session 's2'");
    expect(refused.text).toContain("owned by another session");
    expect(await readFile(path, "utf8")).toBe(before);
  });

  test("a session that goes on in another directory without repository takes its state along", async () => {
    const { home, folder } = await enterProject();
    const [a, b] = [join(folder, "a"), join(folder, "b")] as const;
    await Promise.all([mkdir(a), mkdir(b)]);
    const write = { mode: "ralph", active: true, session_id: "s1" };
    enter(a, home);
    expect(await text("state_write", write)).toContain(`"project_path": ${JSON.stringify(a)}`);
    enter(b, home);
    expect(await text("state_write", write)).toContain(`"project_path": ${JSON.stringify(b)}`);
    expect(await text("state_list_active", { session_id: "s1" })).toContain("- **ralph**");
    const chosen = { ...write, state: { project_path: "/chosen" } };
    expect(await text("state_write", chosen)).toContain('"project_path": "/chosen"');
  });

  test.each([
    ["ralph", "{bad", "the state file is corrupt"],
    ["ralph", "[1]", "the state file is corrupt"],
    ["team", "{bad", "team state is corrupt; existing bytes preserved"],
    ["team", "[]", "team state is corrupt; existing bytes preserved"],
  ])("leaves a corrupt state of %s (%s) as it is", async (mode, content, expected) => {
    const { omc } = await enterProject();
    const path = await plant(sessionFile(omc, "s1", `${mode}-state.json`), content);
    const refused = await call("state_write", { mode, active: true, session_id: "s1" });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain(expected);
    expect(await readFile(path, "utf8")).toBe(content);
  });

  test("sweeps an expired cancel signal, and leaves a fresh one", async () => {
    const { omc } = await enterProject();
    const signal = sessionFile(omc, "s1", "cancel-signal-state.json");
    await plant(signal, { active: true, expires_at: new Date(Date.now() + 20_000).toISOString() });
    await text("state_write", { mode: "ralph", active: true, session_id: "s1" });
    expect(await readJson(signal)).toMatchObject({ active: true });
    await plant(signal, { active: true, expires_at: new Date(Date.now() - 1).toISOString() });
    await text("state_write", { mode: "ralph", active: true, session_id: "s1" });
    await expect(stat(signal)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.each(["state", "state/sessions", "state/sessions/s1"])("does not write through a link at %s", async (level) => {
    const { omc, folder } = await enterProject();
    const outside = join(folder, "outside");
    await mkdir(outside);
    await mkdir(join(omc, level, ".."), { recursive: true });
    await symlink(outside, join(omc, level));
    const refused = await call("state_write", { mode: "ralph", active: true, session_id: "s1" });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain(`'.omc/${level}' is a symbolic link`);
    expect(refused.text).not.toContain(folder);
    expect(await readdir(outside)).toEqual([]);
  });

  test("replaces a link in the state's own place instead of following it", async () => {
    const { omc, folder } = await enterProject();
    const outside = await plant(join(folder, "outside.json"), { secret: "s" });
    await mkdir(join(omc, "state", "sessions", "s1"), { recursive: true });
    await symlink(outside, sessionFile(omc, "s1", "ralph-state.json"));
    const refused = await call("state_write", { mode: "ralph", active: true, session_id: "s1" });
    expect(refused).toMatchObject({ isError: true });
    expect(await readJson(outside)).toEqual({ secret: "s" });
  });
});

describe("arguments", () => {
  const s = "x".repeat(2001);
  test.each([
    [{}, "mode"],
    [{ mode: "bogus-mode" }, "mode"],
    [{ mode: "a/b" }, "mode"],
    [{ mode: "merge-readiness", active: false, state: { result: "pass" } }, "mode"],
    [{ mode: "ultraqa", active: true }, "Invalid mode: expected a mode in use; ultraqa is retired"],
    [{ mode: "ultrawork", active: true }, "Invalid mode: expected a mode in use; ultrawork is retired"],
    [{ mode: "ralph", active: "yes" }, "active"],
    [{ mode: "ralph", iteration: "1" }, "iteration"],
    [{ mode: "ralph", state: "abc" }, "state"],
    [{ mode: "ralph", state: [1] }, "state"],
    [{ mode: "ralph", current_phase: s.slice(0, 201) }, "current_phase"],
    [{ mode: "ralph", task_description: s }, "task_description"],
    [{ mode: "ralph", plan_path: s.slice(0, 501) }, "plan_path"],
    [{ mode: "ralph", started_at: s.slice(0, 101) }, "started_at"],
    [{ mode: "ralph", completed_at: s.slice(0, 101) }, "completed_at"],
    [{ mode: "ralph", error: s }, "error"],
    [{ mode: "ralph", session_id: "../up" }, "path traversal not allowed"],
    [{ mode: "ralph", session_id: " " }, "Invalid session ID: must be alphanumeric"],
    [{ mode: "ralph", session_id: 7 }, "session_id"],
  ])("refused, nothing written: %j", async (args, named) => {
    const { root } = await enterProject();
    const answer = await call("state_write", args);
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(named);
    expect(await readdir(root)).toEqual([".git"]);
  });

  test.each([
    { current_phase: s.slice(0, 200) },
    { task_description: s.slice(0, 2000) },
    { plan_path: s.slice(0, 500) },
    { started_at: s.slice(0, 100) },
    { completed_at: s.slice(0, 100) },
    { error: s.slice(0, 2000) },
  ])("accepted at the limit: %j", async (args) => {
    await enterProject();
    await text("state_write", { mode: "ralph", session_id: "s1", ...args });
  });

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const sized = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });

  test.each([
    ["100 keys", keys(100), undefined],
    ["101 keys", keys(101), "top-level keys"],
    ["depth 10", nested(10), undefined],
    ["depth 11", nested(11), "nesting depth"],
    ["depth 11 in a list", { a: [nested(9)] }, "nesting depth"],
    ["1 MiB", sized(1_048_576), undefined],
    ["1 MiB and a byte", sized(1_048_577), "exceeds maximum"],
  ])("state of %s", async (_, state, expected) => {
    await enterProject();
    const answer = await call("state_write", { mode: "ralph", state, session_id: "s1" });
    expect(answer.isError).toBe(expected !== undefined);
    if (expected !== undefined) {
      expect(answer.text).toContain("payload rejected");
      expect(answer.text).toContain(expected);
      expect(await text("state_read", { mode: "ralph", session_id: "s1" })).toContain("No state found");
    }
  });

  test("unknown arguments count against the same limits", async () => {
    await enterProject();
    const answer = await call("state_write", { mode: "ralph", state: keys(100), status: "x" });
    expect(answer.text).toMatch(/payload rejected: 101 top-level keys/);
  });
});
