import { expect, onTestFinished, test, vi } from "vitest";
import { enterQueue } from "./lock-queue.js";

const late = () => new Error("late");
let names = 0;
const fresh = () => `/queue/${names++}`;

test("first come, first served", async () => {
  const path = fresh();
  const order: number[] = [];
  const turns = Array.from({ length: 5 }, async (_, at) => {
    const turn = await enterQueue(path, 1_000, undefined, late);
    order.push(at);
    await new Promise(setImmediate);
    turn.leave(true);
  });
  await Promise.all(turns);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test("queues of different locks do not know each other", async () => {
  const turn = await enterQueue(fresh(), 1_000, undefined, late);
  (await enterQueue(fresh(), 1_000, undefined, late)).leave(true);
  turn.leave(true);
});

test("who gives up is skipped", async () => {
  const path = fresh();
  const turn = await enterQueue(path, 1_000, undefined, late);
  const cancel = new AbortController();
  const [short, cancelled, patient] = [
    enterQueue(path, 20, undefined, late),
    enterQueue(path, 60_000, cancel.signal, late),
    enterQueue(path, 60_000, undefined, late),
  ];
  cancel.abort(new Error("cancelled"));
  await expect(cancelled).rejects.toThrow("cancelled");
  await expect(short).rejects.toThrow("late");
  turn.leave(true);
  (await patient).leave(true);
  (await enterQueue(path, 5, undefined, late)).leave(true);
});

test("a signal that is aborted later than one's turn changes nothing", async () => {
  const path = fresh();
  const cancel = new AbortController();
  const first = await enterQueue(path, 1_000, undefined, late);
  const second = enterQueue(path, 1_000, cancel.signal, late);
  first.leave(true);
  const turn = await second;
  cancel.abort();
  turn.leave(true);
  (await enterQueue(path, 5, undefined, late)).leave(true);
});

test("who comes with an aborted signal is not let in", async () => {
  const path = fresh();
  await expect(enterQueue(path, 5, AbortSignal.abort(new Error("before")), late)).rejects.toThrow("before");
  (await enterQueue(path, 5, undefined, late)).leave(true);
});

/** Time that only moves when a test says so. */
function holdTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

test("any number may wait as long as somebody gets the lock", async () => {
  holdTime();
  const path = fresh();
  let done = 0;
  const turns = Array.from({ length: 50 }, async () => {
    const turn = await enterQueue(path, 100, undefined, late);
    await new Promise((resolve) => setTimeout(resolve, 60));
    turn.leave(true);
    done++;
  });
  await vi.advanceTimersByTimeAsync(50 * 60);
  await Promise.all(turns);
  expect(done).toBe(50);
});

test("when nobody gets the lock all give up together, not one after the other", async () => {
  holdTime();
  const path = fresh();
  const first = await enterQueue(path, 100, undefined, late);
  const others = [1, 2, 3].map(() => enterQueue(path, 100, undefined, late).catch((error: Error) => error.message));
  await vi.advanceTimersByTimeAsync(99);
  const latest = enterQueue(path, 100, undefined, late);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(others)).toEqual(["late", "late", "late"]);
  first.leave(false);
  const turn = await latest;
  expect(performance.now() - turn.since).toBe(1);
  turn.leave(true);
});
