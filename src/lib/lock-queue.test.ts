import { expect, test } from "vitest";
import { enterQueue } from "./lock-queue.js";

const late = () => new Error("late");
let names = 0;
const fresh = () => `/queue/${names++}`;

test("first come, first served", async () => {
  const path = fresh();
  const order: number[] = [];
  const turns = Array.from({ length: 5 }, async (_, at) => {
    const leave = await enterQueue(path, 1_000, undefined, late);
    order.push(at);
    await new Promise(setImmediate);
    leave();
  });
  await Promise.all(turns);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test("queues of different locks do not know each other", async () => {
  const leave = await enterQueue(fresh(), 1_000, undefined, late);
  (await enterQueue(fresh(), 1_000, undefined, late))();
  leave();
});

test("who gives up is skipped", async () => {
  const path = fresh();
  const leave = await enterQueue(path, 1_000, undefined, late);
  const cancel = new AbortController();
  const [short, cancelled, patient] = [
    enterQueue(path, 20, undefined, late),
    enterQueue(path, 60_000, cancel.signal, late),
    enterQueue(path, 60_000, undefined, late),
  ];
  cancel.abort(new Error("cancelled"));
  await expect(cancelled).rejects.toThrow("cancelled");
  await expect(short).rejects.toThrow("late");
  leave();
  (await patient)();
  (await enterQueue(path, 5, undefined, late))();
});

test("a signal that is aborted later than one's turn changes nothing", async () => {
  const path = fresh();
  const cancel = new AbortController();
  const first = await enterQueue(path, 1_000, undefined, late);
  const second = enterQueue(path, 1_000, cancel.signal, late);
  first();
  const leave = await second;
  cancel.abort();
  leave();
  (await enterQueue(path, 5, undefined, late))();
});

test("who comes with an aborted signal is not let in", async () => {
  const path = fresh();
  await expect(enterQueue(path, 5, AbortSignal.abort(new Error("before")), late)).rejects.toThrow("before");
  (await enterQueue(path, 5, undefined, late))();
});
