/**
 * What a state_clear may take away. Discovery decides which files are due and why; whether a file still
 * is due is asked again under its lock, just before it goes.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import type { Workspace } from "../../lib/workspace.js";
import { type Mode, stateFileName } from "./modes.js";
import {
  belongs,
  convergedRoots,
  homeRoot,
  legacySpots,
  localRoot,
  projectRoots,
  type Root,
  sessionSpot,
  sessionSpots,
  type Spot,
} from "./places.js";
import { isOrphan } from "./read-state.js";
import { type Loaded, mayTouch, ownerOf, surveyState } from "./state-file.js";

/** Why a file is due: which part of the answer counts it. */
export type Group = "own" | "recovered" | "orphan" | "legacy" | "local" | "converged";

export interface Candidate {
  spot: Spot;
  group: Group;
  /** The state at discovery. */
  loaded: Loaded;
  /** Whether the file with this state is due. */
  isDue(loaded: Loaded): Promise<boolean>;
}

export interface Discovery {
  candidates: Candidate[];
  /** Where was looked, for an answer that says nothing was there. */
  checked: string[];
}

interface Proposal {
  spot: Spot;
  group: Group;
  isDue(loaded: Loaded): Promise<boolean>;
}

/** The files due when one session clears a mode. */
export async function discoverForSession(ws: Workspace, mode: Mode, session: string): Promise<Discovery> {
  const roots = projectRoots(ws);
  const proposals: Proposal[] = [];
  for (const root of roots) proposals.push(ownFile(await sessionSpot(root, mode, session), "own", session));
  for (const root of roots) proposals.push(...(await legacyFiles(ws, root, mode, "legacy", session)));
  for (const root of roots) proposals.push(...(await filesOfOthers(ws, root, mode, session)));
  proposals.push(...(await homeAutopilot(ws, mode, session)));
  const checked = proposals.map(({ spot }) => spot.path);
  let candidates = await due(proposals);
  const local = localRoot(ws);
  if (candidates.length === 0 && local !== undefined) {
    candidates = await due([
      ownFile(await sessionSpot(local, mode, session), "local", session),
      ...(await legacyFiles(ws, local, mode, "local", session)),
    ]);
  }
  const converged: Proposal[] = [];
  for (const root of await convergedRoots(ws, mode)) {
    const spot = await sessionSpot(root, mode, session);
    const ours = ownFile(spot, "converged", session);
    const isDue = async (loaded: Loaded) => (await ours.isDue(loaded)) && (await belongs(ws, root, loaded));
    converged.push({ ...ours, isDue }, ...(await legacyFiles(ws, root, mode, "converged", session)));
  }
  return { candidates: distinct([...candidates, ...(await due(converged))]), checked: [...new Set(checked)] };
}

/** The files due when a mode is cleared for all sessions: whoever owns them. */
export async function discoverForAll(ws: Workspace, mode: Mode): Promise<Discovery> {
  const local = localRoot(ws);
  const roots = [...projectRoots(ws), ...(local === undefined ? [] : [local]), ...(await convergedRoots(ws, mode))];
  const proposals: Proposal[] = [];
  for (const root of roots) {
    const isDue = (loaded: Loaded) => belongs(ws, root, loaded);
    const group = root.kind === "home" ? "converged" : root.kind === "local" ? "local" : undefined;
    for (const spot of await legacySpots(root, mode)) proposals.push({ spot, group: group ?? "legacy", isDue });
    for (const spot of await sessionSpots(root, mode)) proposals.push({ spot, group: group ?? "own", isDue });
  }
  proposals.push(...(await homeAutopilot(ws, mode, undefined)));
  const candidates = distinct(await due(proposals));
  return { candidates, checked: [...new Set(proposals.map(({ spot }) => spot.path))] };
}

/** A link in place of `.omc` in the worktree: a retired mode's clearing does not go through it. */
export async function isBehindLink(ws: Workspace, mode: Mode): Promise<boolean> {
  if (mode !== "ultrawork") return false;
  const found = await lstat(join(ws.root, ".omc")).catch(() => undefined);
  return found?.isSymbolicLink() ?? false;
}

/** The session's own file; also one that nobody can read any more. */
function ownFile(spot: Spot, group: Group, session: string): Proposal {
  return { spot, group, isDue: async (loaded) => loaded.kind === "unreadable" || mayTouch(loaded, session) };
}

async function legacyFiles(ws: Workspace, root: Root, mode: Mode, group: Group, session: string): Promise<Proposal[]> {
  const isDue = async (loaded: Loaded) => mayTouch(loaded, session) && (await belongs(ws, root, loaded));
  return (await legacySpots(root, mode)).map((spot) => ({ spot, group, isDue }));
}

/** Files in other sessions' folders that name this session, and those of sessions that have ended. */
async function filesOfOthers(ws: Workspace, root: Root, mode: Mode, session: string): Promise<Proposal[]> {
  const spots = (await sessionSpots(root, mode)).filter((spot) => spot.session !== session);
  return inBatches(spots, async (spot): Promise<Proposal> => {
    const recovered = async (loaded: Loaded) => ownerOf(loaded) === session;
    if (await recovered(await load(spot))) return { spot, group: "recovered", isDue: recovered };
    return { spot, group: "orphan", isDue: (loaded) => isOrphan(ws, spot, loaded) };
  });
}

/** An autopilot that was started for this repository and kept its state in the home root. */
async function homeAutopilot(ws: Workspace, mode: Mode, session: string | undefined): Promise<Proposal[]> {
  const root = mode === "autopilot" ? await homeRoot(ws) : undefined;
  if (root === undefined) return [];
  const spot: Spot = { root, session: undefined, path: join(root.omc, "state", stateFileName(mode)) };
  const isDue = async (loaded: Loaded) =>
    (session === undefined || mayTouch(loaded, session)) && (await belongs(ws, root, loaded));
  return [{ spot, group: "legacy", isDue }];
}

async function due(proposals: Proposal[]): Promise<Candidate[]> {
  const all = await inBatches(proposals, async (proposal) => {
    const loaded = await load(proposal.spot);
    return loaded.kind !== "absent" && (await proposal.isDue(loaded)) ? { ...proposal, loaded } : undefined;
  });
  return all.filter((candidate) => candidate !== undefined);
}

/** A file that cannot even be opened is there, and unreadable. */
function load(spot: Spot): Promise<Loaded> {
  return surveyState(spot.path);
}

/** Each file once, for the first reason found. */
function distinct(candidates: Candidate[]): Candidate[] {
  const first = new Map<string, Candidate>();
  for (const candidate of candidates) if (!first.has(candidate.spot.path)) first.set(candidate.spot.path, candidate);
  return [...first.values()];
}
