/**
 * The file of a readiness gate: the state of mode merge-readiness, in the session's folder or, without a session, at
 * the shared place. Changed only under its lock, by a whole new state, so that what was decided is never lost.
 */
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../../lib/atomic-file.js";
import { containedDir } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import { legacySpots, projectRoots, type Root, sessionSpot, type Spot, writePath } from "./places.js";
import { StateError } from "./state-error.js";
import { changeStateFile, type Loaded, loadState, MAX_STATE_BYTES, objectOf, ownerOf, type StateObject } from "./state-file.js";

export const GATE_MODE = "merge-readiness";

/** Where the session's gate may lie, in each root of the project. */
export function gateSpots(ws: Workspace, session: string | undefined): Promise<Spot[]> {
  const spotIn = async (root: Root): Promise<Spot> =>
    session === undefined ? ((await legacySpots(root, GATE_MODE))[0] as Spot) : sessionSpot(root, GATE_MODE, session);
  return Promise.all(projectRoots(ws).map(spotIn));
}

/**
 * The session's gate, or undefined when it has none.
 * @throws {StateError} when what lies there is damaged or another session's.
 */
export async function readGate(ws: Workspace, session: string | undefined): Promise<StateObject | undefined> {
  for (const spot of await gateSpots(ws, session)) {
    const gate = asGate(await loadState(spot.path), session);
    if (gate !== undefined) return gate;
  }
  return undefined;
}

/** What a change leads to: the gate's next state, if it has one, and what the caller gets. */
export interface Change<T> {
  next?: StateObject;
  result: T;
}

/**
 * Reads the session's gate, lets `decide` say what becomes of it, and stores that, all under its lock.
 * @throws {StateError} when the gate is damaged, another session's, or would get too big.
 */
export async function changeGate<T>(
  ws: Workspace,
  session: string | undefined,
  signal: AbortSignal,
  decide: (gate: StateObject | undefined) => Change<T>,
): Promise<T> {
  const path = await pathToChange(ws, session);
  return changeStateFile(path, GATE_MODE, signal, async () => {
    const { next, result } = decide(asGate(await loadState(path), session));
    if (next !== undefined) await storeGate(path, next, session, ws);
    return result;
  });
}

/** Moves a gate aside that nobody can read, under its lock; the record stays. False when there is nothing of the kind. */
export async function setDamagedGateAside(spot: Spot, signal: AbortSignal): Promise<boolean> {
  return changeStateFile(spot.path, GATE_MODE, signal, async () => {
    if (!isDamaged(await loadState(spot.path))) return false;
    const stamp = new Date().toISOString().replace(/[:.]/g, "-");
    await rename(spot.path, join(dirname(spot.path), `${basename(spot.path)}.corrupt-${stamp}`));
    return true;
  });
}

export function isDamaged(loaded: Loaded): boolean {
  return loaded.kind !== "absent" && objectOf(loaded) === undefined;
}

function asGate(loaded: Loaded, session: string | undefined): StateObject | undefined {
  if (isDamaged(loaded)) {
    throw new StateError("the gate's state is corrupt; state_clear with mode merge-readiness moves it aside, then start anew");
  }
  const owner = ownerOf(loaded);
  if (owner !== undefined && owner !== session) {
    throw new StateError(`the gate at this place is owned by session '${owner}'; pass that session_id, or start one in a session of your own`);
  }
  return objectOf(loaded);
}

/** Where the gate is, else where a new one goes. */
async function pathToChange(ws: Workspace, session: string | undefined): Promise<string> {
  for (const { path } of await gateSpots(ws, session)) if ((await loadState(path)).kind !== "absent") return path;
  if (session === undefined) await containedDir(ws.omc, "state");
  else await containedDir(ws.sessionsOmc, "state", "sessions", session);
  return writePath(ws, GATE_MODE, session);
}

/** Adds who wrote it, and where states of several directories lie together, which it belongs to. */
async function storeGate(path: string, gate: StateObject, session: string | undefined, ws: Workspace): Promise<void> {
  const { _meta: _before, ...fields } = gate;
  const project = ws.isGit || session === undefined ? {} : { project_path: ws.trustedRoot };
  const meta = {
    written_at: new Date().toISOString(),
    mode: GATE_MODE,
    ...(session !== undefined && { sessionId: session }),
    ownerPid: process.pid,
  };
  const text = JSON.stringify({ ...fields, owner_pid: process.pid, ...project, _meta: meta }, null, 2);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES) throw new StateError(`the gate's state of ${bytes} bytes exceeds the maximum of ${MAX_STATE_BYTES} bytes`);
  await writeFileAtomic(path, text);
}

/** The state of a gate that was called off. */
export function cancelledGate(gate: StateObject, session: string | undefined): StateObject {
  const { pending_question: _, ...kept } = gate;
  const now = new Date().toISOString();
  const end = { active: false, phase: "complete", awaiting_content: false, result: "cancelled" };
  return { ...kept, ...end, cancel_owner: session ?? "legacy", updated_at: now, completed_at: now };
}
