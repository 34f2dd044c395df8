import { expect, test } from "vitest";
import { inBatches } from "./batches.js";

test.each([0, 1, 63, 64, 65, 1_000])("%d items keep their order", async (count) => {
  const items = Array.from({ length: count }, (_, at) => at);
  expect(await inBatches(items, async (item) => item * 2)).toEqual(items.map((item) => item * 2));
});

test("no more than 64 are under way", async () => {
  let [now, most] = [0, 0];
  await inBatches(Array.from({ length: 640 }), async () => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now--;
  });
  expect(most).toBe(64);
});

test("a failure is passed on", async () => {
  await expect(inBatches([1, 2], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
