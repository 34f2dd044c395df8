/**
 * The running language servers, shared by all calls. One starts when it is first needed and ends when nobody used it
 * for a while, or when too many run; a call that uses it keeps it. A server that keeps crashing is left alone a while.
 */
import { onStop } from "../mcp/stop-hooks.js";
import type { HostedServer } from "./hosted-server.js";
import { LspFailure } from "./session.js";
import { idleCheckMs, idleTimeoutMs } from "./settings.js";

/** How many servers may run at once, as long as calls do not need more. */
const MAX_SERVERS = 8;
/** So many failures within `CRASH_WINDOW_MS`, and the server is not started again for `CRASH_PAUSE_MS`. */
const CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;
const CRASH_PAUSE_MS = 30_000;

interface Slot {
  key: string;
  started: Promise<HostedServer>;
  /** Aborted when the server is ended, so that a start does not go on. */
  ending: AbortController;
  /** Calls under way. */
  users: number;
  lastUsed: number;
}

/** Starts a server, or gives up when the signal is aborted, leaving nothing behind. */
export type Start = (ending: AbortSignal) => Promise<HostedServer>;

interface Crashes {
  times: number[];
  why: string;
}

/** What a call does with a server. `replace` takes it out of use: calls that have it go on with it, later ones get a new one. */
type Use<T> = (host: HostedServer, replace: () => void) => Promise<T>;

export class Pool {
  readonly #slots = new Map<string, Slot>();
  readonly #crashes = new Map<string, Crashes>();
  #sweeper: NodeJS.Timeout | undefined;
  #takeBack: (() => void) | undefined;
  /** Servers that are ended when the calls that have them are done. */
  readonly #leaving = new Set<Slot>();
  /** What ends servers that are in no slot any more; `endAll` waits for it. */
  readonly #ends = new Set<Promise<void>>();
  #ending: Promise<void> | undefined;

  /**
   * Calls `use` with the server of that key, which `start` starts when it is not there.
   * @throws {LspFailure} when it cannot be started, or keeps crashing.
   */
  async with<T>(key: string, start: Start, signal: AbortSignal | undefined, use: Use<T>): Promise<T> {
    const slot = this.#slotFor(key, start);
    slot.users++;
    try {
      return await use(await unlessAborted(slot.started, signal), () => this.#replace(slot));
    } finally {
      slot.users--;
      slot.lastUsed = Date.now();
      if (slot.users === 0 && this.#leaving.has(slot)) this.#endSlot(slot);
      this.#endSurplus();
    }
  }

  /** Ends all servers, those that are still starting included, and waits for those that are being ended. */
  async endAll(): Promise<void> {
    this.#ending ??= this.#endAll().finally(() => (this.#ending = undefined));
    return this.#ending;
  }

  async #endAll(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#takeBack?.();
    this.#takeBack = undefined;
    for (const slot of [...this.#slots.values(), ...this.#leaving]) this.#endSlot(slot);
    await Promise.all(this.#ends);
  }

  #slotFor(key: string, start: Start): Slot {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    this.#refuseCrashing(key);
    this.#takeBack ??= onStop("language servers", () => this.endAll());
    this.#sweeper ??= setInterval(() => this.#endIdle(), idleCheckMs()).unref();
    const ending = new AbortController();
    const slot: Slot = { key, ending, started: start(ending.signal), users: 0, lastUsed: Date.now() };
    this.#slots.set(key, slot);
    this.#watch(slot);
    return slot;
  }

  /** Forgets the server when it is gone, so that the next call starts a new one. */
  #watch(slot: Slot): void {
    slot.started.then(
      async ({ server }) => {
        await server.retired;
        if (this.#slots.get(slot.key) !== slot) return;
        this.#count(slot.key, server.gone ?? "it crashed");
        this.#endSlot(slot); // its process may still be ending
      },
      (error: unknown) => {
        if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
        if (!slot.ending.signal.aborted) this.#count(slot.key, (error as Error).message);
      },
    );
  }

  #count(key: string, why: string): void {
    const since = Date.now() - CRASH_WINDOW_MS;
    const times = (this.#crashes.get(key)?.times ?? []).filter((time) => time > since);
    this.#crashes.set(key, { times: [...times, Date.now()], why });
  }

  #refuseCrashing(key: string): void {
    const crashes = this.#crashes.get(key);
    if (crashes === undefined || crashes.times.length < CRASHES) return;
    const left = (crashes.times.at(-1) ?? 0) + CRASH_PAUSE_MS - Date.now();
    if (left <= 0) {
      this.#crashes.delete(key);
      return;
    }
    throw new LspFailure(
      `the language server failed ${crashes.times.length} times within a minute and is not started again for ${Math.ceil(left / 1000)} s; ${crashes.why}`,
    );
  }

  #replace(slot: Slot): void {
    if (this.#slots.get(slot.key) !== slot) return;
    this.#slots.delete(slot.key);
    this.#leaving.add(slot);
  }

  #endIdle(): void {
    const before = Date.now() - idleTimeoutMs();
    for (const slot of this.#slots.values()) {
      if (slot.users === 0 && slot.lastUsed <= before) this.#endSlot(slot);
    }
  }

  #endSurplus(): void {
    const surplus = this.#slots.size - MAX_SERVERS;
    if (surplus <= 0) return;
    const idle = [...this.#slots.values()].filter(({ users }) => users === 0).sort((a, b) => a.lastUsed - b.lastUsed);
    for (const slot of idle.slice(0, surplus)) this.#endSlot(slot);
  }

  #endSlot(slot: Slot): void {
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    this.#leaving.delete(slot);
    const end: Promise<void> = endSlot(slot)
      .catch(() => {}) // it has failed to start, so nothing is left of it
      .finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }
}

async function endSlot(slot: Slot): Promise<void> {
  slot.ending.abort();
  const host = await slot.started;
  await host.server.end();
}

/** The promise's value, or a failure as soon as the call is cancelled; what was started goes on for others. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let aborted = (): void => {};
  const abortion = new Promise<never>((_, reject) => {
    aborted = () => reject(new LspFailure("the call was cancelled"));
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
  });
  try {
    return await Promise.race([promise, abortion]);
  } finally {
    signal.removeEventListener("abort", aborted);
  }
}
