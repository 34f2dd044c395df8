/** Several parts of a search take turns, and everything else gets in between. */
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
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
  await nextTurn();
  expect(turnIsOver()).toBe(false);
  const until = performance.now() + 20;
  while (performance.now() < until);
  expect(turnIsOver()).toBe(true);
});
