/**
 * The queue of this process's own calls for each lock, first come first served.
 *
 * Who waits in it waits for others of this process that each do their work and go, so any number may wait: only the
 * time in which nobody got the lock counts against a call's patience.
 */

/** A call's turn at the lock. */
export interface Turn {
  /** Since when nobody of this process has had the lock, but not before this call came; as of `performance.now()`. */
  since: number;
  /** Lets the next one in. `had` says whether this call got the lock. */
  leave(had: boolean): void;
}

interface Waiting {
  admit(): void;
}

interface Queue {
  waiting: Waiting[];
  /** When a call last had the lock. */
  movedAt: number;
}

/** Lock path → calls behind the one that is in. A path without an entry is free. */
const queues = new Map<string, Queue>();

/**
 * Waits until this call is at the front.
 * Rejects with `timedOut()` once nobody got the lock for `waitMs`, or with the signal's reason.
 */
export function enterQueue(path: string, waitMs: number, signal: AbortSignal | undefined, timedOut: () => Error): Promise<Turn> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const came = performance.now();
  const queue = queues.get(path);
  if (queue === undefined) {
    queues.set(path, { waiting: [], movedAt: came });
    return Promise.resolve(turnAt(path, came));
  }
  return new Promise<Turn>((resolve, reject) => {
    const since = () => Math.max(came, queue.movedAt);
    const waiting: Waiting = {
      admit() {
        stopWaiting();
        resolve(turnAt(path, since()));
      },
    };
    const giveUp = (reason: unknown) => {
      stopWaiting();
      queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
      reject(reason);
    };
    const onTime = () => {
      const left = since() + waitMs - performance.now();
      if (left <= 0) giveUp(timedOut());
      else timer = setTimeout(onTime, left);
    };
    const onAbort = () => giveUp(signal?.reason);
    let timer = setTimeout(onTime, waitMs);
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    queue.waiting.push(waiting);
  });
}

function turnAt(path: string, since: number): Turn {
  return { since, leave: (had) => leave(path, had) };
}

function leave(path: string, had: boolean): void {
  const queue = queues.get(path);
  if (had && queue !== undefined) queue.movedAt = performance.now();
  const next = queue?.waiting.shift();
  if (next === undefined) queues.delete(path);
  else next.admit();
}
