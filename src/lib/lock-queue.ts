/** The queue of this process's own calls for each lock, first come first served. */

type Release = () => void;

interface Waiting {
  admit(): void;
}

/** Lock path → calls behind the one that is in. A path without an entry is free. */
const queues = new Map<string, Waiting[]>();

/**
 * Waits until this call is at the front and returns the function that lets the next one in.
 * Rejects with `timedOut()` after `waitMs`, or with the signal's reason.
 */
export function enterQueue(
  path: string,
  waitMs: number,
  signal: AbortSignal | undefined,
  timedOut: () => Error,
): Promise<Release> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const queue = queues.get(path);
  if (queue === undefined) {
    queues.set(path, []);
    return Promise.resolve(() => leave(path));
  }
  return new Promise<Release>((resolve, reject) => {
    const waiting: Waiting = {
      admit() {
        stopWaiting();
        resolve(() => leave(path));
      },
    };
    const giveUp = (reason: unknown) => {
      stopWaiting();
      queue.splice(queue.indexOf(waiting), 1);
      reject(reason);
    };
    const onAbort = () => giveUp(signal?.reason);
    const timer = setTimeout(() => giveUp(timedOut()), waitMs);
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    queue.push(waiting);
  });
}

function leave(path: string): void {
  const next = queues.get(path)?.shift();
  if (next === undefined) queues.delete(path);
  else next.admit();
}
