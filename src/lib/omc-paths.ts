/**
 * Paths below an `.omc` folder. A repository may be cloned from a stranger and may ship links in its
 * `.omc`, so every component below the root is looked at before it is used, and links are refused.
 *
 * The root itself may be a link, because people keep `.omc` elsewhere on purpose: it is accepted
 * when it leads to a folder of the same user that is neither the home folder, nor above it, nor
 * inside a hidden folder (`~/.ssh` and its like) or one of the system's.
 */
import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { homeFolder } from "./home-folder.js";

/** A path that leads, or may lead, out of the `.omc` folder. The message names it relative to the root. */
export class UnsafePathError extends Error {
  override name = "UnsafePathError";
}

/**
 * Joins segments below `omcRoot` and returns the absolute path. The last component need not exist.
 * @throws {UnsafePathError} for `..`, empty or absolute segments, and for any symbolic link on the way, the last
 * component included.
 */
export async function contained(omcRoot: string, ...segments: string[]): Promise<string> {
  const parts = segments.flatMap((segment) => segment.split(/[\\/]/));
  for (const part of parts) {
    if (part === "" || part === "." || part === ".." || part.includes("\0")) {
      throw new UnsafePathError(`'${segments.join("/").replaceAll("\0", "\\0")}' is not a path inside .omc and was not used`);
    }
  }
  await checkRoot(omcRoot);
  let path = omcRoot;
  for (const part of parts) {
    path = join(path, part);
    const found = await lstat(path).catch(missing);
    if (found === undefined) break; // nothing deeper can exist either
    if (found.isSymbolicLink()) {
      throw new UnsafePathError(`'.omc/${relative(omcRoot, path).split(sep).join("/")}' is a symbolic link and was not used`);
    }
  }
  return join(omcRoot, ...parts);
}

/**
 * Makes a folder and those above it, level by level: Node's own way never comes back where a parent exists and says
 * that it does not, as in `/proc`, and gives a wrong reason on a disk that is read-only.
 */
export async function ensureDir(path: string, mode?: number): Promise<void> {
  const above: string[] = [];
  for (let folder = path; (await makeOne(folder, mode)) !== undefined; folder = dirname(folder)) above.push(folder);
  for (const folder of above.toReversed()) {
    const missing = await makeOne(folder, mode);
    if (missing !== undefined) throw missing;
  }
}

/** Returns the error when the folder above is missing. Another process may make the folder at the same time. */
async function makeOne(folder: string, mode: number | undefined): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return error as NodeJS.ErrnoException;
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
  }
  return undefined;
}

/** A folder below `omcRoot`, made if it is not there. Checked before and after. */
export async function containedDir(omcRoot: string, ...segments: string[]): Promise<string> {
  await ensureDir(await contained(omcRoot, ...segments));
  return contained(omcRoot, ...segments);
}

async function checkRoot(omcRoot: string): Promise<void> {
  const found = await lstat(omcRoot).catch(missing);
  if (found === undefined || !found.isSymbolicLink()) return;
  const [target, followed] = await Promise.all([realpath(omcRoot), stat(omcRoot)]).catch(() => {
    throw new UnsafePathError("'.omc' is a symbolic link that leads nowhere and was not used");
  });
  const owned = process.getuid === undefined || followed.uid === process.getuid();
  if (!owned || !followed.isDirectory() || (await isPrivateFolder(target))) {
    throw new UnsafePathError("'.omc' is a symbolic link to a folder that is not meant for it and was not used");
  }
}

/** Folders of the system itself, which belong to the user when that is root. */
const SYSTEM_FOLDERS = ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr"];

async function isPrivateFolder(target: string): Promise<boolean> {
  const home = await homeFolder();
  if (home === undefined ? target === sep : isInside(home, target)) return true;
  if (SYSTEM_FOLDERS.some((folder) => isInside(target, folder))) return true;
  return target.split(sep).some((part) => part.startsWith(".") && part !== ".omc");
}

/** Whether the path is the folder or below it. Both must be absolute and real. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
