/** The statistics of a trace as Markdown; parts that would be empty are left out. */
import { duration, numberField, oneLine, seconds, textField, type TraceEvent } from "./events.js";
import type { Trace } from "./replay-file.js";
import { cycles, perTool, type Statistics, statistics } from "./statistics.js";

const MAX_FILES = 20;
/** Longer lists are cut, with a line that says how much is missing. */
const MAX_LISTED = 200;
const SLOW_MS = 1000;

export function summary(trace: Trace | undefined): string {
  if (trace === undefined) return "## Trace Summary\n\nNo trace sessions found.";
  const heading = `## Trace Summary (session: ${oneLine(trace.session)})`;
  const { events } = trace;
  if (events.length === 0) return `${heading}\n\nNo events recorded.`;
  const stats = statistics(events);
  const parts = [
    section("### Overview", overview(trace, stats)),
    section("### Agent Activity", agentTable(stats)),
    section("### Skills Invoked", bullets(distinct(events, "skill_invoked", "skill_name"))),
    section("### Skills Activated", bullets(distinct(events, "skill_activated", "skill_name"))),
    section("### Hooks", hooks(events)),
    section("### Keywords Detected", bullets(distinct(events, "keyword_detected", "keyword"))),
    section("### Mode Transitions", bullets(transitions(events))),
    section("### Execution Flow", numbered(events)),
    section("### Tool Performance", toolTable(stats)),
    section("### Bottlenecks (>1s avg)", bottlenecks(stats)),
    section(`### Files Touched (${stats.files.length})`, files(stats)),
  ];
  return [heading, ...parts.filter((part) => part !== "")].join("\n\n");
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [heading, ...lines].join("\n");
}

function overview({ events, unread }: Trace, stats: Statistics): string[] {
  const { milliseconds, atLeast } = duration(events);
  const untracked = stats.untracked > 0 ? `, ${stats.untracked} untracked stop(s)` : "";
  const lines = [
    `- **Duration:** ${seconds(milliseconds)}${atLeast ? " (at least)" : ""}`,
    `- **Total Events:** ${events.length}`,
    `- **Agents:** ${stats.starts.length} spawned, ${stats.completed} completed, ${stats.failed} failed${untracked}`,
  ];
  if (stats.dirty > 0) lines.push(`- **Dirty worktrees on stop:** ${stats.dirty} agent(s) stopped with uncommitted work; keep it before any reset or cleanup`);
  if (unread > 0) lines.push(`- **Not read:** the first ${unread} bytes`);
  return lines;
}

function agentTable({ agents, starts }: Statistics): string[] {
  const started = agents.filter((agent) => agent.started > 0);
  if (started.length === 0) return [];
  const rows = started.map(({ name, started: count, timed, milliseconds, models }) => {
    const times = timed > 0 ? [seconds(milliseconds), seconds(milliseconds / timed)] : ["-", "-"];
    return row([name, String(count), times[0] as string, [...models].join(", ") || "-", times[1] as string]);
  });
  const cycle = cycles(starts);
  const note = cycle === undefined ? [] : [`> ${cycle.times} ${cycle.pattern.join("/")} cycle(s) detected`];
  return [
    "| Agent | Invocations | Total Time | Model | Avg Duration |",
    "|-------|-------------|------------|-------|--------------|",
    ...listed(rows),
    ...note,
  ];
}

function toolTable({ tools }: Statistics): string[] {
  const timed = perTool(tools);
  if (timed.length === 0) return [];
  const rows = timed.map(({ tool, calls, timed: known, milliseconds, longest }) =>
    row([tool, String(calls), known > 0 ? String(Math.round(milliseconds / known)) : "-", known > 0 ? String(longest) : "-", String(milliseconds)]),
  );
  return ["| Tool | Calls | Avg (ms) | Max (ms) | Total (ms) |", "|------|-------|----------|----------|------------|", ...listed(rows)];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function bottlenecks({ tools }: Statistics): string[] {
  const slow = tools
    .filter(({ timed, milliseconds }) => timed >= 2 && milliseconds / timed > SLOW_MS)
    .toSorted((a, b) => b.milliseconds / b.timed - a.milliseconds / a.timed);
  return listed(slow.map(({ tool, agent, milliseconds, timed }) => `- **${tool}** by agent \`${agent}\`: avg ${Math.round(milliseconds / timed)}ms`));
}

function files({ files: touched }: Statistics): string[] {
  const rest = touched.length - MAX_FILES;
  return [...bullets(touched.slice(0, MAX_FILES)), ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

function hooks(events: readonly TraceEvent[]): string[] {
  const fired = events.filter(({ event }) => event === "hook_fire").length;
  return fired === 0 ? [] : [`- **Hooks fired:** ${fired}`];
}

function transitions(events: readonly TraceEvent[]): string[] {
  return events
    .filter((event) => event.event === "mode_change" && mode(event) !== "? -> ?")
    .map((event) => {
      const t = numberField(event, "t");
      return `${mode(event)}${t === undefined ? "" : ` (at ${seconds(t * 1000)})`}`;
    });
}

function mode(event: TraceEvent): string {
  return `${textField(event, "mode_from") || "?"} -> ${textField(event, "mode_to") || "?"}`;
}

function distinct(events: readonly TraceEvent[], kind: string, field: string): string[] {
  return [...new Set(events.filter(({ event }) => event === kind).map((event) => textField(event, field)))].filter((name) => name !== "");
}

function bullets(items: readonly string[]): string[] {
  return listed(items.map((item) => `- ${item}`));
}

function numbered(events: readonly TraceEvent[]): string[] {
  const steps = events.map(step).filter((text) => text !== undefined);
  return listed(steps.map((text, index) => `${index + 1}. ${text}`));
}

function listed(lines: readonly string[]): string[] {
  return lines.length <= MAX_LISTED ? [...lines] : [...lines.slice(0, MAX_LISTED), `(and ${lines.length - MAX_LISTED} more)`];
}

/** The event as a step of the session's course, if it is one. */
function step(event: TraceEvent): string | undefined {
  const said = (name: string) => textField(event, name) || "?";
  switch (event.event) {
    case "keyword_detected":
      return `Keyword "${said("keyword")}" detected`;
    case "skill_activated":
      return `${said("skill_name")} skill activated${textField(event, "skill_source") === "" ? "" : ` (${said("skill_source")})`}`;
    case "skill_invoked":
      return `${said("skill_name")} invoked (via Skill tool)`;
    case "mode_change":
      return `Mode: ${mode(event)}`;
    case "agent_start": {
      const model = textField(event, "model");
      return `${said("agent_type")} agent spawned (${said("agent")}${model === "" ? "" : `, ${model}`})`;
    }
    case "agent_stop":
      return stopStep(event, said("agent_type"), said("agent"));
    default:
      return undefined;
  }
}

function stopStep(event: TraceEvent, kind: string, agent: string): string {
  if (event.fields["telemetry_status"] === "unmatched_stop") return `${kind} agent stop was untracked (${agent})`;
  const ms = numberField(event, "duration_ms");
  const outcome = event.fields["success"] === false ? "FAILED" : "completed";
  return `${kind} agent ${outcome} (${agent}${ms === undefined ? "" : ` ${seconds(ms)}`})`;
}
