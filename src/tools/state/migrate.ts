/**
 * state_migrate_non_git: copies the states of one session from the `.omc` that older releases kept in a
 * directory without a repository to where such sessions live now. It never overwrites or deletes.
 */
import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createFileAtomic } from "../../lib/atomic-file.js";
import { askGit } from "../../lib/git-probe.js";
import { cut } from "../../lib/cut.js";
import { homeFolder } from "../../lib/home-folder.js";
import { isSensitive } from "../../lib/omc-location.js";
import { containedDir, isInside } from "../../lib/omc-paths.js";
import { requireSessionId, SessionIdError } from "../../lib/session-id.js";
import { resolveWorkspace } from "../../lib/workspace.js";
import { MAX_BYTES } from "./limits.js";
import { StateError } from "./state-error.js";
import { isObject, ownerOf } from "./state-file.js";

interface Report {
  source: string;
  destination: string;
  copied: string[];
  skipped: string[];
  rejected: string[];
}

function refuse(reason: string): StateError {
  return new StateError(`state_migrate_non_git: ${reason}; nothing was copied`);
}

export async function migrateNonGit(given: string | undefined, sessionId: string): Promise<Report> {
  const session = checkedSession(sessionId);
  const dir = await checkedDirectory(given);
  const { sessionsOmc } = await resolveWorkspace(dir);
  const source = join(dir, ".omc", "state", "sessions", session);
  const destination = join(sessionsOmc, "state", "sessions", session);
  const report: Report = { source, destination, copied: [], skipped: [], rejected: [] };
  const names = await namesIn(dir, session);
  if (names.length === 0 || source === destination) return report;
  for (const name of names) {
    const text = await acceptableText(join(source, name), session);
    if (text === undefined) report.rejected.push(name);
    else if (await createFileAtomic(join(await destinationDir(sessionsOmc, session), name), text)) report.copied.push(name);
    else report.skipped.push(name);
  }
  return report;
}

function checkedSession(sessionId: string): string {
  try {
    return requireSessionId(sessionId);
  } catch (error) {
    throw error instanceof SessionIdError ? refuse(error.message) : error;
  }
}

/** The directory, if it is one whose states may be moved into the home folder's keeping. */
async function checkedDirectory(given: string | undefined): Promise<string> {
  const shown = cut(given || ".");
  const places = [process.cwd(), resolve(given || ".")].map((path) => realpath(path));
  const [cwd, dir] = (await Promise.all(places).catch(() => {
    throw refuse(`'${shown}' is not a folder that can be used`);
  })) as [string, string];
  const home = await homeFolder();
  if (!isInside(dir, cwd)) throw refuse(`'${shown}' is outside the server's working directory '${basename(cwd)}'`);
  if (home === undefined || !isInside(dir, home)) throw refuse(`'${shown}' is outside the home folder`);
  if (await isSensitive(dir, home)) throw refuse(`'${shown}' is the home folder, hidden, temporary or otherwise sensitive`);
  const answer = await askGit(dir);
  if (answer.kind === "failed") throw refuse(`'${shown}': git probe failed and was not used (${answer.why})`);
  if (answer.kind === "repository" || (await hasGitAbove(dir))) throw refuse(`'${shown}' is in a git repository`);
  return dir;
}

async function hasGitAbove(dir: string): Promise<boolean> {
  for (let at = dir; ; at = dirname(at)) {
    if ((await lstat(join(at, ".git")).catch(() => undefined)) !== undefined) return true;
    if (dirname(at) === at) return false;
  }
}

/** JSON files of the session in the old place, sorted; none when a level is missing. */
async function namesIn(dir: string, session: string): Promise<string[]> {
  let at = dir;
  for (const level of [".omc", "state", "sessions", session]) {
    at = join(at, level);
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined) return [];
    if (found.isSymbolicLink()) throw refuse(`'${level}' in the old place is a symbolic link`);
    if (!found.isDirectory()) return [];
  }
  return (await readdir(at)).filter((name) => name.endsWith(".json")).sort();
}

async function destinationDir(omc: string, session: string): Promise<string> {
  const root = await lstat(omc).catch(() => undefined);
  if (root?.isSymbolicLink()) throw refuse("'.omc' in the new place is a symbolic link");
  try {
    return await containedDir(omc, "state", "sessions", session);
  } catch {
    throw refuse("a level of the new place is a symbolic link or cannot be made");
  }
}

/** The text of a regular, small, parseable state that belongs to the session; undefined otherwise. */
async function acceptableText(path: string, session: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_BYTES) return undefined;
    const text = await file.readFile("utf8");
    const value: unknown = JSON.parse(text);
    return isObject(value) && ownerOf({ kind: "value", value }) === session ? text : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
