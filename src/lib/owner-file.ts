/** Small JSON files that say which process made them: locks, claims, tickets. Whoever wrote them, reading is lenient. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, lstat, open } from "node:fs/promises";
import type { Owner } from "./process-owner.js";

const MAX_BYTES = 16 * 1024;

export interface OwnerFile {
  /** Tells this file from any other that takes its name: inode numbers are used again at once, so time and text count too. */
  id: string;
  mtimeMs: number;
  /** Undefined when the file is empty, torn, a link or otherwise says nothing. */
  owner: Owner | undefined;
}

/** Reads one; undefined when there is none. */
export async function readOwnerFile(path: string): Promise<OwnerFile | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  let file;
  try {
    file = await open(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return describeUnopened(path);
  }
  try {
    const found = await file.stat({ bigint: true });
    const text = found.isFile() && found.size <= MAX_BYTES ? await file.readFile("utf8") : "";
    return { id: identity(found, text), mtimeMs: Number(found.mtimeNs / 1_000_000n), owner: parseOwner(text) };
  } catch {
    return undefined; // vanished or changed while being read: the caller looks again
  } finally {
    await file.close();
  }
}

async function describeUnopened(path: string): Promise<OwnerFile | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  return found && { id: identity(found, ""), mtimeMs: Number(found.mtimeNs / 1_000_000n), owner: undefined };
}

function identity(found: { ino: bigint; mtimeNs: bigint }, text: string): string {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return `${found.ino}-${found.mtimeNs}-${digest}`;
}

function parseOwner(text: string): Owner | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof body !== "object" || body === null) return undefined;
  const { pid, processStart, processStartTime, process_started_at: started, place } = body as Record<string, unknown>;
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined;
  const counted = typeof processStartTime === "number" ? String(processStartTime) : undefined;
  const start = processStart ?? counted ?? (typeof started === "string" ? started.replace(/^linux:/, "") : undefined);
  return {
    pid: pid as number,
    processStart: typeof start === "string" ? start : undefined,
    place: typeof place === "string" ? place : undefined,
  };
}

/** Where a file system has no hard links, an exclusive copy must do, which others may see half-written. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Gives an owner file a second name, which must be free, and returns the id of what has that name then.
 * Undefined when the name is taken.
 */
export async function publishOwnerFile(ticket: string, path: string): Promise<string | undefined> {
  let published = ticket; // a link has the id of its ticket, whatever others do to the name meanwhile
  try {
    await link(ticket, path).catch((error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.has(error.code ?? "")) throw error;
      published = path;
      return copyFile(ticket, path, constants.COPYFILE_EXCL);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
  return (await readOwnerFile(published))?.id ?? "";
}
