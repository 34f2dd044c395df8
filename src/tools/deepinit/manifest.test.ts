/** The text of a manifest. */
import { expect, it } from "vitest";
import { parseManifest, savedText } from "./manifest.js";

const named = (count: number) => new Map([["a", Array.from({ length: count }, (_, at) => `${at}`.padStart(250, "n"))]]);

it("is saved when it can be read again", () => {
  expect(parseManifest(savedText("now", named(1_000)))?.directories).toEqual(named(1_000));
});

it("is refused when it is longer than what is read", () => {
  expect(() => savedText("now", named(65_000))).toThrow(/^the manifest would have 17\d{6} bytes, over its limit of 16777216; nothing was saved$/);
});
