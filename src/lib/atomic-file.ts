/**
 * Whole-file reading and writing: a reader sees the old text or the new one, never half of it, also
 * after a power cut or a kill. A symbolic link in the last place is replaced when writing and refused
 * when reading; the folders above are the business of `contained`.
 */
import { constants } from "node:fs";
import { type FileHandle, link, open, rename, unlink } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { thisProcess } from "./process-owner.js";

export { sweepLeftovers } from "./leftovers.js";

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** A file that exists but is not one we read: a link, a folder, a pipe, or too big. */
export class UnreadableFileError extends Error {
  override name = "UnreadableFileError";
}

/** Whose the new file is, and who may do what with it. */
interface Ownership {
  /** Permission bits; 0600. */
  mode?: number;
  /** This process's own user and group. */
  owner?: { uid: number; gid: number };
}

/**
 * Replaces `path` by a file with this text and these permission bits (0600). The text is on the disk
 * before the name changes. The folder must exist.
 */
export async function writeFileAtomic(path: string, text: string, options: Ownership = {}): Promise<void> {
  const temp = await writeTemp(path, text, options);
  try {
    await renamePatiently(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Makes a file that must not exist yet, whole or not at all. False when something is there already.
 */
export async function createFileAtomic(path: string, text: string): Promise<boolean> {
  const temp = await writeTemp(path, text, {});
  try {
    await link(temp, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(temp).catch(() => {});
  }
  await syncFolder(dirname(path));
  return true;
}

/**
 * The text of a regular file, or undefined when there is none.
 * @throws {UnreadableFileError} for links, other kinds of files, and files over `maxBytes` (64 MiB).
 */
export async function readTextFile(path: string, options: { maxBytes?: number } = {}): Promise<string | undefined> {
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const file = await openRegular(path);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new UnreadableFileError(`'${basename(path)}' is not a regular file and was not read`);
    if (found.size > maxBytes) {
      const size = `${found.size} bytes, over the limit of ${maxBytes}`;
      throw new UnreadableFileError(`'${basename(path)}' has ${size}, and was not read`);
    }
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Writes the text beside its destination, down to the disk, and returns the name. */
async function writeTemp(path: string, text: string, { mode = 0o600, owner }: Ownership): Promise<string> {
  const { pid, processStart = 0, place } = await thisProcess();
  // The name tells whose it is, so that it can be swept once this process is gone.
  const temp = join(dirname(path), `.${basename(path)}.tmp.${pid}-${processStart}-${place}-${randomUUID()}`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = await open(temp, flags, 0o600);
  try {
    await file.writeFile(text, "utf8");
    if (owner !== undefined && isForeign(owner)) await file.chown(owner.uid, owner.gid);
    if (mode !== 0o600) await file.chmod(mode);
    await file.sync();
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  return temp;
}

function isForeign({ uid, gid }: { uid: number; gid: number }): boolean {
  return process.getuid !== undefined && (process.getuid() !== uid || process.getgid?.() !== gid);
}

async function openRegular(path: string): Promise<FileHandle | undefined> {
  // Non-blocking, because opening a pipe would wait for its other end.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    return await open(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP" || code === "EMLINK") {
      throw new UnreadableFileError(`'${basename(path)}' is a symbolic link and was not read`);
    }
    throw error;
  }
}

/** Windows refuses a rename while somebody reads the target; that passes. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const passing = process.platform === "win32" && (code === "EPERM" || code === "EACCES" || code === "EBUSY");
      if (!passing || attempt >= 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 + attempt * 10));
    }
  }
}

/** Best effort: not every system can sync a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  if (folder === undefined) return;
  await folder.sync().catch(() => {});
  await folder.close().catch(() => {});
}
