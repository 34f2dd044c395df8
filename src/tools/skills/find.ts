/**
 * Where skills are: files `*.md` in or below
 *
 *     project   ROOT/.omc/skills, then ROOT/.agents/skills
 *     user      ~/.omc/skills, then CONFIG/skills/omc-learned
 *
 * Such a folder may be a link, of a project only to a place that the caller may name; links in it are not followed.
 * Files nearer to its top come first, then in the order of their paths.
 */
import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { configFolder } from "../../lib/config-folder.js";
import { homeFolder, statedHome } from "../../lib/home-folder.js";
import { isInside } from "../../lib/omc-paths.js";
import { log } from "../../mcp/log.js";
import type { Places } from "./places.js";
import { type Scope, type Skill, skillOf } from "./skill.js";

const MAX_DEPTH = 10;
const MAX_FOLDERS = 1_000;
/** Files looked at in one folder of skills. */
export const MAX_FILES = 2_000;
/** Of each file only this much is read; a head is never as long. */
const HEAD_BYTES = 32 * 1024;

/** The skills of a scope's folders in the order of precedence, and whether a limit left some out. */
export interface Found {
  skills: Skill[];
  /** The folders that were looked for, there or not, as they are shown. */
  searched: string[];
  incomplete: boolean;
}

/** A folder of skills. */
interface Folder {
  /** Where it should be. */
  path: string;
  /** How it is shown: below the project or `~`, with `/`, so that a reader can open what is in it. */
  shown: string;
}

/** A folder that is there, with its real path. */
interface RealFolder extends Folder {
  real: string;
}

export async function findProjectSkills(places: Places): Promise<Found> {
  const folders = projectFolders(places);
  return findIn("project", folders, await realFolders(folders, places.isAllowed));
}

export async function findUserSkills(): Promise<Found> {
  const folders = await userFolders();
  return findIn("user", folders, await realFolders(folders));
}

/** Both, without the user's files that are the project's too, as when the home folder is the project. */
export async function findAllSkills(places: Places): Promise<{ project: Found; user: Found }> {
  const [projects, users] = [projectFolders(places), await userFolders()];
  const real = await realFolders(projects, places.isAllowed);
  const others = (await realFolders(users)).filter((folder) => !real.some((one) => one.real === folder.real));
  return { project: await findIn("project", projects, real), user: await findIn("user", users, others) };
}

function projectFolders({ roots, base }: Places): Folder[] {
  return roots.flatMap((root) =>
    [".omc", ".agents"].map((name) => {
      const path = join(root, name, "skills");
      return { path, shown: slashed(relative(base, path)) };
    }),
  );
}

async function userFolders(): Promise<Folder[]> {
  const home = await homeFolder();
  const config = configFolder();
  const folders = home === undefined ? [] : [{ path: join(home, ".omc", "skills"), shown: "~/.omc/skills" }];
  if (config !== undefined) {
    const path = resolve(config, "skills", "omc-learned");
    folders.push({ path, shown: shownInHome(path, [statedHome(), home]) });
  }
  return folders;
}

function shownInHome(path: string, homes: readonly (string | undefined)[]): string {
  const home = homes.find((folder) => folder !== undefined && isInside(path, folder));
  return slashed(home === undefined ? path : join("~", relative(home, path)));
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** Those that are there, each once. */
async function realFolders(folders: readonly Folder[], isAllowed: (path: string) => boolean = () => true): Promise<RealFolder[]> {
  const found = new Map<string, RealFolder>();
  for (const folder of folders) {
    const real = await realpath(folder.path).catch(() => undefined);
    if (real !== undefined && isAllowed(real) && !found.has(real)) found.set(real, { ...folder, real });
  }
  return [...found.values()];
}

async function findIn(scope: Scope, all: readonly Folder[], folders: readonly RealFolder[]): Promise<Found> {
  const found: Found = { skills: [], searched: all.map(({ shown }) => shown), incomplete: false };
  for (const folder of folders) {
    const { files, incomplete } = await markdownFiles(folder.real);
    found.incomplete ||= incomplete;
    const skills = await inBatches(files, (path) => readSkill(folder, path, scope));
    found.skills.push(...skills.filter((skill) => skill !== undefined));
  }
  return found;
}

/** Paths below the folder, with `/`. */
async function markdownFiles(folder: string): Promise<{ files: string[]; incomplete: boolean }> {
  const files: string[] = [];
  let room = MAX_FOLDERS;
  let level = [""];
  for (let depth = 0; level.length > 0 && depth <= MAX_DEPTH && room > 0 && files.length <= MAX_FILES; depth++) {
    const now = level.slice(0, room);
    room -= level.length;
    const listed = await inBatches(now, async (below) => list(folder, below));
    files.push(...listed.flatMap(({ markdown }) => markdown).sort());
    level = listed.flatMap(({ folders }) => folders).sort();
  }
  return { files: files.slice(0, MAX_FILES), incomplete: level.length > 0 || room < 0 || files.length > MAX_FILES };
}

/** What cannot be read has no skills. */
async function list(folder: string, below: string): Promise<{ markdown: string[]; folders: string[] }> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  const path = (name: string) => (below === "" ? name : `${below}/${name}`);
  return {
    markdown: entries.filter((entry) => entry.isFile() && entry.name.endsWith(".md")).map(({ name }) => path(name)),
    folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => path(name)),
  };
}

async function readSkill({ real, shown }: RealFolder, path: string, scope: Scope): Promise<Skill | undefined> {
  const skill = await readHead(join(real, path)).then(
    (text) => skillOf(text, scope, `${shown}/${path}`),
    (error: NodeJS.ErrnoException) => ({ why: `cannot be read (${error.code ?? error.message})` }),
  );
  if (!("why" in skill)) return skill;
  if (process.env["OMC_DEBUG"] === "1") log(`skills: ${join(real, path)} was left out: ${skill.why}`);
  return undefined;
}

async function readHead(path: string): Promise<string> {
  // Neither through a link nor waiting for the other end of a pipe that took the file's place.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new Error("no regular file");
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
