/** What work has left in `.omc` that speaks for a change: plans, logs, reports, and the states of modes that ran. */
import { type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { contained } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import type { Mode } from "../state/modes.js";
import { belongs, legacySpots, projectRoots, sessionSpot, type Spot } from "../state/places.js";
import { type Loaded, mayTouch, objectOf, own, ownerOf, surveyState } from "../state/state-file.js";

/** Paths relative to `.omc`, with forward slashes. */
export interface Artifacts {
  sourceArtifacts: string[];
  /** Those that look like results of tests, by their name. */
  testEvidence: string[];
  /** Those that look like reviews. */
  reviewEvidence: string[];
  /** Those that are states of modes. */
  modeStates: string[];
}

const FOLDERS = ["plans", "artifacts", "logs", "specs", "interviews"];
const MODES: readonly Mode[] = ["ralph", "autopilot", "team", "ralplan", "autoresearch"];
const KINDS = /\.(md|json|txt|log)$/i;
const TESTS = /test|spec|qa|verify|validation/i;
const REVIEWS = /review|risk|security|readiness|verdict/i;
/** Reports about gates are no evidence for the next one. */
const SKIPPED = join("artifacts", "merge-readiness");

const MAX_FILES = 40;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 5_000;

export async function gatherArtifacts(ws: Workspace, session: string | undefined): Promise<Artifacts> {
  const files = (await Promise.all(FOLDERS.map((folder) => filesIn(ws.omc, folder)))).flat();
  const modeStates = await statesOfRuns(ws, session);
  const named = (pattern: RegExp) => files.filter((file) => pattern.test(basename(file)));
  return { sourceArtifacts: [...files, ...modeStates], testEvidence: named(TESTS), reviewEvidence: named(REVIEWS), modeStates };
}

/** Files of one folder and those below, in the order of their names, folder by folder. Links are not followed. */
async function filesIn(omc: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  const walk = async (dir: string, depth: number): Promise<void> => {
    const entries = await readdir(join(omc, dir), { withFileTypes: true }).catch((): Dirent[] => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (found.length >= MAX_FILES || ++seen > MAX_ENTRIES) return;
      const path = join(dir, entry.name);
      if (entry.isFile() && KINDS.test(entry.name)) found.push(path.split(sep).join("/"));
      else if (entry.isDirectory() && depth < MAX_DEPTH && path !== SKIPPED) await walk(path, depth + 1);
    }
  };
  const isUsable = await contained(omc, folder).then(() => true, () => false);
  if (isUsable) await walk(folder, 1);
  return found.map(printable);
}

async function statesOfRuns(ws: Workspace, session: string | undefined): Promise<string[]> {
  const spots: Spot[] = [];
  for (const root of projectRoots(ws)) {
    for (const mode of MODES) {
      spots.push((await legacySpots(root, mode))[0] as Spot);
      if (session !== undefined) spots.push(await sessionSpot(root, mode, session));
    }
  }
  const counted = await Promise.all(spots.map((spot) => isRun(ws, spot, session)));
  const paths = spots.filter((_, at) => counted[at]).map(({ root, path }) => relative(root.omc, path).split(sep).join("/"));
  return [...new Set(paths)];
}

async function isRun(ws: Workspace, spot: Spot, session: string | undefined): Promise<boolean> {
  const loaded = await surveyState(spot.path).catch((): Loaded => ({ kind: "absent" }));
  const ours = session === undefined ? ownerOf(loaded) === undefined : mayTouch(loaded, session);
  return ours && hasRun(loaded) && belongs(ws, spot.root, loaded);
}

/** Whether a state tells of work that was begun. */
function hasRun(loaded: Loaded): boolean {
  const state = objectOf(loaded);
  if (state === undefined) return false;
  const [iteration, started, phase] = ["iteration", "started_at", "phase"].map((key) => own(state, key));
  if (own(state, "active") === true || (typeof iteration === "number" && iteration > 0)) return true;
  return Boolean(started) || (typeof phase === "string" && phase !== "" && phase !== "init");
}

/** A name as one line of text. */
function printable(path: string): string {
  return path.replace(/\p{Cc}/gu, "?");
}
