import type { Case } from "../case.js";

const lines = (...records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

const replay = lines(
  { t: 0, agent: "system", event: "hook_fire", hook: "kw", hook_event: "UserPromptSubmit" },
  { t: 0.1, agent: "system", event: "hook_result", hook: "kw", hook_event: "UserPromptSubmit", duration_ms: 12, context_injected: true, context_length: 300 },
  { t: 0.2, agent: "system", event: "keyword_detected", keyword: "ralph" },
  { t: 0.3, agent: "system", event: "skill_activated", skill_name: "ralph", skill_source: "builtin" },
  { t: 0.4, agent: "system", event: "mode_change", mode_from: "none", mode_to: "ralph" },
  { t: 1, agent: "abc1234", agent_type: "planner", event: "agent_start", task: "task", model: "opus" },
  { t: 2, agent: "abc1234", event: "tool_end", tool: "Read", duration_ms: 1500, success: false },
  { t: 3, agent: "abc1234", event: "tool_end", tool: "Read", duration_ms: 2500, success: true },
  { t: 4, agent: "abc1234", event: "file_touch", file: "src/a.ts" },
  { t: 5, agent: "abc1234", agent_type: "planner", event: "agent_stop", success: true, duration_ms: 4000 },
);

const record = (number: number, text: string): object => ({
  type: "user",
  sessionId: "past-session",
  timestamp: `2026-01-0${number}T00:00:00.000Z`,
  cwd: "<project>",
  message: { role: "user", content: text },
});

export const pastCases: readonly Case[] = [
  {
    name: "what agents did",
    files: { ".omc/state/agent-replay-past.jsonl": replay },
    steps: [
      {
        tool: "trace_timeline",
        args: { sessionId: "past" },
        tokens: ["## Agent Flow Trace (session: past)", "Duration: 5.0s | Events: 10", "   0.0s  HOOK      kw fired (UserPromptSubmit)", "kw result (12ms, context: 300B)", "KEYWORD", '"ralph" detected', "ralph activated (builtin)", "none -> ralph", '[abc1234] planner started "task" (opus)', "[abc1234] Read (1500ms) FAILED", "[abc1234] planner completed (4.0s)"],
      },
      { tool: "trace_timeline", args: { sessionId: "past", filter: "tools", last: 1 }, tokens: ["| Filter: tools", "Read (2500ms)"] },
      { tool: "trace_timeline", tokens: ["(session: past)"] },
      {
        tool: "trace_summary",
        args: { sessionId: "past" },
        tokens: ["## Trace Summary (session: past)", "### Overview", "**Duration:**", "**Total Events:** 10", "**Agents:** 1 spawned, 1 completed, 0 failed", "### Agent Activity", "### Skills Activated", "### Hooks", "### Keywords Detected", "### Mode Transitions", "- none -> ralph (at 0.4s)", "### Execution Flow", "### Tool Performance", "### Bottlenecks (>1s avg)", "### Files Touched (1)"],
      },
    ],
  },
  { name: "no trace at all", steps: [{ tool: "trace_timeline", tokens: ["No trace sessions found"] }, { tool: "trace_summary", tokens: [] }] },
  {
    name: "searching what was said",
    home: { ".claude/projects/-srv-other/aaaa.jsonl": lines(record(1, "hello Needle world"), record(2, "another one"), record(3, "the needle again")) },
    steps: [
      { tool: "session_search", args: { query: "needle", project: "all" }, tokens: ['"query": "needle"', '"mode": "all"', '"totalMatches": 2', '"sessionId": "past-session"', '"sourceType": "project-transcript"', '"line": 3', '"role": "user"', '"entryType": "user"', "hello Needle world"] },
      { tool: "session_search", args: { query: "needle", project: "all", caseSensitive: true }, tokens: ['"totalMatches": 1', '"caseSensitive": true'] },
      { tool: "session_search", args: { query: "needle", project: "all", limit: 1 }, tokens: ['"totalMatches": 2', "the needle again"] },
      { tool: "session_search", args: { query: "no such thing", project: "all" }, tokens: ['"totalMatches": 0', '"results": []'] },
      { tool: "session_search", args: { query: "  " }, fails: true, tokens: [/Query cannot be empty|Invalid query/] },
    ],
  },
];
