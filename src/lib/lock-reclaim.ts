/**
 * Taking away a lock whose owner is gone, so that two waiters can never both do it and the second
 * one throw away the first one's new lock.
 *
 * The right to remove one particular lock file (its "id", see `OwnerFile`) is itself taken by a
 * hard link, `<lock>.reclaim.<id>.<n>`. Whoever makes it looks again whether the lock still has that
 * id, and only then removes it. If the one with the right dies in between, the next number is tried.
 * A late comer wins a right that is worth nothing: the lock no longer has that id.
 */
import { rename, unlink } from "node:fs/promises";
import { type OwnerFile, publishOwnerFile, readOwnerFile } from "./owner-file.js";
import { goneAfterMs } from "./process-owner.js";

const MAX_GENERATIONS = 100;
/**
 * How long a lock that names no owner must lie unchanged. Other programs make the file first and write into it then,
 * and on a busy machine a moment may pass between.
 */
const UNREADABLE_MS = 1_000;

/** What one waiter knows about the lock it waits for. */
export class LockWatch {
  /** Process id of the holder seen last, where the lock says so. */
  holder: number | undefined;
  #seen: { id: string; since: number } | undefined;

  /** `ticket` is the waiter's own owner file, beside the lock. */
  constructor(
    readonly path: string,
    readonly ticket: string,
  ) {}

  /** Looks at the lock; true when it is worth trying to take it again at once. */
  async clearIfDead(): Promise<boolean> {
    const lock = await readOwnerFile(this.path);
    if (lock === undefined) return true;
    this.holder = lock.owner?.pid;
    const needed = lock.owner === undefined ? UNREADABLE_MS : await goneAfterMs(lock.owner);
    if (this.#unchangedMs(lock) < needed) return false;
    return removeLock(this.path, lock.id, this.ticket);
  }

  /** By the file's own time, or by our watching it, whichever is longer: a clock may be wrong. */
  #unchangedMs(lock: OwnerFile): number {
    if (this.#seen?.id !== lock.id) this.#seen = { id: lock.id, since: performance.now() };
    return Math.max(Date.now() - lock.mtimeMs, performance.now() - this.#seen.since);
  }
}

async function removeLock(path: string, id: string, ticket: string): Promise<boolean> {
  const right = await takeRight(`${path}.reclaim.${id}`, ticket);
  if (right === undefined) return false;
  try {
    if ((await readOwnerFile(path))?.id === id) await takeAway(path, id);
    return true;
  } finally {
    await unlink(right).catch(() => {});
  }
}

/** A folder in the lock's place was put there by somebody who wants us to wait for ever; it is moved aside. */
async function takeAway(path: string, id: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EISDIR" || code === "EPERM") await rename(path, `${path}.not-a-lock-${id}`);
    else if (code !== "ENOENT") throw error;
  }
}

/** The name of the right now held, or undefined while a living process has it. */
async function takeRight(prefix: string, ticket: string): Promise<string | undefined> {
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const name = `${prefix}.${generation}`;
    if ((await publishOwnerFile(ticket, name)) !== undefined) return name;
    const other = await readOwnerFile(name);
    if (other?.owner === undefined) return undefined;
    const needed = await goneAfterMs(other.owner);
    if (needed === Infinity || Date.now() - other.mtimeMs < needed) return undefined;
  }
  return undefined;
}
