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
import { join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { configFolder } from "../../lib/config-folder.js";
import { homeFolder } from "../../lib/home-folder.js";
import { log } from "../../mcp/log.js";
import type { Places } from "./places.js";
import { type Scope, type Skill, skillOf } from "./skill.js";

const MAX_DEPTH = 10;
const MAX_FOLDERS = 1_000;
/** Files looked at in one folder of skills. */
export const MAX_FILES = 2_000;
/** Of each file only this much is read; a head is never as long. */
const HEAD_BYTES = 32 * 1024;

/** The skills of both scopes' folders in the order of precedence, and whether a limit left some out. */
export interface Found {
  skills: Skill[];
  incomplete: boolean;
}

export async function findProjectSkills(places: Places): Promise<Found> {
  return findIn("project", await projectFolders(places));
}

export async function findUserSkills(): Promise<Found> {
  return findIn("user", await userFolders());
}

/** Both, without the user's files that are the project's too, as when the home folder is the project. */
export async function findAllSkills(places: Places): Promise<{ project: Found; user: Found }> {
  const [projects, users] = await Promise.all([projectFolders(places), userFolders()]);
  const project = await findIn("project", projects);
  return { project, user: await findIn("user", users.filter((folder) => !projects.includes(folder))) };
}

async function projectFolders({ roots, isAllowed }: Places): Promise<string[]> {
  return realFolders(roots.flatMap((root) => [join(root, ".omc", "skills"), join(root, ".agents", "skills")]), isAllowed);
}

async function userFolders(): Promise<string[]> {
  const home = await homeFolder();
  const config = configFolder();
  const folders = home === undefined ? [] : [join(home, ".omc", "skills")];
  if (config !== undefined) folders.push(join(config, "skills", "omc-learned"));
  return realFolders(folders, () => true);
}

/** The real paths of those that are there, each once. */
async function realFolders(folders: string[], isAllowed: (path: string) => boolean): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  return [...new Set(real)].filter((folder) => folder !== undefined).filter(isAllowed);
}

async function findIn(scope: Scope, folders: string[]): Promise<Found> {
  const found: Found = { skills: [], incomplete: false };
  for (const folder of folders) {
    const { files, incomplete } = await markdownFiles(folder);
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

async function readSkill(folder: string, path: string, scope: Scope): Promise<Skill | undefined> {
  const skill = await readHead(join(folder, path)).then(
    (text) => skillOf(text, scope, path),
    (error: NodeJS.ErrnoException) => ({ why: `cannot be read (${error.code ?? error.message})` }),
  );
  if (!("why" in skill)) return skill;
  if (process.env["OMC_DEBUG"] === "1") log(`skills: ${join(folder, path)} was left out: ${skill.why}`);
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
