import { expect, test } from "vitest";
import { cut } from "./cut.js";

test.each([["", ""], ["a", "a"], ["x".repeat(300), "x".repeat(300)]])("%j stays", (text, told) => {
  expect(cut(text)).toBe(told);
});

test("what is longer is cut and counted", () => {
  expect(cut("x".repeat(301))).toBe(`${"x".repeat(300)}… (301 characters)`);
});
