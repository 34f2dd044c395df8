/** The answers of `python_repl` as text. Callers look for the lines between equal signs and dashes, and for the labels. */
import { cut } from "../../lib/cut.js";
import type { ExecutionResult, Memory, StateResult } from "./bridge-results.js";
import { preview } from "./preview.js";

const NAMES_A_LINE = 10;
const MAX_NAMES = 500;
const MAX_MARKERS = 100;
const FAILED = "=== Execution Failed ===";

/** What was asked, beside what came back. */
export interface Asked {
  id: string;
  label?: string | undefined;
  /** Told when the bridge does not count executions itself. */
  execution?: number | undefined;
  /** What else the caller should know. */
  notes: string[];
}

export function executionText(asked: Asked, result: ExecutionResult): string {
  const { error } = result;
  const lines = ["=== Python REPL Execution ===", ...heading(asked, result)];
  lines.push(...section("Output", preview(result.stdout)));
  if (result.stdout.truncated) lines.push("(stdout was truncated)");
  lines.push(...section("Errors", preview(result.stderr)));
  if (result.stderr.truncated) lines.push("(stderr was truncated)");
  lines.push(...markerLines(result));
  lines.push("", "--- Timing ---", `Duration: ${(result.timing.duration_ms / 1000).toFixed(3)}s`, `Started: ${result.timing.started_at}`);
  lines.push("", "--- Memory ---", ...memoryLines(result.memory), "");
  if (result.success) return [...lines, "=== Execution Complete ==="].join("\n");
  lines.push(FAILED, `Error Type: ${error?.type ?? "unknown"}`, `Message: ${error?.message ?? ""}`);
  if (error !== undefined && error.traceback !== "") lines.push("Traceback:", error.traceback.trimEnd());
  return [...lines, "", FAILED].join("\n");
}

function heading(asked: Asked, result: ExecutionResult): string[] {
  const lines = [`Session: ${cut(asked.id)}`];
  if (asked.label !== undefined && asked.label !== "") lines.push(`Label: ${asked.label}`);
  lines.push(`Execution #: ${result.execution ?? asked.execution ?? 1}`);
  const notes = [...asked.notes];
  if (result.note !== undefined) notes.push(result.note);
  if (result.interpreter_ended) notes.push("the interpreter has ended and all variables are gone; the next execute starts a new one");
  return [...lines, ...noteLines(notes)];
}

function noteLines(notes: readonly string[]): string[] {
  return notes.map((note) => `Note: ${note}`);
}

function section(name: string, text: string): string[] {
  return text === "" ? [] : ["", `--- ${name} ---`, text.replace(/\n$/, "")];
}

function markerLines({ markers }: ExecutionResult): string[] {
  if (markers.length === 0) return [];
  const lines = markers.slice(0, MAX_MARKERS).map(({ type, subtype, content, category, valid }) => {
    const name = subtype === undefined ? type : `${type}:${subtype}`;
    return `[${name}] ${content}  (${valid ? category : "unknown type"})`;
  });
  if (markers.length > MAX_MARKERS) lines.push(`and ${markers.length - MAX_MARKERS} more`);
  return ["", "--- Markers ---", ...lines];
}

function memoryLines({ rss_mb, vms_mb }: Memory): string[] {
  return [`RSS: ${rss_mb.toFixed(1)} MB`, `VMS: ${vms_mb.toFixed(1)} MB`];
}

/** `state` is undefined when the session has no interpreter. */
export function stateText(id: string, state: StateResult | undefined, notes: readonly string[]): string {
  const lines = ["=== Python REPL State ===", `Session: ${cut(id)}`];
  if (state === undefined) lines.push("Note: no interpreter runs for this session; execute starts one");
  lines.push(...noteLines(notes), "", "--- Memory ---", ...memoryLines(state?.memory ?? { rss_mb: 0, vms_mb: 0 }));
  lines.push("", "--- Variables ---", `Count: ${state?.variable_count ?? 0}`, ...nameLines(state?.variables ?? []));
  if (state?.stale === true) lines.push("(as of before the running code, which lets nobody look)");
  if (state !== undefined) lines.push(...interpreterLines(state));
  return [...lines, "", "=== State Retrieved ==="].join("\n");
}

function nameLines(names: readonly string[]): string[] {
  const shown = names.slice(0, MAX_NAMES);
  const lines: string[] = [];
  for (let at = 0; at < shown.length; at += NAMES_A_LINE) lines.push(shown.slice(at, at + NAMES_A_LINE).join(", "));
  if (names.length > MAX_NAMES) lines.push(`and ${names.length - MAX_NAMES} more`);
  return lines;
}

function interpreterLines({ python, project, execution, running_seconds: running, boundary }: StateResult): string[] {
  const lines: string[] = [];
  if (python !== undefined) {
    const doing = running === undefined ? `idle after ${execution ?? 0} executions` : `running for ${running.toFixed(1)}s`;
    lines.push("", "--- Interpreter ---", `Python: ${python}, ${doing}`, `Directory: ${project ?? "unknown"}`);
  }
  if (boundary.length > 0) lines.push("", "--- Boundary ---", ...boundary);
  return lines;
}

export function resetText(id: string, memory: Memory | undefined, notes: readonly string[]): string {
  const lines = ["=== Python REPL Reset ===", `Session: ${cut(id)}`, "Status: reset", ...noteLines(notes)];
  if (memory !== undefined) lines.push("", "--- Memory After Reset ---", ...memoryLines(memory));
  return [...lines, "", "=== Namespace Cleared ==="].join("\n");
}

export function restartedText(id: string, why: string): string {
  return ["=== Bridge Restarted ===", `Session: ${cut(id)}`, `Reason: ${why}`, "All variables are gone; the next execute starts anew."].join("\n");
}

export interface Interrupted {
  status: string;
  /** `graceful`, or the signal that it took. Undefined when nothing ran. */
  by: string | undefined;
  ms: number;
}

export function interruptText(id: string, { status, by, ms }: Interrupted): string {
  const lines = ["=== Python REPL Interrupt ===", `Session: ${cut(id)}`, `Status: ${status}`];
  if (by === undefined) lines.push("Note: no code was running");
  else lines.push(`Terminated By: ${by}`, `Termination Time: ${Math.round(ms)}ms`);
  if (status === "force_killed") lines.push("Note: the interpreter had to be ended; all variables are gone");
  return [...lines, "", "=== Execution Interrupted ==="].join("\n");
}

export interface Holder {
  pid: number | undefined;
  host: string | undefined;
  since: string | undefined;
}

export function busyText(id: string, queueTimeout: number, holder: Holder): string {
  return [
    "=== Session Busy ===",
    `Session: ${cut(id)}`,
    `Queue timeout: ${queueTimeout}ms`,
    `Holder PID: ${holder.pid ?? "unknown"}`,
    `Host: ${holder.host ?? "unknown"}`,
    `Since: ${holder.since ?? "unknown"}`,
    "",
    "Other code of this session is still running, and nothing was run. Wait with a longer queueTimeout, stop it with action",
    "interrupt, or use another researchSessionID.",
  ].join("\n");
}

/** A heading and a sentence. */
export function failureText(heading: string, ...lines: string[]): string {
  return [`=== ${heading} ===`, ...lines].join("\n");
}
