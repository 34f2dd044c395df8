/**
 * What bridges answer, of this project and of the reference: whatever is missing or of another kind counts as not said.
 * Read by hand, because a schema library that is loaded late would have to be split from the server's start.
 */

export interface Memory {
  rss_mb: number;
  vms_mb: number;
}

export interface Marker {
  type: string;
  subtype: string | undefined;
  content: string;
  category: string;
  valid: boolean;
}

/** One of stdout and stderr. */
export interface Stream {
  text: string;
  /** What was written in all, in bytes. */
  bytes: number;
  /** Where the whole output is, if it is long. */
  file: string | undefined;
  truncated: boolean;
}

export interface ExecutionResult {
  success: boolean;
  stdout: Stream;
  stderr: Stream;
  markers: Marker[];
  /** ISO 8601, and milliseconds. */
  timing: { started_at: string; duration_ms: number };
  memory: Memory;
  error: { type: string; message: string; traceback: string } | undefined;
  /** How many executions the interpreter has begun since it started. */
  execution: number | undefined;
  note: string | undefined;
  /** The interpreter is gone, and with it the variables. */
  interpreter_ended: boolean;
}

export interface StateResult {
  memory: Memory;
  variables: string[];
  variable_count: number;
  boundary: string[];
  python: string | undefined;
  project: string | undefined;
  execution: number | undefined;
  running_seconds: number | undefined;
  /** The names are of before the running code, which lets nobody else look. */
  stale: boolean;
}

export interface InterruptResult {
  status: string;
  /** Whether any code ran. Absent in bridges of the reference. */
  running: boolean | undefined;
  terminated_by: string | undefined;
  termination_ms: number | undefined;
}

export function readExecution(answer: unknown): ExecutionResult {
  const result = record(answer);
  const timing = record(result["timing"]);
  const error = result["error"] === undefined ? undefined : record(result["error"]);
  return {
    success: result["success"] === true,
    stdout: readStream(result, "stdout"),
    stderr: readStream(result, "stderr"),
    markers: list(result["markers"]).map(readMarker),
    timing: { started_at: text(timing["started_at"]), duration_ms: number(timing["duration_ms"]) ?? 0 },
    memory: readMemory(result["memory"]),
    error: error && { type: text(error["type"]), message: text(error["message"]), traceback: text(error["traceback"]) },
    execution: number(result["execution"]),
    note: maybeText(result["note"]),
    interpreter_ended: result["interpreter_ended"] === true,
  };
}

export function readState(answer: unknown): StateResult {
  const result = record(answer);
  return {
    memory: readMemory(result["memory"]),
    variables: list(result["variables"]).map(text),
    variable_count: number(result["variable_count"]) ?? 0,
    boundary: list(result["boundary"]).map(text),
    python: maybeText(result["python"]),
    project: maybeText(result["project"]),
    execution: number(result["execution"]),
    running_seconds: number(result["running_seconds"]),
    stale: result["stale"] === true,
  };
}

export function readInterrupt(answer: unknown): InterruptResult {
  const { status, running, terminated_by: by, termination_ms: ms } = record(answer);
  return {
    status: text(status),
    running: typeof running === "boolean" ? running : undefined,
    terminated_by: maybeText(by),
    termination_ms: number(ms),
  };
}

export function readMemory(value: unknown): Memory {
  const memory = record(value);
  return { rss_mb: number(memory["rss_mb"]) ?? 0, vms_mb: number(memory["vms_mb"]) ?? 0 };
}

function readStream(result: Record<string, unknown>, name: string): Stream {
  return {
    text: text(result[name]),
    bytes: number(result[`${name}_bytes`]) ?? 0,
    file: maybeText(result[`${name}_file`]),
    truncated: result[`${name}_truncated`] === true,
  };
}

function readMarker(value: unknown): Marker {
  const { type, subtype, content, category, valid } = record(value);
  return { type: text(type), subtype: maybeText(subtype), content: text(content), category: text(category), valid: valid === true };
}

/** The fields of an object; none when it is something else. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function maybeText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
