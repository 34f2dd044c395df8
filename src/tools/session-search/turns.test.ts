/** Several parts of a search take turns, and everything else gets in between. */
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { nextTurn, turnIsOver } from "./turns.js";

it("gives one turn at a time, in order, with the event loop in between", async () => {
  const events: string[] = [];
  const part = async (name: string) => {
    for (let round = 0; round < 3; round++) {
      await nextTurn();
      events.push(name);
    }
  };
  const others = async () => {
    for (let round = 0; round < 3; round++) {
      await setImmediate();
      events.push("other");
    }
  };
  await Promise.all([part("a"), part("b"), others()]);
  expect(events.filter((name) => name !== "other").join("")).toBe("ababab");
  expect(events.indexOf("other")).toBeLessThan(3);
});

it("ends a turn after some milliseconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await nextTurn();
  vi.advanceTimersByTime(5);
  expect(turnIsOver()).toBe(false);
  vi.advanceTimersByTime(15);
  expect(turnIsOver()).toBe(true);
});
