/**
 * What a killed process leaves beside a file: temporary files, rollback links, lock tickets and
 * recovery claims, ours and those of oh-my-claudecode. All are named after the file, most also after
 * their maker, so the next one who writes the file under its lock can take away what is dead.
 *
 * A process id in a name says nothing about the machine or container it was given in. Where the file
 * itself tells that, it is asked; a ticket of somebody who waits elsewhere must not be taken away.
 */
import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readOwnerFile } from "./owner-file.js";
import { goneAfterMs, isRunning, type Owner, PLACE } from "./process-owner.js";

/** A leftover that does not tell its maker, or not where that ran, must have been lying still for this long. */
const QUIET_MS = 1_000;
/**
 * What lies beside another file than the one whose lock is held may be in use; not after this time. A folder is
 * searched for it no more often either, since many calls at once would all look at each other's files.
 */
const STRAY_MS = 60_000;
const MAX_FOLDERS = 256;

/** Folder → when it was last searched for strays, as of `performance.now()`. */
const searched = new Map<string, number>();

/**
 * How to tell whether a file is a leftover: by the maker in its name alone, by what it says of itself and
 * then by its name, or by its age.
 */
interface Kind {
  pattern: RegExp;
  judge: "name" | "body" | "age";
}

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
/** Ours tell where their maker runs. */
const OURS = `(${PLACE})-${UUID}`;
const LOCK = "(?:mutation\\.|team-state\\.)?lock";
const CLAIM = "emergency-recovery\\.claim";

/** Of temporary files. Matched behind `.<base>.tmp.`. In all patterns the groups are the maker's pid, start and place. */
const TEMPS: Kind[] = [
  { pattern: new RegExp(`^(\\d+)-(\\d+)-${OURS}$`), judge: "name" },
  { pattern: /^/, judge: "age" },
];

/** Of everything else. Matched behind `<base>.`. */
const COMPANIONS: Kind[] = [
  { pattern: new RegExp(`^${LOCK}\\.(\\d+)()\\.${OURS}\\.tmp$`), judge: "name" },
  { pattern: new RegExp(`^${LOCK}\\.(\\d+)\\.[0-9a-fA-F-]+\\.tmp$`), judge: "body" },
  { pattern: new RegExp(`^${LOCK}\\.reclaim\\.[\\da-f-]+\\.\\d+$`), judge: "body" },
  { pattern: new RegExp(`^${CLAIM}\\.(\\d+)\\.([^.]+)\\.${UUID}\\.tmp$`), judge: "body" },
  { pattern: new RegExp(`^${CLAIM}\\.recovery\\.guard\\.(\\d+)\\.[0-9a-fA-F-]+\\.tmp$`), judge: "body" },
  { pattern: new RegExp(`^${CLAIM}(?:\\.recovery\\.guard)?$`), judge: "body" },
  { pattern: /^tmp\.(\d+)\.\d+$/, judge: "body" },
  { pattern: new RegExp(`^rollback\\.${UUID}$`), judge: "age" },
];

/** Ours beside any file: a temporary one, and the ticket of somebody who waited for a lock. Matched against the name. */
const STRAYS: Kind[] = [
  { pattern: new RegExp(`^\\..+\\.tmp\\.(\\d+)-(\\d+)-${OURS}$`), judge: "name" },
  { pattern: new RegExp(`^[^.].*\\.${LOCK}\\.(\\d+)()\\.${OURS}\\.tmp$`), judge: "name" },
];

interface Suspect {
  judge: Kind["judge"];
  /** The maker by the file's name. */
  maker: Owner | undefined;
  /** How long the file must have been lying still in any case. */
  leastMs: number;
}

/**
 * Removes what dead processes left beside `base` in `dir`. Call it while holding the file's lock, as
 * `withFileLock` does: then no living process of this user is between two steps of a write.
 * What they left beside other files goes too, once it is old.
 * Never throws; what cannot be removed stays.
 */
export async function sweepLeftovers(dir: string, base: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  const alsoStrays = isSearchDue(dir);
  await Promise.all(
    names.map(async (name) => {
      const suspect = suspectOf(name, base) ?? (alsoStrays ? firstMatch(STRAYS, name, STRAY_MS) : undefined);
      if (suspect === undefined) return;
      const path = join(dir, name);
      if (await isDead(path, suspect).catch(() => false)) await unlink(path).catch(() => {});
    }),
  );
}

function isSearchDue(dir: string): boolean {
  const now = performance.now();
  if (now - (searched.get(dir) ?? -Infinity) < STRAY_MS) return false;
  if (searched.size >= MAX_FOLDERS) searched.clear();
  searched.set(dir, now);
  return true;
}

/** What a file named after `base` is suspected of; undefined when it is none of our business. */
function suspectOf(name: string, base: string): Suspect | undefined {
  const hidden = `.${base}.tmp.`;
  if (name.startsWith(hidden)) return firstMatch(TEMPS, name.slice(hidden.length), 0);
  if (name.startsWith(`${base}.`)) return firstMatch(COMPANIONS, name.slice(base.length + 1), 0);
  return undefined;
}

function firstMatch(kinds: Kind[], text: string, leastMs: number): Suspect | undefined {
  for (const { pattern, judge } of kinds) {
    const found = pattern.exec(text);
    if (found !== null) return { judge, maker: makerIn(found), leastMs };
  }
  return undefined;
}

function makerIn([, pid, start, place]: RegExpExecArray): Owner | undefined {
  return pid === undefined ? undefined : { pid: Number(pid), processStart: start === "0" ? undefined : start || undefined, place };
}

async function isDead(path: string, { judge, maker, leastMs }: Suspect): Promise<boolean> {
  if (leastMs > 0 && (await stillForMs(path, judge)) < leastMs) return false;
  const restMs = await restNeeded(path, judge, maker);
  return restMs === 0 || (await stillForMs(path, judge)) >= restMs;
}

async function stillForMs(path: string, judge: Kind["judge"]): Promise<number> {
  const found = await lstat(path);
  // A rollback link shares the times of the file it keeps; only the change of its link count is new.
  const since = judge === "age" ? Math.max(found.mtimeMs, found.ctimeMs) : found.mtimeMs;
  return Math.max(0, Date.now() - since);
}

/** How long the file must have been lying still; Infinity while its maker lives. */
async function restNeeded(path: string, judge: Kind["judge"], maker: Owner | undefined): Promise<number> {
  if (judge === "age") return QUIET_MS;
  const owner = judge === "body" ? (await readOwnerFile(path))?.owner : maker;
  if (owner !== undefined) return goneAfterMs(owner);
  return maker !== undefined && (await isRunning(maker)) ? Infinity : QUIET_MS;
}
