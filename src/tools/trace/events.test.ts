/** Events as they come, and what they add up to. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { duration, filtered, parseEvents } from "./events.js";
import { cycles, perTool, statistics } from "./statistics.js";
import { summary } from "./summary.js";
import { timeline } from "./timeline.js";

async function events(...lines: unknown[]) {
  return parseEvents(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"), new AbortController().signal);
}

describe("the events of a file", () => {
  it("are its lines that are objects with an event, in their order", async () => {
    const found = await events("", "{bad", { t: 1 }, { event: "b" }, "[]", "null", { event: 3 }, { event: "a", t: 0 }, '{"event":"torn');
    expect(found.map(({ event }) => event)).toEqual(["b", "a"]);
  });

  it("are found in a flood of lines that are none", { timeout: 5_000 }, async () => {
    for (const line of ["", " ", "{", "{}", "[", "{bad json}"]) {
      const found = await events(`${line}\n`.repeat(1_000_000), { event: "a" });
      expect(found.map(({ event }) => event)).toEqual(["a"]);
    }
  });

  it("are shown as they stand when nobody knows them, however deep they are", async () => {
    const deep = `{"event":"odd","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const trace = { session: "s", events: await events(deep, { event: "agent_stop", t: 1e308, duration_ms: 1e308 }), unread: 0 };
    expect(timeline(trace, "all", 10, true)).toMatch(/ODD {7}\{"event":"odd","x":\[{10,300}…\n {6}-  AGENT {5}\[\?\] \? completed$/);
    expect(summary(trace)).toContain("**Total Events:** 2");
  });

  it("are no longer read when nobody waits for them", async () => {
    await expect(parseEvents('{"event":"a"}\n'.repeat(1_000), AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });

  it("are filtered by kind", async () => {
    const kinds = ["hook_fire", "hook_result", "skill_activated", "skill_invoked", "agent_start", "agent_stop", "keyword_detected", "tool_start", "tool_end", "mode_change", "file_touch"];
    const all = await events(...kinds.map((event) => ({ event })));
    const of = (filter: Parameters<typeof filtered>[1]) => filtered(all, filter).map(({ event }) => event);
    expect(of("all")).toEqual(kinds);
    expect(of("hooks")).toEqual(["hook_fire", "hook_result"]);
    expect(of("skills")).toEqual(["skill_activated", "skill_invoked"]);
    expect(of("agents")).toEqual(["agent_start", "agent_stop"]);
    expect(of("keywords")).toEqual(["keyword_detected"]);
    expect(of("tools")).toEqual(["tool_start", "tool_end"]);
    expect(of("modes")).toEqual(["mode_change"]);
  });
});

describe("how long it took", () => {
  it("is the span of the clock", async () => {
    expect(duration(await events({ event: "a", t: 0.5 }, { event: "b", t: 13.5 }))).toEqual({ milliseconds: 13_000, atLeast: false });
  });

  it("is at least what the durations say when the clock stands still", async () => {
    const found = await events({ event: "agent_start", t: 0 }, { event: "agent_stop", t: 0, duration_ms: 4000 }, { event: "tool_end", duration_ms: -1 });
    expect(duration(found)).toEqual({ milliseconds: 4000, atLeast: true });
  });

  it("is nothing when nobody tells", async () => {
    expect(duration(await events({ event: "a" }, { event: "b", t: "x" }))).toEqual({ milliseconds: 0, atLeast: false });
  });
});

describe("the statistics", () => {
  it.each([
    [["a", "b", "a", "b"], { pattern: ["a", "b"], times: 2 }],
    [["a", "b", "c", "a", "b", "c", "a"], { pattern: ["a", "b", "c"], times: 2 }],
    [["a", "b", "a", "b", "c"], { pattern: ["a", "b"], times: 2 }],
    [["a", "a", "a", "a"], undefined],
    [["a", "b", "a"], undefined],
    [[], undefined],
  ])("find cycles in %j", (starts, found) => {
    expect(cycles(starts)).toEqual(found);
  });

  it("count calls without a time, but take no average over them", async () => {
    const { tools } = statistics(await events({ event: "tool_end", tool: "Read", agent: "a", duration_ms: 1500 }, { event: "tool_end", tool: "Read", agent: "b" }));
    expect(perTool(tools)).toEqual([{ tool: "Read", agent: "", calls: 2, timed: 1, milliseconds: 1500, longest: 1500 }]);
  });
});

it("any event whatever can be shown", async () => {
  const kind = fc.constantFrom("agent_start", "agent_stop", "tool_start", "tool_end", "hook_result", "mode_change", "file_touch", "constructor", "__proto__", "x\ny");
  const field = fc.constantFrom("t", "agent", "agent_type", "task", "model", "duration_ms", "success", "tool", "file", "hook", "telemetry_status", "dirty_worktree", "mode_from");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(kind, fc.dictionary(field, fc.jsonValue()))), async (given) => {
      const found = await events(...given.map(([event, fields]) => ({ ...fields, event })));
      const trace = { session: "s", events: found, unread: 0 };
      const said = timeline(trace, "all", 2000, false) + summary(trace);
      expect(said).not.toMatch(/NaN|undefined|\[object/);
      expect(timeline(trace, "all", 2000, false).split("\n").length).toBe(found.length === 0 ? 3 : found.length + 3);
    }),
  );
});
