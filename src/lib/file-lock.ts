/**
 * Locks between processes, by files whose names and bodies oh-my-claudecode 5.5.0 also uses, so that
 * both may work on one repository at once.
 *
 * A lock is published whole by hard-linking a ticket, so it is never seen half-written. Calls of this
 * process queue in memory first; only the front of the queue looks at the disk. Waiting never blocks
 * the event loop. A lock whose owner is gone is taken away by exactly one waiter (`lock-reclaim.ts`).
 * Not re-entrant: taking a lock inside its own `fn` waits for itself until the time is up.
 */
import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sweepLeftovers } from "./leftovers.js";
import { LockWatch } from "./lock-reclaim.js";
import { enterQueue } from "./lock-queue.js";
import { ensureDir } from "./omc-paths.js";
import { publishOwnerFile, readOwnerFile } from "./owner-file.js";
import { goneAfterMs, thisProcess } from "./process-owner.js";

/**
 * Which lock file guards the file:
 * - `simple`: `<file>.lock`, for notepad, project memory and shared memory;
 * - `mutation`: `<file>.mutation.lock`, for state files;
 * - `team`: `<file>.team-state.lock`, outside the mutation lock, for the team state;
 * - `session`: `<file>.lock` with other fields, for sessions of Python.
 */
export type LockProtocol = "simple" | "mutation" | "team" | "session";

export interface LockOptions {
  /** The longest time to wait for other processes, in milliseconds. Waiting for calls of this one does not count. */
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Default `simple`. */
  protocol?: LockProtocol | undefined;
}

/** The lock was not had in time. Nothing was done. The message names the file without its folder. */
export class LockTimeoutError extends Error {
  override name = "LockTimeoutError";
  constructor(file: string, waitMs: number, holder: number | undefined) {
    const who = holder === undefined ? "another process" : `process ${holder}`;
    super(`'${basename(file)}' is still locked by ${who} after ${waitMs} ms; nothing was changed, try again`);
  }
}

/** For how long in all a lock is given back while an emergency recovery of the other program is at work. */
const COURTESY_MS = 300;
const SUFFIX: Record<LockProtocol, string> = {
  simple: ".lock",
  mutation: ".mutation.lock",
  team: ".team-state.lock",
  session: ".lock",
};

interface Held {
  path: string;
  /** See `OwnerFile`. */
  id: string;
}

/**
 * Runs `fn` while holding the lock of `file`, sweeps what dead processes left beside the file, and
 * returns what `fn` returned. The folder of the file is made if it is not there.
 * @throws {LockTimeoutError} when the lock is not had within `waitMs`; the signal's reason when aborted.
 */
export async function withFileLock<T>(file: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  const path = file + SUFFIX[options.protocol ?? "simple"];
  const timedOut = (holder?: number) => new LockTimeoutError(file, options.waitMs, holder);
  const turn = await enterQueue(path, options.waitMs, options.signal, timedOut);
  let had = false;
  try {
    const held = await acquire(file, path, turn.since + options.waitMs, options, timedOut);
    had = true;
    const sweeping = sweepLeftovers(dirname(file), basename(file));
    try {
      return await fn();
    } finally {
      await sweeping;
      await release(held);
    }
  } finally {
    turn.leave(had);
  }
}

async function acquire(
  file: string,
  path: string,
  deadline: number,
  options: LockOptions,
  timedOut: (holder?: number) => LockTimeoutError,
): Promise<Held> {
  const ticket = await makeTicket(path, options.protocol ?? "simple");
  const watch = new LockWatch(path, ticket);
  let courtesyEnds = Infinity;
  try {
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted();
      const id = await publishOwnerFile(ticket, path);
      if (id !== undefined) {
        const held = { path, id };
        if (options.protocol !== "mutation" || performance.now() > courtesyEnds) return held;
        if (!(await recoveryAtWork(file))) return held;
        courtesyEnds = Math.min(courtesyEnds, performance.now() + COURTESY_MS);
        await release(held);
      } else if ((await watch.clearIfDead()) && performance.now() < deadline) {
        continue;
      }
      if (performance.now() >= deadline) throw timedOut(watch.holder);
      await pause(attempt, deadline, options.signal);
    }
  } finally {
    await unlink(ticket).catch(() => {});
  }
}

/** Between 2 ms and 25 ms, longer the longer we wait, never in step with others. */
async function pause(attempt: number, deadline: number, signal: AbortSignal | undefined): Promise<void> {
  const most = Math.min(25, 6 + attempt * 2);
  const left = Math.max(1, deadline - performance.now());
  await sleep(Math.min(left, 2 + Math.random() * most), undefined, signal && { signal });
}

async function makeTicket(path: string, protocol: LockProtocol): Promise<string> {
  const nonce = randomUUID();
  const { place } = await thisProcess();
  // In the name too, because the ticket of a process that dies now is empty.
  const ticket = `${path}.${process.pid}.${place}-${nonce}.tmp`;
  const body = JSON.stringify(await lockBody(protocol, nonce));
  try {
    await writeNew(ticket, body);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await ensureDir(dirname(path));
    await writeNew(ticket, body);
  }
  return ticket;
}

/** Writes a file that is not there yet; none stays when the disk is full. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
  } catch (error) {
    await unlink(path).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/** The fields the other program reads, and `place`, which it does not mind. */
async function lockBody(protocol: LockProtocol, nonce: string): Promise<object> {
  const { pid, processStart = "", place } = await thisProcess();
  switch (protocol) {
    case "simple":
      return { pid, timestamp: Date.now(), processStart, nonce, place };
    case "mutation":
      return { version: 1, pid, processStart, createdAt: new Date().toISOString(), nonce, place };
    case "team": {
      const started = `linux:${processStart}`;
      return { schema_version: 1, pid, process_started_at: started, nonce, created_at: new Date().toISOString(), place };
    }
    case "session": {
      const processStartTime = Number(processStart) || undefined;
      const acquiredAt = new Date().toISOString();
      return { lockId: nonce, pid, processStartTime, hostname: hostname(), acquiredAt, processStart, place };
    }
  }
}

/** Takes our lock away, and only ours: if it was judged dead and replaced, the new one stays. */
async function release(held: Held): Promise<void> {
  const found = await readOwnerFile(held.path);
  if (found?.id === held.id) await unlink(held.path).catch(() => {});
}

/** Whether a living process of the other program has a recovery claim on this state file. */
async function recoveryAtWork(file: string): Promise<boolean> {
  const claim = await readOwnerFile(`${file}.emergency-recovery.claim`);
  return claim?.owner !== undefined && (await goneAfterMs(claim.owner)) === Infinity;
}
