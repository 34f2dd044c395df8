import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pathOfUri, uriKey, uriOf } from "./uris.js";

test.each([
  ["file:///srv/x/src/(group)/p.ts", "file:///srv/x/src/%28group%29/p.ts"],
  ["file:///srv/x/@y/p.ts", "file:///srv/x/%40y/p.ts"],
  ["file:///srv/x/caf%C3%A9.ts", "file:///srv/x/café.ts"],
  ["file:///srv/x/a%20b.ts", "file:///srv/x/a b.ts"],
  ["file:///srv/x/[id].ts", "file:///srv/x/%5Bid%5D.ts"],
])("%s and %s are one file", (one, other) => {
  expect(uriKey(one)).toBe(uriKey(other));
});

test("every path survives", () => {
  const part = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/[\0/\\]/.test(text) && text !== "." && text !== "..");
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const path = `/${parts.join("/")}`;
      expect(pathOfUri(uriOf(path))).toBe(path);
    }),
  );
});

test("what is no file has no path", () => {
  expect(["untitled:x", "jdt://contents/a.class", "git:/x", ""].map(pathOfUri)).toEqual([undefined, undefined, undefined, undefined]);
});
