/**
 * Where the state of a project lies. One project may have more than one root:
 *
 * - its own `.omc`;
 * - outside of repositories, the home root that all such directories share for their sessions;
 * - `.omc` in the worktree, when the project's `.omc` is elsewhere;
 * - `~/.omc`, in which a loop of this repository may have left its state.
 *
 * In a shared root a file is this project's unless it names another project; in the home root of a
 * repository it is only when it names this one.
 */
import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";
import { inBatches } from "../../lib/batches.js";
import { homeFolder } from "../../lib/home-folder.js";
import { contained } from "../../lib/omc-paths.js";
import { isSessionId } from "../../lib/session-id.js";
import type { Workspace } from "../../lib/workspace.js";
import { isConverged, type Mode, stateFileName } from "./modes.js";
import { type Loaded, objectOf, own } from "./state-file.js";

export interface Root {
  omc: string;
  kind: "own" | "shared" | "local" | "home";
}

/** The file of one mode in one session (or of none: the "legacy" file) of one root. */
export interface Spot {
  root: Root;
  session: string | undefined;
  path: string;
}

/** The roots that every operation looks at, the one that is written to first. */
export function projectRoots(ws: Workspace): Root[] {
  const roots: Root[] = [{ omc: ws.omc, kind: "own" }];
  if (ws.sessionsOmc !== ws.omc) roots.push({ omc: ws.sessionsOmc, kind: "shared" });
  if (ws.fallbackOmc !== undefined && roots.every((root) => root.omc !== ws.fallbackOmc)) {
    roots.push({ omc: ws.fallbackOmc, kind: "own" });
  }
  return roots;
}

/** `.omc` in the worktree, when that is not the project's root. */
export function localRoot(ws: Workspace): Root | undefined {
  const omc = join(ws.root, ".omc");
  return ws.isGit && omc !== ws.omc ? { omc, kind: "local" } : undefined;
}

/** `~/.omc`, seen from a repository that keeps its state elsewhere. */
export async function homeRoot(ws: Workspace): Promise<Root | undefined> {
  if (!ws.isGit || process.env["OMC_STATE_DIR"]) return undefined;
  const home = await homeFolder();
  const omc = home === undefined ? ws.omc : join(home, ".omc");
  return omc === ws.omc ? undefined : { omc, kind: "home" };
}

/** Further roots in which a converged mode may have left state. */
export async function convergedRoots(ws: Workspace, mode: Mode): Promise<Root[]> {
  if (!isConverged(mode) || process.env["OMC_STATE_DIR"]) return [];
  return [localRoot(ws), await homeRoot(ws)].filter((root) => root !== undefined);
}

/** Whether a state found in this root is this project's business. */
export async function belongs(ws: Workspace, root: Root, loaded: Loaded): Promise<boolean> {
  if (root.kind === "own" || root.kind === "local") return true;
  const named = own(objectOf(loaded), "project_path");
  if (typeof named !== "string" || named === "") return root.kind === "shared" && loaded.kind === "value";
  const path = await realpath(named).catch(() => named);
  return path === ws.root || path === dirname(ws.omc) || (!ws.isGit && path === ws.trustedRoot);
}

/** Where a mode's state is written: beside the other states of the session, or at the session-less place. */
export async function writePath(ws: Workspace, mode: Mode, session: string | undefined): Promise<string> {
  if (session === undefined) return join(await contained(ws.omc, "state"), stateFileName(mode));
  return join(await contained(ws.sessionsOmc, "state", "sessions", session), stateFileName(mode));
}

export async function sessionSpot(root: Root, mode: Mode, session: string): Promise<Spot> {
  const dir = await contained(root.omc, "state", "sessions", session);
  return { root, session, path: join(dir, stateFileName(mode)) };
}

/** The session-less places of a root: today's, and that of older releases. */
export async function legacySpots(root: Root, mode: Mode): Promise<Spot[]> {
  const [state, omc] = [await contained(root.omc, "state"), root.omc];
  return [state, omc].map((dir) => ({ root, session: undefined, path: join(dir, stateFileName(mode)) }));
}

/** Sessions that have a folder in this root, sorted. Links and odd names are not sessions. */
export async function sessionsOf(root: Root): Promise<string[]> {
  const dir = await contained(root.omc, "state", "sessions");
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && isSessionId(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** The mode's spot in every session of a root, whether a file is there or not. */
export async function sessionSpots(root: Root, mode: Mode): Promise<Spot[]> {
  const sessions = await sessionsOf(root);
  return sessions.map((session) => ({ root, session, path: join(sessionsDir(root), session, stateFileName(mode)) }));
}

/** The state files of all sessions of a root, by mode. Sessions pile up, so each folder is listed once for all modes. */
export async function surveySessions(root: Root): Promise<(mode: Mode) => Spot[]> {
  const sessions = await sessionsOf(root);
  const listings = await inBatches(sessions, async (session) => {
    const dir = join(sessionsDir(root), session);
    return { session, dir, names: new Set(await readdir(dir).catch((): string[] => [])) };
  });
  return (mode) => {
    const name = stateFileName(mode);
    const having = listings.filter(({ names }) => names.has(name));
    return having.map(({ session, dir }) => ({ root, session, path: join(dir, name) }));
  };
}

function sessionsDir(root: Root): string {
  return join(root.omc, "state", "sessions");
}

/** Whether the session's end was recorded, so that what it left active is an orphan. */
export async function hasEnded(root: Root, session: string): Promise<boolean> {
  try {
    const path = await contained(root.omc, "sessions", `${session}.json`);
    const record: unknown = JSON.parse((await readTextFile(path, { maxBytes: 1024 * 1024 })) ?? "null");
    const ended = own(record, "ended_at");
    return own(record, "session_id") === session && typeof ended === "string" && !Number.isNaN(Date.parse(ended));
  } catch {
    return false;
  }
}
