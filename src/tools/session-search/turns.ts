/**
 * Who may compute. A search takes the processor for seconds, and several may run at once; so that other calls are
 * answered meanwhile, the event loop is given back every few milliseconds, and one part of one search has it at a time.
 */

const TURN_MS = 8;

const waiting: (() => void)[] = [];
let armed = false;
let began = 0;

/** Waits until everything else that was due has been done, and it is the caller's turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    arm();
  });
}

/** Whether whoever has the turn has had it for long enough. */
export function turnIsOver(): boolean {
  return performance.now() - began > TURN_MS;
}

function arm(): void {
  if (armed) return;
  armed = true;
  setImmediate(() => {
    armed = false;
    began = performance.now();
    waiting.shift()?.();
    if (waiting.length > 0) arm();
  });
}
