/**
 * Ending, whoever asks for it: SIGINT (how the client closes), SIGTERM, the end of stdin, an IPC disconnect, or a
 * parent that is gone, which is noticed by the parent's process id changing. It happens once: calls under way get a
 * moment, then they are aborted, the families' stop hooks run, the connection closes, and the process exits with 0.
 * If that takes longer than five seconds the process exits with 1.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Calls } from "./calls.js";
import { log } from "./log.js";
import { runStopHooks } from "./stop-hooks.js";

/** How long calls may still take before they are aborted, in milliseconds. */
const GRACE_MS = 500;
/** How long the last answers may take to be read. */
const FLUSH_MS = 1_000;
const DEADLINE_MS = 5_000;
const PARENT_POLL_MS = 1_000;

/** What is to be ended. */
export interface Running {
  calls: Calls;
  /** Closes the connection and aborts what still runs. */
  close(): Promise<void>;
  /** Resolves when all that was written has left the process. */
  flush(): Promise<void>;
}

/** Watches for reasons to stop from now on. The returned function stops for a reason of the caller's. */
export function stopWhenTold(running: Running): (reason: string, exitCode?: number) => void {
  let stopping = false;
  const stop = (reason: string, exitCode = 0): void => {
    if (stopping) return;
    stopping = true;
    log(`OMC MCP Server: received ${reason}, disconnecting...`);
    void setTimeout(DEADLINE_MS).then(() => process.exit(1));
    void end(running).finally(() => process.exit(exitCode));
  };
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGTERM", () => stop("SIGTERM"));
  // A terminal that is closed: the client decides what that means, and stdin ends if it goes. The default would be to
  // die at once, with nothing ended.
  process.on("SIGHUP", () => {});
  process.on("disconnect", () => stop("parent disconnect"));
  process.stdin.on("end", () => stop("stdin end"));
  process.stdin.on("close", () => stop("stdin close"));
  watchParent(stop);
  return stop;
}

async function end({ calls, close, flush }: Running): Promise<void> {
  // What was read in the same moment is still on its way to a handler.
  await setImmediate();
  await calls.settle(GRACE_MS);
  await setImmediate(); // answers are written after their call has ended
  await Promise.allSettled([atMost(FLUSH_MS, flush()).then(close), runStopHooks()]);
}

/** Waits for `work`, but not for ever: a client that has gone without closing its end never reads. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const given = new AbortController();
  const patience = setTimeout(milliseconds, undefined, { signal: given.signal }).catch(() => {});
  await Promise.race([work, patience]);
  given.abort();
}

/** A process whose parent died gets another one. Where the parent was init from the start there is nothing to watch. */
function watchParent(stop: (reason: string) => void): void {
  const first = process.ppid;
  if (first <= 1) return;
  const timer = setInterval(() => {
    const now = process.ppid;
    if (now !== first) stop(`parent pid changed (${first} -> ${now})`);
  }, PARENT_POLL_MS);
  timer.unref();
}
