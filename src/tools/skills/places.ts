/** Which project a call for skills means: folders below the server's own, its repository, or the user's home. */
import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { homeFolder } from "../../lib/home-folder.js";
import { isInside } from "../../lib/omc-paths.js";
import { allowedPath } from "../../lib/tool-paths.js";
import { resolveWorkspace, WorkspaceError } from "../../lib/workspace.js";

/** A project root that must not be used. The message is fit for the caller's eyes. */
export class ProjectRootError extends Error {
  override name = "ProjectRootError";
  constructor(why: string) {
    super(`Invalid project root: ${why}`);
  }
}

export interface Places {
  /** Folders whose skills are the project's, the nearest first. Real paths. */
  roots: string[];
  /** The project's root, below which paths are shown. */
  base: string;
  /** Whether a real path is in a place that a caller may name. */
  isAllowed(path: string): boolean;
}

/**
 * The folder that the caller names, or by default the server's folder and the root of its repository.
 * @throws {ProjectRootError} for a folder that is not there or elsewhere; links are followed before it is judged.
 */
export async function projectPlaces(given: string | undefined): Promise<Places> {
  const cwd = await realpath(process.cwd());
  const [root, home] = await Promise.all([repositoryRoot(), homeFolder()]);
  const allowed = [cwd, root, home].filter((folder) => folder !== undefined);
  // Below the root of a disk is everything, which nobody meant to allow by starting the server there.
  const isAllowed = (path: string) => allowed.some((folder) => (dirname(folder) === folder ? path === folder : isInside(path, folder)));
  if (!given) return { roots: [...new Set([cwd, root ?? cwd])], base: root ?? cwd, isAllowed };
  const named = await namedFolder(given, isAllowed);
  return { roots: [named], base: named, isAllowed };
}

async function namedFolder(given: string, isAllowed: (path: string) => boolean): Promise<string> {
  if (given.split(/[\\/]/).includes("..")) throw new ProjectRootError("path traversal not allowed");
  if (given.includes("\0")) throw new ProjectRootError("a path has no NUL character");
  const real = await allowedPath(given).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return undefined;
  });
  // Of places outside nobody is told whether they are there.
  if (!isAllowed(real ?? resolve(given))) throw new ProjectRootError("path is outside allowed directories");
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (real === undefined || !found?.isDirectory()) throw new ProjectRootError("there is no such folder");
  return real;
}

/** Undefined when git does not know; reading skills is no reason to insist on it. */
async function repositoryRoot(): Promise<string | undefined> {
  try {
    return (await resolveWorkspace()).root;
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}
