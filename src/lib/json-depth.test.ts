import { expect, test } from "vitest";
import { isNestedDeeper } from "./json-depth.js";

test.each<[unknown, number]>([["x", 0], [null, 0], [[], 1], [{ a: 1, b: "" }, 1], [[{ a: [] }, 1], 3]])("the depth of %j is %i", (value, depth) => {
  expect(isNestedDeeper(value, depth)).toBe(false);
  expect(isNestedDeeper(value, depth - 1)).toBe(depth > 0);
});

test("any depth is measured", () => {
  expect(isNestedDeeper(JSON.parse("[".repeat(200_000) + "]".repeat(200_000)), 199_999)).toBe(true);
});
