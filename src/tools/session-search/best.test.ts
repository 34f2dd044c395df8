/** The first few of many. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Best } from "./best.js";

it("keeps what sorting and cutting would keep", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.integer({ min: 1, max: 8 }), (numbers, limit) => {
      const best = new Best<number>(limit, (a, b) => a - b);
      for (const number of numbers) best.offer(number);
      expect(best.items).toEqual(numbers.toSorted((a, b) => a - b).slice(0, limit));
    }),
  );
});
