/** state_clear: ends a mode, for one session or for all. */
import { lstat, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { contained } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import { errorText } from "../error-text.js";
import { fail, ok, type ToolResult } from "../types.js";
import { sweepSignal, writeSignal } from "./cancel-signal.js";
import { type Candidate, discoverForAll, discoverForSession, type Group, isBehindLink } from "./clear-candidates.js";
import type { Mode } from "./modes.js";
import { projectRoots, sessionsOf } from "./places.js";
import { type Loaded, changeStateFile, mayTouch, surveyState } from "./state-file.js";
import { NO_SESSION_WARNING } from "./text.js";

const TEAM_NOTE = "(Native team runtimes and cleanup evidence are not removed by state_clear)";

interface Outcome {
  candidate: Candidate;
  result: "removed" | "set aside" | "kept" | "failed";
  /** Why it failed. */
  reason?: string;
}

/** Clears for one session: what is its own, what it left elsewhere, and what nobody owns. */
export async function clearSession(ws: Workspace, mode: Mode, session: string, signal: AbortSignal): Promise<ToolResult> {
  const nothing = `No state found to clear for mode: ${mode} in session: ${session}`;
  if (await isBehindLink(ws, mode)) return ok(nothing);
  const { candidates, checked } = await discoverForSession(ws, mode, session);
  const outcomes = await clearAll(ws, mode, candidates, signal);
  const cleared = outcomes.filter(({ result }) => result === "removed" || result === "set aside");
  const failed = outcomes.filter(({ result }) => result === "failed");
  const artifacts = failed.length > 0 ? 0 : await removeArtifacts(ws, mode, [session], cleared);
  if (failed.length > 0) {
    const list = failed.map(({ candidate, reason }) => `- ${candidate.spot.path}: ${reason}`).join("\n");
    return fail(`Warning: Some files could not be removed for mode: ${mode} in session: ${session}\n${list}`);
  }
  if (cleared.length === 0 && artifacts === 0) {
    return ok(`${nothing}\n- Checked paths:\n${checked.map((path) => `  - ${path}`).join("\n")}`);
  }
  const details = describe(cleared, artifacts);
  const head = `Successfully cleared state for mode: ${mode} in session: ${session}`;
  return ok([head, ...(details === "" ? [] : [`(${details})`]), ...(mode === "team" ? [TEAM_NOTE] : [])].join(" "));
}

/** Clears for all sessions. */
export async function clearEverywhere(ws: Workspace, mode: Mode, signal: AbortSignal): Promise<ToolResult> {
  const nothing = `No state found to clear for mode: ${mode}`;
  if (await isBehindLink(ws, mode)) return ok(nothing);
  const { candidates, checked } = await discoverForAll(ws, mode);
  const outcomes = await clearAll(ws, mode, candidates, signal);
  const cleared = outcomes.filter(({ result }) => result === "removed" || result === "set aside");
  const failed = outcomes.filter(({ result }) => result === "failed");
  const sessions = [...(await ownSessions(ws)), ...cleared.flatMap(({ candidate }) => candidate.spot.session ?? [])];
  const artifacts = await removeArtifacts(ws, mode, sessions, cleared);
  if (cleared.length + artifacts + failed.length === 0) {
    return ok(`${nothing}\n- Checked paths:\n${checked.map((path) => `  - ${path}`).join("\n")}`);
  }
  const lines = [`Cleared state for mode: ${mode}`, `- Locations cleared: ${cleared.length + artifacts}`];
  const aside = cleared.filter(({ result }) => result === "set aside").length;
  if (aside > 0) lines.push(`- Corrupt files moved aside: ${aside}`);
  if (failed.length > 0) lines.push(`- Errors: ${failed.map(({ candidate, reason }) => `${candidate.spot.path} (${reason})`).join(", ")}`);
  if (mode === "team") lines.push(TEAM_NOTE);
  lines.push(NO_SESSION_WARNING);
  return failed.length > 0 ? fail(lines.join("\n")) : ok(lines.join("\n"));
}

/** Signals first, so that a hook which still sees the state also sees that it is being cancelled. */
async function clearAll(ws: Workspace, mode: Mode, candidates: Candidate[], signal: AbortSignal): Promise<Outcome[]> {
  await announce(ws, mode, candidates);
  return inBatches(candidates, async (candidate): Promise<Outcome> => {
    try {
      return { candidate, result: await clearOne(mode, candidate, signal) };
    } catch (error) {
      return { candidate, result: "failed", reason: errorText(error) };
    }
  });
}

/** Puts a signal beside each candidate; never where the sessions of all other projects would find it too. */
async function announce(ws: Workspace, mode: Mode, candidates: Candidate[]): Promise<void> {
  const byFolder = new Map<string, Loaded>();
  for (const { spot, loaded } of candidates) {
    const omc = spot.root.kind === "home" ? ws.omc : spot.root.omc;
    const dir = spot.session === undefined ? join(omc, "state") : dirname(spot.path);
    if (!byFolder.has(dir)) byFolder.set(dir, loaded);
  }
  for (const [dir, loaded] of byFolder) {
    if (!(await isFolder(dir))) continue;
    await sweepSignal(dir);
    await writeSignal(dir, mode, loaded).catch(() => {}); // the clearing matters more than its announcement
  }
}

function clearOne(mode: Mode, { spot, isDue }: Candidate, signal: AbortSignal): Promise<Outcome["result"]> {
  return changeStateFile(spot.path, mode, signal, async () => {
    const now = await surveyState(spot.path);
    if (now.kind === "absent") return "removed";
    if (!(await isDue(now))) return "kept";
    if (now.kind === "value") return unlink(spot.path).then(() => "removed" as const);
    const stamp = new Date().toISOString().replace(/[:.]/g, "-");
    await rename(spot.path, join(dirname(spot.path), `${basename(spot.path)}.corrupt-${stamp}`));
    return "set aside";
  });
}

/** Small files that hooks keep beside a mode's state and that mean nothing without it. */
async function removeArtifacts(ws: Workspace, mode: Mode, sessions: string[], cleared: Outcome[]): Promise<number> {
  const proven = new Set(cleared.map(({ candidate }) => candidate.spot.session));
  const scopes = new Set([undefined, ...sessions].filter((scope) => mode !== "team" || proven.has(scope)));
  const places = projectRoots(ws).flatMap(({ omc }) => [...scopes].map((scope) => ({ omc, scope })));
  const counts = await inBatches(places, ({ omc, scope }) => removeScopeArtifacts(omc, mode, scope, sessions));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function removeScopeArtifacts(omc: string, mode: Mode, scope: string | undefined, sessions: string[]): Promise<number> {
  const dir = await contained(omc, ...(scope === undefined ? ["state"] : ["state", "sessions", scope]));
  const names = [`${mode}-stop-breaker.json`, `${mode}-last-steer-at`, `${mode}-continue-steer.lock`];
  let removed = 0;
  for (const name of names) if (await remove(join(dir, name))) removed++;
  if (mode !== "ralph") return removed;
  const marker = join(dir, scope === undefined ? "ralph-verification.json" : "ralph-verification-state.json");
  const loaded = await surveyState(marker);
  const ours = scope !== undefined || sessions.length !== 1 || mayTouch(loaded, sessions[0] as string);
  return ours && (await remove(marker)) ? removed + 1 : removed;
}

/** Sessions of the roots in which everything is this project's. */
async function ownSessions(ws: Workspace): Promise<string[]> {
  const roots = projectRoots(ws).filter((root) => root.kind === "own");
  return (await Promise.all(roots.map(sessionsOf))).flat();
}

async function remove(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

const PHRASES: [Group, (count: number) => string][] = [
  ["legacy", () => "ghost legacy file also removed"],
  ["recovered", (count) => `removed ${count} recovered session file${plural(count)}`],
  ["orphan", (count) => `removed ${count} completed-session orphan file${plural(count)}`],
  ["local", (count) => `removed ${count} workingDirectory-local state file${plural(count)}`],
  ["converged", (count) => `removed ${count} converged state file${plural(count)}`],
];

function describe(cleared: Outcome[], artifacts: number): string {
  const parts = PHRASES.flatMap(([group, phrase]) => {
    const count = cleared.filter(({ candidate }) => candidate.group === group).length;
    return count === 0 ? [] : [phrase(count)];
  });
  if (artifacts > 0) parts.push(`removed ${artifacts} runtime artifact${plural(artifacts)}`);
  const aside = cleared.filter(({ result }) => result === "set aside").length;
  if (aside > 0) parts.push(`moved ${aside} corrupt state file${plural(aside)} aside`);
  return parts.join(", ");
}

function plural(count: number): string {
  return count === 1 ? "" : "s";
}
