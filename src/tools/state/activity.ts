/**
 * Which modes are active where. One set of rules for every answer: the state says so, it is the
 * scope's own, and no skill that finished within a day has put a tombstone on it.
 */
import { inBatches } from "../../lib/batches.js";
import { contained } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import { isConverged, isRegistryMode, LISTED_MODES, type Mode, stateFileName } from "./modes.js";
import { belongs, convergedRoots, legacySpots, projectRoots, sessionSpot, type Spot, surveySessions } from "./places.js";
import { type Loaded, loadState, mayTouch, objectOf, own, ownerOf, surveyState } from "./state-file.js";

const TOMBSTONE_MS = 24 * 60 * 60 * 1000;

/** Whether the file at this spot makes its mode active for its session, or for all when it has none. */
export async function isActiveAt(ws: Workspace, mode: Mode, spot: Spot, loaded?: Loaded): Promise<boolean> {
  const state = loaded ?? (await surveyState(spot.path));
  const active = own(objectOf(state), "active");
  if (isRegistryMode(mode) || mode === "ultrawork" || mode === "ultraqa" ? active !== true : !active) return false;
  const ours = spot.session === undefined ? ownerOf(state) === undefined : mayTouch(state, spot.session);
  return ours && (await belongs(ws, spot.root, state)) && !(await isVetoed(mode, spot));
}

/** Whether the mode is active in this session: by the session's own state, or by a loop that runs in every session. */
export async function isActiveIn(ws: Workspace, mode: Mode, session: string): Promise<boolean> {
  return (await isActiveByOwnState(ws, mode, session)) || (await isActiveByConvergence(ws, mode, session));
}

/** Whether the session's own state makes the mode active. */
export async function isActiveByOwnState(ws: Workspace, mode: Mode, session: string): Promise<boolean> {
  return anyActive(ws, mode, await Promise.all(projectRoots(ws).map((root) => sessionSpot(root, mode, session))));
}

/** Whether a converged mode is active for this session by a session-less state or by another root of the project. */
export async function isActiveByConvergence(ws: Workspace, mode: Mode, session: string): Promise<boolean> {
  if (!isConverged(mode)) return false;
  const further = await convergedRoots(ws, mode);
  const spots = await Promise.all([
    ...further.map(async (root) => [await sessionSpot(root, mode, session)]),
    ...[...projectRoots(ws), ...further].map((root) => legacySpots(root, mode)),
  ]);
  return anyActive(ws, mode, spots.flat());
}

/** Whether the mode is active without a session. */
export async function isActiveWithoutSession(ws: Workspace, mode: Mode): Promise<boolean> {
  const roots = [...projectRoots(ws), ...(await convergedRoots(ws, mode))];
  const spots = await Promise.all(roots.map((root) => legacySpots(root, mode)));
  return anyActive(ws, mode, spots.flat());
}

/** The sessions in which a mode is active, sorted: found once, asked for any mode. */
export async function surveyActivity(ws: Workspace): Promise<(mode: Mode) => Promise<string[]>> {
  const roots = [...projectRoots(ws), ...(await convergedRoots(ws, "ralph"))];
  const surveys = await Promise.all(roots.map(surveySessions));
  return async (mode) => {
    const seen = isConverged(mode) ? surveys : surveys.slice(0, projectRoots(ws).length);
    const spots = seen.flatMap((spotsOf) => spotsOf(mode));
    const active = await inBatches(spots, (spot) => isActiveAt(ws, mode, spot));
    return [...new Set(spots.filter((_, at) => active[at]).map((spot) => spot.session as string))].toSorted();
  };
}

/** Mode → scopes in which it is active (`legacy` and session ids), for the modes that have any. */
export async function activeScopes(ws: Workspace): Promise<Map<Mode, string[]>> {
  const sessionsOf = await surveyActivity(ws);
  const found = await Promise.all(
    LISTED_MODES.map(async (mode) => {
      const [legacy, sessions] = await Promise.all([isActiveWithoutSession(ws, mode), sessionsOf(mode)]);
      return [mode, [...(legacy ? ["legacy"] : []), ...sessions]] as [Mode, string[]];
    }),
  );
  return new Map(found.filter(([, scopes]) => scopes.length > 0));
}

async function anyActive(ws: Workspace, mode: Mode, spots: Spot[]): Promise<boolean> {
  const active = await Promise.all(spots.map((spot) => isActiveAt(ws, mode, spot)));
  return active.includes(true);
}

/** A skill that has completed counts more than the state its mode left behind. */
async function isVetoed(mode: Mode, spot: Spot): Promise<boolean> {
  if (!isRegistryMode(mode)) return false;
  const folder = spot.session === undefined ? ["state"] : ["state", "sessions", spot.session];
  try {
    const skills = objectOf(await loadState(await contained(spot.root.omc, ...folder, stateFileName("skill-active"))));
    const completed = own(own(own(skills, "active_skills"), mode), "completed_at");
    return typeof completed === "string" && Date.now() - Date.parse(completed) < TOMBSTONE_MS;
  } catch {
    return false;
  }
}
