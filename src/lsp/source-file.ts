/** A file of the workspace as it is on the disk now. */
import { open, realpath, type FileHandle } from "node:fs/promises";
import { constants } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { cut } from "../lib/cut.js";
import { LspFailure } from "./session.js";

/** Largest file that is given to a language server, in bytes. */
export const MAX_SOURCE_BYTES = 16 * 1024 * 1024;

/** Text and the stamp that tells a changed file from an unchanged one without reading it. */
export interface SourceFile {
  text: string;
  stamp: string;
}

/** Reads a file as UTF-8; a byte order mark is left out. @throws {LspFailure} naming the file as `shown`. */
export async function readSource(path: string, shown = path): Promise<SourceFile> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe must not be waited for
  } catch (error) {
    throw unreadable(error, shown);
  }
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new LspFailure(`${cut(shown)} is a folder; name a file in it`);
    if (!found.isFile()) throw new LspFailure(`${cut(shown)} is no regular file and was not read`);
    if (found.size > MAX_SOURCE_BYTES) {
      throw new LspFailure(`${cut(shown)} has ${found.size} bytes; files of up to ${MAX_SOURCE_BYTES} are given to a language server`);
    }
    const text = (await handle.readFile("utf8")).replace(/^\uFEFF/, "");
    return { text, stamp: stampOf(found) };
  } catch (error) {
    throw error instanceof LspFailure ? error : unreadable(error, shown);
  } finally {
    await handle.close();
  }
}

/** What changes when a file is written. */
export function stampOf(found: { mtimeMs: number; ctimeMs: number; size: number; ino: number }): string {
  return `${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`;
}

/**
 * The real path of what a caller calls `file`, counted from the server's working directory.
 * @throws {LspFailure} when it is not there, unless `mustExist` is false.
 */
export async function realFile(file: string, mustExist: boolean): Promise<string> {
  const path = resolve(file);
  if (path.includes("\0")) throw new LspFailure(`File not found: ${cut(file.replaceAll("\0", "\\0"))}`);
  try {
    return await realpath(path);
  } catch (error) {
    if (mustExist) throw unreadable(error, file);
  }
  // The nearest folder that is there decides what the rest would be.
  const missing: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await realpath(folder).catch(() => undefined);
    if (found !== undefined) return join(found, ...missing);
    if (dirname(folder) === folder) return path;
    missing.unshift(basename(folder));
  }
}

function unreadable(error: unknown, shown: string): LspFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return new LspFailure(`File not found: ${cut(shown)}`);
  if (code === "EACCES" || code === "EPERM") return new LspFailure(`${cut(shown)} may not be read by this user`);
  return new LspFailure(`${cut(shown)} cannot be read: ${code ?? "unknown error"}`);
}
