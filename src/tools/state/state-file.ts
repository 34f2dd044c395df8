/** One state file: reading it without trusting it, whose it is, and changing it under its locks. */
import { createHash } from "node:crypto";
import { readTextFile, UnreadableFileError } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { isNestedDeeper } from "../../lib/json-depth.js";
import { settleJournal } from "./emergency-journal.js";
import type { Mode } from "./modes.js";

/** The largest state file read or written, in bytes. A single payload is limited far below it. */
export const MAX_STATE_BYTES = 16 * 1024 * 1024;

/** Deeper ones could not be written again. Payloads are limited far below it too. */
const MAX_STATE_DEPTH = 1_000;

const WAIT_MS = 10_000;

export type StateObject = Record<string, unknown>;

/** What lies at a path. `unreadable` covers torn JSON, JSON that is nested too deep, links, folders and giants: there, but of no use. */
export type Loaded = { kind: "absent" } | { kind: "unreadable"; refused?: unknown } | { kind: "value"; value: unknown };

export async function loadState(path: string): Promise<Loaded> {
  let text: string | undefined;
  try {
    text = await readTextFile(path, { maxBytes: MAX_STATE_BYTES });
  } catch (error) {
    if (error instanceof UnreadableFileError) return { kind: "unreadable" };
    throw error;
  }
  if (text === undefined) return { kind: "absent" };
  try {
    const value: unknown = JSON.parse(text);
    return isNestedDeeper(value, MAX_STATE_DEPTH) ? { kind: "unreadable" } : { kind: "value", value };
  } catch {
    return { kind: "unreadable" };
  }
}

/** The machine's own troubles, which say nothing about the file. */
const PASSING = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EIO"]);

/** Like {@link loadState}, but a file that may not be opened is unreadable too; `refused` says why it may not. */
export async function surveyState(path: string): Promise<Loaded> {
  try {
    return await loadState(path);
  } catch (refused) {
    if (PASSING.has((refused as NodeJS.ErrnoException).code ?? "")) throw refused;
    return { kind: "unreadable", refused };
  }
}

/** The state as an object; undefined when absent, unreadable, an array or a scalar. */
export function objectOf(loaded: Loaded): StateObject | undefined {
  return loaded.kind === "value" && isObject(loaded.value) ? loaded.value : undefined;
}

export function isObject(value: unknown): value is StateObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property; never one that every object has. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The session that a state belongs to, if it says so. */
export function ownerOf(loaded: Loaded): string | undefined {
  const state = objectOf(loaded);
  for (const claim of [own(own(state, "_meta"), "sessionId"), own(state, "session_id")]) {
    if (typeof claim === "string" && claim !== "") return claim;
  }
  return undefined;
}

/** Ownerless, or owned by this session. */
export function mayTouch(loaded: Loaded, session: string): boolean {
  const owner = ownerOf(loaded);
  return owner === undefined || owner === session;
}

/** The digest by which hooks and callers name one state of a file. */
export function stateDigest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/**
 * Runs `change` while nobody else, of this program or of oh-my-claudecode, changes the file. What a
 * dead process left half done is settled first. The file must be loaded again inside.
 */
export async function changeStateFile<T>(
  path: string,
  mode: Mode,
  signal: AbortSignal | undefined,
  change: () => Promise<T>,
): Promise<T> {
  const guarded = () =>
    withFileLock(path, { waitMs: WAIT_MS, signal, protocol: "mutation" }, async () => {
      await settleJournal(path);
      return change();
    });
  return mode === "team" ? withFileLock(path, { waitMs: WAIT_MS, signal, protocol: "team" }, guarded) : guarded();
}
