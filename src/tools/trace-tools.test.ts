/** The trace tools through the frame: texts, which trace is meant, odd files, failures. */
import { mkdir, readFile, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { callTool } from "../mcp/frame.js";
import { buildListToolsResponse } from "../mcp/tool-registry.js";
import { makeRepository } from "../test-support/project.js";
import { enter, enterProject, plant } from "./state/calling.js";
import { traceTools } from "./trace-tools.js";

async function call(name: string, args: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await callTool(name, args, { signal: new AbortController().signal });
  return { text: content[0].text, isError };
}

async function said(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { text, isError } = await call(name, args);
  expect({ text, isError }).toMatchObject({ isError: false });
  return text;
}

const EVENTS = [
  { t: 0.4, agent: "system", event: "keyword_detected", keyword: "ralph" },
  { t: 0.4, agent: "abc1234", agent_type: "planner", event: "agent_start", task: "plan\nit", model: "opus" },
  { t: 0.5, agent: "abc1234", event: "tool_start", tool: "Read" },
  { t: 1, agent: "abc1234", event: "tool_end", tool: "Read", duration_ms: 1500, success: false },
  { t: 1, agent: "abc1234", event: "tool_end", tool: "Read", duration_ms: 1700, success: true },
  { t: 2, agent: "abc1234", agent_type: "planner", event: "agent_stop", success: true, duration_ms: 4000, dirty_worktree: { files: 3 } },
  { t: 2, agent: "x", agent_type: "critic", event: "agent_start" },
  { t: 3, agent: "x", agent_type: "critic", event: "agent_stop", success: false },
  { t: 3, agent: "zz", agent_type: "fork", event: "agent_stop", telemetry_status: "unmatched_stop", reason: "lost" },
  { t: 3, agent: "a", event: "file_touch", file: "src/a.ts" },
  { t: 3, agent: "a", event: "intervention", reason: "why" },
  { t: 3, agent: "a", event: "error", reason: "bad" },
  { t: 4, agent: "system", event: "hook_fire", hook: "kw", hook_event: "UserPromptSubmit" },
  { t: 4, agent: "system", event: "hook_result", hook: "kw", hook_event: "UserPromptSubmit", duration_ms: 12, context_injected: true, context_length: 300 },
  { t: 5, agent: "system", event: "skill_activated", skill_name: "ralph", skill_source: "builtin" },
  { t: 5, agent: "system", event: "skill_invoked", skill_name: "plan" },
  { t: 6, agent: "system", event: "mode_change", mode_from: "none", mode_to: "ralph" },
  { t: 13.4, agent: "s", event: "weird", x: 1 },
  { t: 13.4, agent: "p", agent_type: "planner", event: "agent_start" },
  { t: 13.4, agent: "q", agent_type: "critic", event: "agent_start" },
];

function lines(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

function replay(omc: string, session: string, content: string): Promise<string> {
  return plant(join(omc, "state", `agent-replay-${session}.jsonl`), content);
}

const TIMELINE = `## Agent Flow Trace (session: s1)
Duration: 13.0s | Events: 20

   0.4s  KEYWORD   "ralph" detected
   0.4s  AGENT     [abc1234] planner started "plan it" (opus)
   0.5s  TOOL      [abc1234] Read started
   1.0s  TOOL      [abc1234] Read (1500ms) FAILED
   1.0s  TOOL      [abc1234] Read (1700ms)
   2.0s  AGENT     [abc1234] planner completed (4.0s)
   2.0s  AGENT     [x] critic started
   3.0s  AGENT     [x] critic FAILED
   3.0s  AGENT     [zz] fork UNTRACKED_STOP - lost
   3.0s  FILE      [a] src/a.ts
   3.0s  INTERVENE [a] why
   3.0s  ERROR     [a] bad
   4.0s  HOOK      kw fired (UserPromptSubmit)
   4.0s  HOOK      kw result (12ms, context: 300B)
   5.0s  SKILL     ralph activated (builtin)
   5.0s  SKILL     plan invoked (via Skill tool)
   6.0s  MODE      none -> ralph
  13.4s  WEIRD     {"t":13.4,"agent":"s","event":"weird","x":1}
  13.4s  AGENT     [p] planner started
  13.4s  AGENT     [q] critic started`;

const SUMMARY = `## Trace Summary (session: s1)

### Overview
- **Duration:** 13.0s
- **Total Events:** 20
- **Agents:** 4 spawned, 1 completed, 1 failed, 1 untracked stop(s)
- **Dirty worktrees on stop:** 1 agent(s) stopped with uncommitted work; keep it before any reset or cleanup

### Agent Activity
| Agent | Invocations | Total Time | Model | Avg Duration |
|-------|-------------|------------|-------|--------------|
| planner | 2 | 4.0s | opus | 4.0s |
| critic | 2 | - | - | - |
> 2 planner/critic cycle(s) detected

### Skills Invoked
- plan

### Skills Activated
- ralph

### Hooks
- **Hooks fired:** 1

### Keywords Detected
- ralph

### Mode Transitions
- none -> ralph (at 6.0s)

### Execution Flow
1. Keyword "ralph" detected
2. planner agent spawned (abc1234, opus)
3. planner agent completed (abc1234 4.0s)
4. critic agent spawned (x)
5. critic agent FAILED (x)
6. fork agent stop was untracked (zz)
7. ralph skill activated (builtin)
8. plan invoked (via Skill tool)
9. Mode: none -> ralph
10. planner agent spawned (p)
11. critic agent spawned (q)

### Tool Performance
| Tool | Calls | Avg (ms) | Max (ms) | Total (ms) |
|------|-------|----------|----------|------------|
| Read | 2 | 1600 | 1700 | 3200 |

### Bottlenecks (>1s avg)
- **Read** by agent \`abc1234\`: avg 1600ms

### Files Touched (1)
- src/a.ts`;

describe("the answers", () => {
  it("of timeline and summary", async () => {
    const { omc } = await enterProject();
    const path = await replay(omc, "s1", lines(EVENTS));
    const before = await stat(path);
    expect(await said("trace_timeline")).toBe(TIMELINE);
    expect(await said("trace_summary")).toBe(SUMMARY);
    expect(await said("trace_timeline", { filter: "modes", sessionId: "s1" })).toBe(
      "## Agent Flow Trace (session: s1)\nDuration: 0.0s | Events: 1 | Filter: modes\n\n   6.0s  MODE      none -> ralph",
    );
    expect(await said("trace_timeline", { filter: "agents", last: 1 })).toMatch(/Events: 1 \| Filter: agents\n\n {2}13\.4s {2}AGENT {5}\[q\] critic started$/);
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
    expect(await readFile(path, "utf8")).toBe(lines(EVENTS));
  });

  it("when there is nothing", async () => {
    const { omc } = await enterProject();
    expect(await said("trace_timeline")).toContain("No trace sessions found");
    expect(await said("trace_summary")).toContain("No trace sessions found");
    await replay(omc, "s1", "");
    expect(await said("trace_timeline")).toBe("## Agent Flow Trace (session: s1)\n\nNo events recorded for this session.");
    expect(await said("trace_summary")).toBe("## Trace Summary (session: s1)\n\nNo events recorded.");
    for (const sessionId of ["nope", "../../x", "x".repeat(300)]) {
      expect(await said("trace_timeline", { sessionId })).toContain(`(session: ${sessionId})\n\nNo events recorded`);
    }
  });

  it("say how much is not shown", async () => {
    const { omc } = await enterProject();
    await replay(omc, "s1", lines(Array.from({ length: 2500 }, (_, index) => ({ event: "file_touch", agent: "a", file: `f${index}` }))));
    const text = await said("trace_timeline");
    expect(text).toContain("Events: 2000");
    expect(text).toContain("500 earlier events are not shown");
    expect(text).not.toMatch(/f499$/m);
    expect(await said("trace_timeline", { last: 2 })).toMatch(/Events: 2\n\n.*f2498\n.*f2499$/);
    expect(await said("trace_summary")).toMatch(/### Files Touched \(2500\)\n(- f\d+\n){20}- and 2480 more$/);
  });

  it("of a file that is too long are about its end", async () => {
    const { omc } = await enterProject();
    const line = JSON.stringify({ event: "file_touch", agent: "a", file: "x".repeat(900) });
    await replay(omc, "s1", `${line}\n`.repeat(10_000) + lines([{ event: "mode_change", mode_from: "a", mode_to: "b" }]));
    expect(await said("trace_timeline", { last: 1 })).toMatch(/a -> b\n\n\(the first \d+ bytes of the trace were not read\)$/);
  });
});

describe("events as hooks really write them", () => {
  it("without a clock, or with one that stands still", async () => {
    const { omc } = await enterProject();
    await replay(omc, "s1", `{"event":"agent_start"}\n{"t":1}\nnot json\n${lines([{ t: 0, event: "agent_stop", agent: "a", agent_type: "p", duration_ms: 4000 }])}{"event":"to`);
    expect(await said("trace_timeline")).toBe(
      "## Agent Flow Trace (session: s1)\nDuration: 4.0s (at least) | Events: 2\n\n      -  AGENT     [?] ? started\n   0.0s  AGENT     [a] p completed (4.0s)",
    );
    const text = await said("trace_summary");
    expect(text).toContain("- **Duration:** 4.0s (at least)\n- **Total Events:** 2\n");
    expect(text).not.toContain("NaN");
  });
});

describe("which trace is meant", () => {
  it("is none of a name that no hook gives", async () => {
    const { omc } = await enterProject();
    await replay(omc, "s1", lines(EVENTS));
    for (const name of ["a b", "a\\b", "a.b", ""]) await utimes(await replay(omc, name, '{"event":"forged"}\n'), 4e9, 4e9);
    expect(await said("trace_timeline")).toBe(TIMELINE);
  });

  it("is the newest, or that of OMC_SESSION_ID, or the one named", async () => {
    const { omc } = await enterProject();
    const event = (name: string) => lines([{ event: "keyword_detected", keyword: name }]);
    await utimes(await replay(omc, "old", event("one")), 1, 1);
    await replay(omc, "new", event("two"));
    expect(await said("trace_timeline")).toContain("two");
    vi.stubEnv("OMC_SESSION_ID", "old");
    expect(await said("trace_timeline")).toContain("one");
    expect(await said("trace_timeline", { sessionId: "new" })).toContain("two");
    vi.stubEnv("OMC_SESSION_ID", "unknown");
    expect(await said("trace_timeline")).toContain("two");
  });

  it("outside of repositories, also one that hooks left in the home folder", async () => {
    const { home, folder } = await enterProject();
    const plain = join(folder, "plain");
    await mkdir(plain);
    enter(plain, home);
    await replay(join(home, ".omc"), "s1", lines(EVENTS));
    expect(await said("trace_timeline")).toBe(TIMELINE);
  });
});

describe("a failure", () => {
  it("of a folder that must not be used", async () => {
    const { folder } = await enterProject();
    const other = await makeRepository(folder, "other");
    for (const [name, prefix] of [
      ["trace_timeline", "Error reading trace: "],
      ["trace_summary", "Error generating summary: "],
    ] as const) {
      const { text, isError } = await call(name, { workingDirectory: other });
      expect({ isError, prefixed: text.startsWith(prefix) }).toEqual({ isError: true, prefixed: true });
      expect(text).toContain("belongs to a different repository");
    }
  });

  it("of a file that is a link or a folder", async () => {
    const { omc, folder } = await enterProject();
    const secret = await plant(join(folder, "secret.jsonl"), '{"event":"secret"}\n');
    await mkdir(join(omc, "state"), { recursive: true });
    await symlink(secret, join(omc, "state", "agent-replay-s1.jsonl"));
    const { text, isError } = await call("trace_timeline", { sessionId: "s1" });
    expect({ text, isError }).toEqual({ text: expect.stringContaining("is a symbolic link and was not used"), isError: true });
    expect(await said("trace_timeline")).toContain("No trace sessions found");
    await mkdir(join(omc, "state", "agent-replay-s2.jsonl"));
    expect(await call("trace_summary", { sessionId: "s2" })).toEqual({ text: expect.stringContaining("is not a regular file"), isError: true });
  });

  it.each([{ filter: "everything" }, { last: -1 }, { last: 0 }, { last: 1.5 }, { last: 2001 }, { sessionId: 7 }])("of arguments %j", async (args) => {
    await enterProject();
    expect(await call("trace_timeline", args)).toEqual({ text: expect.stringContaining("Invalid arguments for trace_timeline"), isError: true });
  });
});

it("the three tools cost at most 2,050 bytes of the list", () => {
  const { tools } = buildListToolsResponse(traceTools as never, undefined);
  expect(tools.map(({ name }) => name)).toEqual(["trace_timeline", "trace_summary", "session_search"]);
  expect(Buffer.byteLength(tools.map((tool) => JSON.stringify(tool)).join(""))).toBeLessThanOrEqual(2_050);
});
