/** state_write: merges fields into the state of a mode. */
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { containedDir } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import { isActiveAt } from "./activity.js";
import { sweepSignal } from "./cancel-signal.js";
import { checkPayload } from "./limits.js";
import { type Mode, rivalOf, stateFileName } from "./modes.js";
import { isNamedRun, pauseRun } from "./named-autopilot.js";
import { belongs, writePath } from "./places.js";
import { redact } from "./redaction.js";
import { StateError } from "./state-error.js";
import {
  changeStateFile,
  type Loaded,
  loadState,
  MAX_STATE_BYTES,
  objectOf,
  own,
  ownerOf,
  type StateObject,
} from "./state-file.js";
import { jsonBlock, NO_SESSION_WARNING } from "./text.js";

export interface WriteRequest {
  mode: Mode;
  session: string | undefined;
  /** Fields to set; null removes one. */
  fields: StateObject;
}

/**
 * Merges the arguments of a call into one set of fields. Named arguments win over unknown ones, these
 * over the entries of `state`.
 * @throws {StateError} when the payload is too big.
 */
export function buildFields(named: StateObject, unknown: StateObject, state: StateObject): StateObject {
  const payload = Object.fromEntries([...Object.entries(state), ...Object.entries(unknown)]);
  checkPayload(payload);
  const given = new Map(Object.entries(named).filter(([, value]) => value !== undefined));
  const added = Object.entries(payload).filter(([key]) => key !== "_meta" && !given.has(key));
  return Object.fromEntries([...given, ...added]);
}

/** Splits the entries of an object into those whose name passes and the others. */
export function partition(object: StateObject, passes: (name: string) => boolean): [StateObject, StateObject] {
  const entries = Object.entries(object);
  const half = (wanted: boolean) => Object.fromEntries(entries.filter(([name]) => passes(name) === wanted));
  return [half(true), half(false)];
}

export async function writeState(ws: Workspace, request: WriteRequest, signal: AbortSignal): Promise<string> {
  const { mode, session } = request;
  const path = await writePath(ws, mode, session);
  if (session === undefined) await containedDir(ws.omc, "state");
  else await containedDir(ws.sessionsOmc, "state", "sessions", session);
  const written = await withoutRival(ws, request, path, signal, () =>
    changeStateFile(path, mode, signal, async () => {
      const loaded = await loadState(path);
      const next = nextState(request, path, loaded, await projectPath(ws, request, loaded));
      await store(path, next.state);
      return next;
    }),
  );
  await sweepSignal(dirname(path));
  return successText(request, path, written);
}

interface Next {
  state: StateObject;
  paused: boolean;
}

/**
 * States of directories without a repository lie together, so each names its directory. A session that goes on in
 * another one takes its states along.
 */
async function projectPath(ws: Workspace, { session, fields }: WriteRequest, loaded: Loaded): Promise<string | undefined> {
  if (ws.isGit || session === undefined || Object.hasOwn(fields, "project_path")) return undefined;
  const named = own(objectOf(loaded), "project_path") !== undefined;
  const ours = named && (await belongs(ws, { omc: ws.sessionsOmc, kind: "shared" }, loaded));
  return ours ? undefined : ws.trustedRoot;
}

function nextState(request: WriteRequest, path: string, loaded: Loaded, project: string | undefined): Next {
  const { mode, session, fields } = request;
  const current = currentState(mode, path, loaded);
  const owner = ownerOf(loaded);
  if (session !== undefined && owner !== undefined && owner !== session) {
    throw new StateError(`${basename(path)} is owned by session '${owner}'; what is owned by another session cannot be changed`);
  }
  if (mode === "autopilot" && (isNamedRun(current) || isNamedRun(fields))) {
    return { state: pauseRun(current, fields, session), paused: true };
  }
  return { state: merge(request, current, project), paused: false };
}

function currentState(mode: Mode, path: string, loaded: Loaded): StateObject | undefined {
  if (loaded.kind === "absent") return undefined;
  const current = objectOf(loaded);
  if (current !== undefined) return current;
  const what = mode === "team" ? "team state is corrupt" : "the state file is corrupt";
  throw new StateError(`${what}; existing bytes preserved in ${basename(path)}; state_clear moves it aside`);
}

function merge({ mode, session, fields }: WriteRequest, current: StateObject | undefined, project: string | undefined): StateObject {
  const entries = new Map(Object.entries(current ?? {}));
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) entries.delete(key);
    else entries.set(key, value);
  }
  if (project !== undefined) entries.set("project_path", project);
  const kept = mode === "team" ? own(current, "_meta") : undefined;
  entries.delete("_meta");
  const updatedAt = new Date().toISOString();
  const meta = { mode, sessionId: session ?? null, updatedAt, updatedBy: "state_write_tool" };
  // Object.fromEntries makes own properties whatever the key is called.
  return Object.fromEntries([...entries, ["_meta", { ...(kept as object | undefined), ...meta }]]);
}

async function store(path: string, state: StateObject): Promise<void> {
  const text = JSON.stringify(state, null, 2);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) {
    throw new StateError(`payload rejected: the merged state of ${bytes} bytes exceeds maximum of ${MAX_STATE_BYTES} bytes`);
  }
  await writeFileAtomic(path, text);
}

/**
 * Autopilot and autoresearch drive a session each in its own way, so a session can have one of them
 * active. One lock for both is held while either becomes active.
 */
async function withoutRival<T>(
  ws: Workspace,
  { mode, session, fields }: WriteRequest,
  path: string,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  const rival = rivalOf(mode);
  if (rival === undefined || fields["active"] !== true) return write();
  const root = { omc: session === undefined ? ws.omc : ws.sessionsOmc, kind: "own" as const };
  const spot = { root, session, path: join(dirname(path), stateFileName(rival)) };
  return withFileLock(join(dirname(path), "exclusive-modes"), { waitMs: 10_000, signal }, async () => {
    const already = own(objectOf(await loadState(path)), "active") === true;
    if (!already && (await isActiveAt(ws, rival, spot))) {
      const where = session === undefined ? "without a session" : `in session '${session}'`;
      throw new StateError(`${rival} is active ${where} and excludes ${mode}; finish it or clear it with state_clear first`);
    }
    return write();
  });
}

function successText({ mode, session }: WriteRequest, path: string, { state, paused }: Next): string {
  const where = session === undefined ? "(legacy path)" : `(session: ${session})`;
  const head = paused ? `Paused named autopilot workflow ${where}` : `Successfully wrote state for ${mode} ${where}`;
  const parts = [`${head}\nPath: ${path}`, jsonBlock(redact(mode, state, session))];
  if (session === undefined) parts.push(NO_SESSION_WARNING);
  return parts.join("\n\n");
}
