import { expect, test } from "vitest";
import { withSigil } from "./pattern.js";

test.each([
  ["f($A, $$$B)", "f(µA, µµµB)"],
  ["$_ $$KIND $$$", "µ_ µµKIND µµµ"],
  ["$name ${A} cost: 5$", "$name ${A} cost: 5$"],
  ["$$$ $A", "µµµ µA"],
  ["no variables", "no variables"],
])("%s is parsed as %s", (pattern, parsed) => {
  expect(withSigil(pattern, "µ")).toBe(parsed);
  expect(withSigil(pattern, "$")).toBe(pattern);
});
