/**
 * The events of a trace as lines:
 *
 *     ## Agent Flow Trace (session: s1)
 *     Duration: 13.6s | Events: 2 | Filter: agents
 *
 *        0.4s  AGENT     [abc1234] planner started "task" (opus)
 *           -  TOOL      [abc1234] Read (1500ms) FAILED
 */
import { duration, type Filter, filtered, numberField, oneLine, seconds, textField, type TraceEvent } from "./events.js";
import type { Trace } from "./replay-file.js";

const LABELS: Record<string, string> = {
  agent_start: "AGENT",
  agent_stop: "AGENT",
  tool_start: "TOOL",
  tool_end: "TOOL",
  file_touch: "FILE",
  intervention: "INTERVENE",
  error: "ERROR",
  hook_fire: "HOOK",
  hook_result: "HOOK",
  keyword_detected: "KEYWORD",
  skill_activated: "SKILL",
  skill_invoked: "SKILL",
  mode_change: "MODE",
};

/**
 * @param last how many of the events that pass the filter are shown
 * @param asked whether the caller wanted so few; otherwise the answer says how many more there are
 */
export function timeline(trace: Trace | undefined, filter: Filter, last: number, asked: boolean): string {
  if (trace === undefined) return "## Agent Flow Trace\n\nNo trace sessions found. Hooks record one when agents run.";
  const heading = `## Agent Flow Trace (session: ${oneLine(trace.session)})`;
  if (trace.events.length === 0) return `${heading}\n\nNo events recorded for this session.`;
  const passed = filtered(trace.events, filter);
  const shown = passed.slice(-last);
  const { milliseconds, atLeast } = duration(shown);
  const about = [`Duration: ${seconds(milliseconds)}${atLeast ? " (at least)" : ""}`, `Events: ${shown.length}`];
  if (filter !== "all") about.push(`Filter: ${filter}`);
  return [heading, about.join(" | "), "", ...shown.map(eventLine), ...remarks(trace, asked ? 0 : passed.length - shown.length)].join("\n");
}

function remarks({ unread }: Trace, more: number): string[] {
  const said: string[] = [];
  if (more > 0) said.push(`(${more} earlier events are not shown; filter, or ask for the last few)`);
  if (unread > 0) said.push(`(the first ${unread} bytes of the trace were not read)`);
  return said.length === 0 ? [] : ["", ...said];
}

function eventLine(event: TraceEvent): string {
  const t = numberField(event, "t");
  const time = (t === undefined ? "-" : seconds(t * 1000)).padStart(7);
  const label = Object.hasOwn(LABELS, event.event) ? (LABELS[event.event] as string) : oneLine(event.event).toUpperCase();
  return `${time}  ${label.padEnd(9)} ${detail(event)}`.trimEnd();
}

function detail(event: TraceEvent): string {
  const said = (name: string) => textField(event, name) || "?";
  const by = (text: string) => `[${said("agent")}] ${text}`;
  switch (event.event) {
    case "agent_start":
      return by(`${said("agent_type")} started${around(' "', textField(event, "task"), '"')}${around(" (", textField(event, "model"), ")")}`);
    case "agent_stop":
      return by(`${said("agent_type")} ${ending(event)}`);
    case "tool_start":
      return by(`${said("tool")} started`);
    case "tool_end":
      return by(`${said("tool")}${took(event, (ms) => `${ms}ms`)}${event.fields["success"] === false ? " FAILED" : ""}`);
    case "file_touch":
      return by(said("file"));
    case "intervention":
    case "error":
      return by(said("reason"));
    case "hook_fire":
      return `${said("hook")} fired${around(" (", textField(event, "hook_event"), ")")}`;
    case "hook_result":
      return `${said("hook")} result${around(" (", hookOutcome(event), ")")}`;
    case "keyword_detected":
      return `"${said("keyword")}" detected`;
    case "skill_activated":
      return `${said("skill_name")} activated${around(" (", textField(event, "skill_source"), ")")}`;
    case "skill_invoked":
      return `${said("skill_name")} invoked (via Skill tool)`;
    case "mode_change":
      return `${said("mode_from")} -> ${said("mode_to")}`;
    default:
      return oneLine(event.line);
  }
}

/** How an agent's stop is told. */
function ending(event: TraceEvent): string {
  if (event.fields["telemetry_status"] === "unmatched_stop") return `UNTRACKED_STOP${around(" - ", textField(event, "reason"), "")}`;
  return `${event.fields["success"] === false ? "FAILED" : "completed"}${took(event, seconds)}`;
}

function took(event: TraceEvent, unit: (ms: number) => string): string {
  const ms = numberField(event, "duration_ms");
  return ms === undefined ? "" : ` (${unit(ms)})`;
}

function hookOutcome(event: TraceEvent): string {
  const ms = numberField(event, "duration_ms");
  const length = numberField(event, "context_length");
  const parts = [ms === undefined ? "" : `${ms}ms`];
  if (event.fields["context_injected"] === true) parts.push(length === undefined ? "context" : `context: ${length}B`);
  return parts.filter((part) => part !== "").join(", ");
}

function around(before: string, text: string, after: string): string {
  return text === "" ? "" : `${before}${text}${after}`;
}
