/** state_read: the state of one session, or all states of one mode. */
import { basename } from "node:path";
import { inBatches } from "../../lib/batches.js";
import type { Workspace } from "../../lib/workspace.js";
import { fail, type ToolResult } from "../types.js";
import { isActiveAt } from "./activity.js";
import type { Mode } from "./modes.js";
import { belongs, hasEnded, legacySpots, projectRoots, sessionSpot, sessionSpots, type Spot, writePath } from "./places.js";
import { redact } from "./redaction.js";
import { StateError } from "./state-error.js";
import { isObject, type Loaded, mayTouch, objectOf, own, ownerOf, surveyState } from "./state-file.js";
import { jsonBlock } from "./text.js";

interface Found {
  spot: Spot;
  loaded: Loaded;
}

/** The answer for one session. */
export async function readSession(ws: Workspace, mode: Mode, session: string): Promise<string> {
  const expected = await writePath(ws, mode, session);
  const found = await firstFound(await Promise.all(projectRoots(ws).map((root) => sessionSpot(root, mode, session))));
  if (found === undefined || !mayTouch(found.loaded, session)) return nothingFound(ws, mode, session, expected);
  if (found.loaded.kind === "unreadable" && found.loaded.refused !== undefined) throw found.loaded.refused;
  if (found.loaded.kind !== "value" || !isWellFormed(mode, found.loaded.value)) throw corrupt(mode, found.spot.path);
  const shown = redact(mode, found.loaded.value, session);
  return `## State for ${mode} (session: ${session})\n\nPath: ${found.spot.path}\n\n${jsonBlock(shown)}`;
}

/** A team state must be an object; others are shown as they are. */
function isWellFormed(mode: Mode, value: unknown): boolean {
  return mode !== "team" || isObject(value);
}

function corrupt(mode: Mode, path: string): StateError {
  const what = mode === "team" ? "team state is corrupt" : "the state file is corrupt";
  return new StateError(`${what}: ${basename(path)} is not readable as a JSON state; state_clear moves it aside`);
}

async function nothingFound(ws: Workspace, mode: Mode, session: string, expected: string): Promise<string> {
  const lines = [`No state found for mode: ${mode} in session: ${session}`, `Expected path: ${expected}`];
  const orphans = await completedOrphans(ws, mode, session);
  if (orphans.length > 0) {
    lines.push("", `Discovered ${orphans.length} completed-session orphan state file(s) that are still active:`);
    for (const spot of orphans) lines.push(`- session: ${spot.session}`, `  path: ${spot.path}`);
    lines.push(`state_clear with mode "${mode}" and session_id "${session}" removes them.`);
  }
  return lines.join("\n");
}

/** Active states that other sessions, whose end was recorded, left behind. */
export async function completedOrphans(ws: Workspace, mode: Mode, session: string): Promise<Spot[]> {
  const spots = (await Promise.all(projectRoots(ws).map((root) => sessionSpots(root, mode)))).flat();
  const orphaned = await inBatches(spots, async (spot) => spot.session !== session && (await isOrphan(ws, spot)));
  return spots.filter((_, at) => orphaned[at]);
}

/** Whether the file at this spot is active, names its own session as owner, and that session has ended. */
export async function isOrphan(ws: Workspace, spot: Spot, known?: Loaded): Promise<boolean> {
  const loaded = known ?? (await surveyState(spot.path));
  if (spot.session === undefined || own(objectOf(loaded), "active") !== true || ownerOf(loaded) !== spot.session) return false;
  return (await belongs(ws, spot.root, loaded)) && hasEnded(spot.root, spot.session);
}

const AGGREGATE_NOTE = "Note: this is the legacy/aggregate view over all sessions. Pass session_id to read one.";

/** The answer over all sessions. */
export async function readAll(ws: Workspace, mode: Mode): Promise<string | ToolResult> {
  const roots = projectRoots(ws);
  const legacy = await firstFound((await Promise.all(roots.map((root) => legacySpots(root, mode)))).flat(), ws);
  const sessions = await everyFound((await Promise.all(roots.map((root) => sessionSpots(root, mode)))).flat(), ws);
  if (legacy === undefined && sessions.length === 0) {
    const expected = await writePath(ws, mode, undefined);
    const lines = [`No state found for mode: ${mode}`, `Expected legacy path: ${expected}`, "No active sessions found."];
    return [...lines, "", AGGREGATE_NOTE].join("\n");
  }
  const active = await inBatches(sessions, (found) => isActiveAt(ws, mode, found.spot, found.loaded));
  const text = [`## State for ${mode}`, AGGREGATE_NOTE];
  if (legacy !== undefined) text.push(`### Legacy Path (shared)\nPath: ${legacy.spot.path}`, show(mode, legacy));
  text.push(...section("Active", mode, sessions.filter((_, at) => active[at])));
  text.push(...section("Inactive", mode, sessions.filter((_, at) => !active[at])));
  const damaged = [...sessions, ...(legacy ? [legacy] : [])].some((found) => isDamaged(mode, found));
  return mode === "team" && damaged ? fail(text.join("\n\n")) : text.join("\n\n");
}

function section(title: string, mode: Mode, sessions: Found[]): string[] {
  if (sessions.length === 0) return [];
  const parts = [`### ${title} Sessions (${sessions.length})`];
  for (const found of sessions) {
    parts.push(`**Session: ${found.spot.session}**\nPath: ${found.spot.path}`, show(mode, found));
  }
  return parts;
}

function show(mode: Mode, found: Found): string {
  if (isDamaged(mode, found)) return `*Error reading state file*${mode === "team" ? ": team state is corrupt" : ""}`;
  return jsonBlock(redact(mode, (found.loaded as { value: unknown }).value, found.spot.session));
}

function isDamaged(mode: Mode, { loaded }: Found): boolean {
  return loaded.kind !== "value" || !isWellFormed(mode, loaded.value);
}

async function firstFound(spots: Spot[], ws?: Workspace): Promise<Found | undefined> {
  return (await everyFound(spots, ws))[0];
}

/** The files that are there; with `ws`, those of this project only. */
async function everyFound(spots: Spot[], ws?: Workspace): Promise<Found[]> {
  const all = await inBatches(spots, async (spot) => {
    const loaded = await surveyState(spot.path);
    const wanted = loaded.kind !== "absent" && (ws === undefined || (await belongs(ws, spot.root, loaded)));
    return wanted ? { spot, loaded } : undefined;
  });
  return all.filter((found) => found !== undefined);
}
