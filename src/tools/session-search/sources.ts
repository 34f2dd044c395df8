/**
 * The files that are searched:
 *
 *     <configuration>/projects/<folder>/…    transcripts of sessions, and of their agents in folders below
 *     <configuration>/transcripts/…          older transcripts
 *     .omc/sessions/*.json                   what is kept of ended sessions
 *     .omc/state/…/agent-replay-*.jsonl      recorded events
 *
 * The configuration is the user's own (CLAUDE_CONFIG_DIR, else `~/.claude`), so links to files and to the folders named
 * above are followed, each once; links to folders further down are not, since one to `/` would take hours. `.omc` may have come with a repository, so links in it are not.
 */
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { configFolder } from "../../lib/config-folder.js";
import { contained, UnsafePathError } from "../../lib/omc-paths.js";
import { isSessionId } from "../../lib/session-id.js";
import type { Workspace } from "../../lib/workspace.js";
import { mayConcern, type Scope } from "./scope.js";

export type SourceType = "project-transcript" | "legacy-transcript" | "omc-session-summary" | "omc-session-replay";

/** Where records are found, and what is known of them beforehand. */
export interface Source {
  path: string;
  type: SourceType;
  /** The session that the file's name tells. */
  session: string | undefined;
  /** Name of the folder below `projects`. */
  folder: string | undefined;
  /** The project root, where the records do not tell it. */
  root: string | undefined;
  /** Whether it may be reached by links. */
  follow: boolean;
  bytes: number;
  /** Of the last change; in milliseconds since 1970. */
  modified: number;
}

type Place = Omit<Source, "bytes" | "modified">;

const MAX_DEPTH = 12;
const MAX_FILES = 50_000;

export interface Sources {
  /** The last changed first. */
  files: Source[];
  /** Whether there are more files, which were not looked at. */
  isCut: boolean;
}

/** All files of a scope that were changed at that time or later. @param most how many are looked at of transcripts, and of others */
export async function findSources(ws: Workspace, scope: Scope, since: number, signal: AbortSignal, most = MAX_FILES): Promise<Sources> {
  const transcripts = await transcriptPlaces(scope, signal);
  const others = await omcPlaces(ws, transcripts, signal);
  const places = [...transcripts.slice(0, most), ...others.slice(0, most)];
  const seen = new Set<string>();
  const found = await inBatches(places, async (place) => {
    const stats = await (place.follow ? stat : lstat)(place.path).catch(() => undefined);
    if (stats === undefined || !stats.isFile() || stats.mtimeMs < since || isRepeated(seen, stats)) return undefined;
    return { ...place, bytes: stats.size, modified: stats.mtimeMs };
  });
  const files = found.filter((source) => source !== undefined).toSorted((a, b) => b.modified - a.modified);
  return { files, isCut: places.length < transcripts.length + others.length };
}

async function transcriptPlaces(scope: Scope, signal: AbortSignal): Promise<Place[]> {
  const configuration = configFolder();
  if (configuration === undefined) return [];
  const projects = join(configuration, "projects");
  const names = await readdir(projects).catch((): string[] => []);
  const seen = new Set<string>();
  const places: Place[] = [];
  for (const folder of names.filter((name) => mayConcern(scope, name))) {
    for (const parts of await walk(join(projects, folder), true, seen, signal)) {
      places.push({ path: join(projects, folder, ...parts), type: "project-transcript", session: stem(parts[0]), folder, root: undefined, follow: true });
    }
  }
  const older = join(configuration, "transcripts");
  for (const parts of await walk(older, true, seen, signal)) {
    places.push({ path: join(older, ...parts), type: "legacy-transcript", session: stem(parts.at(-1)), folder: undefined, root: undefined, follow: true });
  }
  return places;
}

async function omcPlaces(ws: Workspace, transcripts: readonly Place[], signal: AbortSignal): Promise<Place[]> {
  const sessions = new Set(transcripts.filter(({ type }) => type === "project-transcript").map(({ session }) => session));
  const places: Place[] = [];
  const roots = new Set([ws.omc, ws.sessionsOmc, ws.fallbackOmc].filter((omc) => omc !== undefined));
  for (const omc of roots) {
    // A folder that others use too: only the sessions that have a transcript here are this project's.
    const isOurs = (session: string | undefined) => omc === ws.omc || sessions.has(session);
    const known = { folder: undefined, root: ws.root, follow: false };
    for (const path of await walkOmc(omc, "sessions", signal)) {
      const session = stem(path.at(-1));
      if (isOurs(session)) places.push({ ...known, path: join(omc, ...path), type: "omc-session-summary", session });
    }
    for (const path of await walkOmc(omc, "state", signal)) {
      const session = /^agent-replay-(.+)\.jsonl$/.exec(path.at(-1) ?? "")?.[1];
      if (session !== undefined && isOurs(session)) places.push({ ...known, path: join(omc, ...path), type: "omc-session-replay", session });
    }
  }
  return places;
}

async function walkOmc(omc: string, folder: string, signal: AbortSignal): Promise<string[][]> {
  try {
    const found = await walk(await contained(omc, folder), false, new Set(), signal);
    return found.map((parts) => [folder].concat(parts));
  } catch (error) {
    if (error instanceof UnsafePathError) return [];
    throw error;
  }
}

/** The `.jsonl` and `.json` files below a folder, each as the names that lead to it. What cannot be read is left out. */
async function walk(top: string, follow: boolean, seen: Set<string>, signal: AbortSignal): Promise<string[][]> {
  const files: string[][] = [];
  let level: string[][] = [[]];
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH && files.length <= MAX_FILES; depth++) {
    signal.throwIfAborted();
    const listings = await inBatches(level, async (parts) => {
      const path = join(top, ...parts);
      const stats = await (follow ? stat : lstat)(path).catch(() => undefined);
      if (stats === undefined || !stats.isDirectory() || isRepeated(seen, stats)) return [];
      const entries = await readdir(path, { withFileTypes: true }).catch((): Dirent[] => []);
      return entries.map((entry) => ({ entry, parts: [...parts, entry.name] }));
    });
    const entries = listings.flat();
    for (const { entry, parts } of entries) if (isWanted(entry, follow)) files.push(parts);
    level = entries.filter(({ entry }) => entry.isDirectory()).map(({ parts }) => parts);
  }
  return files;
}

function isWanted(entry: Dirent, follow: boolean): boolean {
  return /\.jsonl?$/.test(entry.name) && (entry.isFile() || (follow && entry.isSymbolicLink()));
}

/** Whether this file or folder was met before, perhaps under another name. */
function isRepeated(seen: Set<string>, { dev, ino }: Stats): boolean {
  const id = `${dev}:${ino}`;
  if (ino !== 0 && seen.has(id)) return true;
  seen.add(id);
  return false;
}

/** The session that the name of a transcript, or of the folder beside it, tells. */
function stem(name: string | undefined): string | undefined {
  const session = name?.replace(/\.jsonl?$/, "");
  return session !== undefined && isSessionId(session) && !session.startsWith("agent-") ? session : undefined;
}
