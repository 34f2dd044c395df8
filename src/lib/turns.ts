/** Long loops give everything else in the process its turn, and end when they are no longer wanted. */

const TURN_MS = 15;

/** A function to be awaited before each step of a loop. It rejects with the signal's reason when aborted. */
export function takingTurns(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (performance.now() - since < TURN_MS) return;
    await new Promise(setImmediate);
    since = performance.now();
  };
}
