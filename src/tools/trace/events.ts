/**
 * The events of a trace. Hooks write them, each in a process of its own, so any field may be missing, and the clock
 * `t` (seconds) begins anew with nearly every event: the order is that of the lines, and how long something took is
 * told by `duration_ms`.
 */
import { takingTurns } from "../../lib/turns.js";

export interface TraceEvent {
  event: string;
  fields: Record<string, unknown>;
  /** As it stands in the file. */
  line: string;
}

export type Filter = "all" | "hooks" | "skills" | "agents" | "keywords" | "tools" | "modes";

const FILTERED: Record<Exclude<Filter, "all">, readonly string[]> = {
  hooks: ["hook_fire", "hook_result"],
  skills: ["skill_activated", "skill_invoked"],
  agents: ["agent_start", "agent_stop"],
  keywords: ["keyword_detected"],
  tools: ["tool_start", "tool_end"],
  modes: ["mode_change"],
};

const LINES_AT_ONCE = 100;

/** The events of a file, in order. Lines that are no events are left out. @throws the signal's reason when aborted. */
export async function parseEvents(text: string, signal: AbortSignal): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const turn = takingTurns(signal);
  let count = 0;
  for (const [line] of text.matchAll(/^ *\{.+/gm)) {
    if (++count % LINES_AT_ONCE === 0) await turn();
    const event = line.includes('"event"') ? parseEvent(line) : undefined; // to fail at parsing takes long
    if (event !== undefined) events.push(event);
  }
  return events;
}

function parseEvent(line: string): TraceEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { event } = value as { event?: unknown };
    return typeof event === "string" && event !== "" ? { event, fields: value as Record<string, unknown>, line } : undefined;
  } catch {
    return undefined;
  }
}

export function filtered(events: readonly TraceEvent[], filter: Filter): readonly TraceEvent[] {
  return filter === "all" ? events : events.filter(({ event }) => FILTERED[filter].includes(event));
}

/** No longer text of an event is shown; in characters. */
const MAX_SHOWN = 300;

/** A field as one line of text; empty when it is missing or no text. */
export function textField({ fields }: TraceEvent, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? oneLine(value) : "";
}

export function oneLine(text: string): string {
  const line = text.slice(0, 4 * MAX_SHOWN).replace(/\s+/g, " ").trim();
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}

/** Larger numbers are no measure of anything. */
const MAX_NUMBER = 1e12;

/** A field that is a number of at least 0. */
export function numberField({ fields }: TraceEvent, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" && value >= 0 && value <= MAX_NUMBER ? value : undefined;
}

/** Milliseconds in seconds, as `4.0s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}

/**
 * How long the events took, in milliseconds: the span of their clock; or, when the clock began anew again and again,
 * what their durations show that it took at least.
 */
export function duration(events: readonly TraceEvent[]): { milliseconds: number; atLeast: boolean } {
  const clock = events.map((event) => numberField(event, "t")).filter((t) => t !== undefined);
  let [first, last] = [Infinity, 0];
  for (const t of clock) [first, last] = [Math.min(first, t), Math.max(last, t)];
  const span = clock.length === 0 ? 0 : (last - first) * 1000;
  const shown = durationShown(events);
  return shown > span && seconds(shown) !== seconds(span) ? { milliseconds: shown, atLeast: true } : { milliseconds: span, atLeast: false };
}

/** The longest that any of it took. */
function durationShown(events: readonly TraceEvent[]): number {
  return events.reduce((longest, event) => Math.max(longest, numberField(event, "duration_ms") ?? 0), 0);
}
