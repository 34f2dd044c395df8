/** What a trace adds up to. */
import { numberField, textField, type TraceEvent } from "./events.js";

export interface AgentKind {
  name: string;
  started: number;
  /** Stops that told how long the agent lived. */
  timed: number;
  milliseconds: number;
  models: Set<string>;
}

export interface ToolTimes {
  tool: string;
  agent: string;
  calls: number;
  timed: number;
  milliseconds: number;
  longest: number;
}

export interface Statistics {
  completed: number;
  failed: number;
  untracked: number;
  /** Agents that left work uncommitted. */
  dirty: number;
  agents: AgentKind[];
  /** The kinds of agents, in the order in which they were started. */
  starts: string[];
  /** One for each tool and agent that used it. */
  tools: ToolTimes[];
  files: string[];
}

export function statistics(events: readonly TraceEvent[]): Statistics {
  const agents = new Map<string, AgentKind>();
  const tools = new Map<string, ToolTimes>();
  const files = new Set<string>();
  const made: Statistics = { completed: 0, failed: 0, untracked: 0, dirty: 0, agents: [], starts: [], tools: [], files: [] };
  for (const event of events) {
    if (event.event === "agent_start") startAgent(made, agents, event);
    if (event.event === "agent_stop") stopAgent(made, agents, event);
    if (event.event === "tool_end") addTool(tools, event);
    const file = event.event === "file_touch" ? textField(event, "file") : "";
    if (file !== "") files.add(file);
  }
  made.agents = [...agents.values()].toSorted((a, b) => b.started - a.started);
  made.tools = [...tools.values()];
  made.files = [...files];
  return made;
}

function startAgent(made: Statistics, agents: Map<string, AgentKind>, event: TraceEvent): void {
  const kind = kindOf(agents, event);
  kind.started++;
  made.starts.push(kind.name);
  const model = textField(event, "model");
  if (model !== "") kind.models.add(model);
}

function stopAgent(made: Statistics, agents: Map<string, AgentKind>, event: TraceEvent): void {
  if (event.fields["dirty_worktree"]) made.dirty++;
  if (event.fields["telemetry_status"] === "unmatched_stop") {
    made.untracked++;
    return;
  }
  if (event.fields["success"] === false) made.failed++;
  else made.completed++;
  const ms = numberField(event, "duration_ms");
  if (ms === undefined) return;
  const kind = kindOf(agents, event);
  kind.timed++;
  kind.milliseconds += ms;
}

function kindOf(agents: Map<string, AgentKind>, event: TraceEvent): AgentKind {
  const name = textField(event, "agent_type") || "?";
  const kind = agents.get(name) ?? { name, started: 0, timed: 0, milliseconds: 0, models: new Set() };
  agents.set(name, kind);
  return kind;
}

function addTool(tools: Map<string, ToolTimes>, event: TraceEvent): void {
  const tool = textField(event, "tool") || "?";
  const agent = textField(event, "agent") || "?";
  const key = JSON.stringify([tool, agent]);
  const times = tools.get(key) ?? { tool, agent, calls: 0, timed: 0, milliseconds: 0, longest: 0 };
  tools.set(key, times);
  times.calls++;
  const ms = numberField(event, "duration_ms");
  if (ms === undefined) return;
  times.timed++;
  times.milliseconds += ms;
  times.longest = Math.max(times.longest, ms);
}

/** The times of each tool over all agents, those that took most first. */
export function perTool(tools: readonly ToolTimes[]): ToolTimes[] {
  const sums = new Map<string, ToolTimes>();
  for (const { tool, calls, timed, milliseconds, longest } of tools) {
    const sum = sums.get(tool) ?? { tool, agent: "", calls: 0, timed: 0, milliseconds: 0, longest: 0 };
    sums.set(tool, sum);
    sum.calls += calls;
    sum.timed += timed;
    sum.milliseconds += milliseconds;
    sum.longest = Math.max(sum.longest, longest);
  }
  return [...sums.values()].toSorted((a, b) => b.milliseconds - a.milliseconds);
}

/** Kinds of agents that take turns from the beginning: the shortest such pattern that comes at least twice. */
export function cycles(starts: readonly string[]): { pattern: string[]; times: number } | undefined {
  for (let length = 2; length <= MAX_PATTERN && length * 2 <= starts.length; length++) {
    let same = length;
    while (same < starts.length && starts[same] === starts[same - length]) same++;
    const pattern = starts.slice(0, length);
    if (same >= length * 2 && new Set(pattern).size > 1) return { pattern, times: Math.floor(same / length) };
  }
  return undefined;
}

const MAX_PATTERN = 50;
