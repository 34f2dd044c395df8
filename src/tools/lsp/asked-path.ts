/** The file or folder that a caller names, looked at before any language server is started for it. */
import { open, realpath, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { cut } from "../../lib/cut.js";
import { allowedPath } from "../../lib/tool-paths.js";
import { AskedError } from "./failure.js";
import { MAX_FILE_BYTES } from "./limits.js";

/** A text with a NUL in its beginning is none; in bytes. */
const PROBED_BYTES = 8_192;

/**
 * Real path of a file; a relative one counts from the server's folder.
 * @throws {AskedError} when it is missing, no text file or too large; @throws {RestrictedPathError}
 */
export async function askedFile(file: string): Promise<string> {
  const path = await permitted(file);
  const found = await look(path, `File not found: ${cut(file)}`, file);
  if (found.isDirectory()) throw new AskedError(`'${cut(file)}' is a directory: name a file in it`);
  // Opening a pipe or a device could wait for ever.
  if (!found.isFile()) throw new AskedError(`'${cut(file)}' is not a regular file`);
  if (found.size > MAX_FILE_BYTES) {
    throw new AskedError(`'${cut(file)}' is too large: it has ${found.size} bytes, and language servers are given at most ${MAX_FILE_BYTES}`);
  }
  if (await isBinary(path)) throw new AskedError(`'${cut(file)}' is a binary file`);
  return path;
}

/** Path of a file that may be missing. @throws {AskedError} as `askedFile` when it is there; @throws {RestrictedPathError} */
export async function askedPlace(file: string): Promise<{ path: string; exists: boolean }> {
  const path = await permitted(file);
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? { path, exists: false } : { path: await askedFile(file), exists: true };
}

/** Real path of a directory. @throws {AskedError} @throws {RestrictedPathError} */
export async function askedDirectory(directory: string): Promise<string> {
  const path = await permitted(directory);
  const found = await look(path, `Directory not found: ${cut(directory)}`, directory);
  if (!found.isDirectory()) throw new AskedError(`'${cut(directory)}' is not a directory`);
  return realpath(path);
}

async function permitted(path: string): Promise<string> {
  if (path === "" || path.includes("\0")) throw new AskedError(`'${cut(path.replaceAll("\0", "\\0"))}' is not a path`);
  try {
    return await allowedPath(path);
  } catch (error) {
    throw pathError(error, path) ?? error;
  }
}

async function look(path: string, missing: string, asked: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new AskedError(missing);
    throw pathError(error, asked) ?? error;
  }
}

async function isBinary(path: string): Promise<boolean> {
  let file;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw pathError(error, path) ?? error;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PROBED_BYTES), 0, PROBED_BYTES, 0);
    return buffer.subarray(0, bytesRead).includes(0);
  } finally {
    await file.close();
  }
}

/** Why the system does not let us look there, in words without internals; undefined for another kind of error. */
function pathError(error: unknown, asked: string): AskedError | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ELOOP":
      return new AskedError(`'${cut(asked)}' is a link that leads in a circle`);
    case "ENOTDIR":
      return new AskedError(`File not found: ${cut(asked)}`);
    case "ENAMETOOLONG":
      return new AskedError(`'${cut(asked)}' is too long for a path`);
    case "EACCES":
    case "EPERM":
      return new AskedError(`'${cut(asked)}' may not be read (${(error as NodeJS.ErrnoException).code})`);
    default:
      return undefined;
  }
}
