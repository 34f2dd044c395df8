/**
 * Which records a search is about. A record of a transcript tells in which folder the session was at that moment
 * (`cwd`); it belongs to the project if that folder lies in one of the project's roots. The names of the folders that
 * transcripts are in only say where to look: they are paths with every other character replaced, so different paths
 * may have one name.
 */
import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { askGit, primaryRoot } from "../../lib/git-probe.js";
import { isInside } from "../../lib/omc-paths.js";
import type { Workspace } from "../../lib/workspace.js";
import { fold } from "./folding.js";

export type Scope =
  | { mode: "current"; roots: string[] }
  | { mode: "project"; roots: string[]; part: string }
  | { mode: "all"; roots: string[] };

/** Longer names of transcript folders are cut and get a suffix. */
const MAX_FOLDER_NAME = 200;

/** The scope that the argument `project` means. */
export async function makeScope(ws: Workspace, workingDirectory: string | undefined, project: string | undefined): Promise<Scope> {
  const roots = await rootsOf(ws, workingDirectory);
  if (project === undefined || project === "" || project === "current") return { mode: "current", roots };
  return project === "all" ? { mode: "all", roots } : { mode: "project", roots, part: fold(project) };
}

/** The paths under which the project is known: its root, names of it through links, and the repository it is a worktree of. */
async function rootsOf(ws: Workspace, workingDirectory: string | undefined): Promise<string[]> {
  const roots = [ws.root];
  if (workingDirectory) roots.push(resolve(workingDirectory));
  const alias = ws.root === ws.trustedRoot ? await logicalRoot(ws.root) : undefined;
  if (alias !== undefined) roots.push(alias);
  const worktrees = `${sep}${join(".claude", "worktrees")}${sep}`;
  const above = ws.root.lastIndexOf(worktrees);
  if (above > 0) roots.push(ws.root.slice(0, above));
  const answer = ws.isGit ? await askGit(ws.root) : undefined;
  if (answer?.kind === "repository") roots.push(primaryRoot(answer));
  return [...new Set(roots)].filter((root) => dirname(root) !== root);
}

/** The root as the shell calls it that the server was started from, when a link leads there. */
async function logicalRoot(root: string): Promise<string | undefined> {
  const logical = process.env["PWD"];
  const real = process.cwd();
  if (logical === undefined || (await realpath(logical).catch(() => undefined)) !== real) return undefined;
  const below = relative(root, real);
  if (below === "") return logical;
  return logical.endsWith(sep + below) ? logical.slice(0, -below.length - 1) : undefined;
}

/** The name of the folder that has the transcripts of sessions started in this folder. */
export function transcriptFolder(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, "-");
}

/** Whether transcripts in a folder of this name may be about the scope. */
export function mayConcern(scope: Scope, folder: string): boolean {
  if (scope.mode !== "current") return true;
  return scope.roots.some((root) => {
    const name = transcriptFolder(root);
    if (name.length > MAX_FOLDER_NAME) return folder.startsWith(name.slice(0, MAX_FOLDER_NAME));
    return folder === name || folder.startsWith(`${name}-`);
  });
}

/**
 * Whether a record belongs to the scope.
 * @param cwd the folder that it names
 * @param folder name of the folder of transcripts that it is in; only asked when it names no folder
 */
export function concerns(scope: Scope, cwd: string | undefined, folder: string | undefined): boolean {
  if (scope.mode === "all") return true;
  if (scope.mode === "current") {
    if (cwd !== undefined) return scope.roots.some((root) => isInside(cwd, root));
    return scope.roots.some((root) => folder === transcriptFolder(root));
  }
  if (cwd !== undefined) return fold(cwd).includes(scope.part);
  return folder !== undefined && folder.toLowerCase().includes(transcriptFolder(scope.part).toLowerCase());
}
