import * as fc from "fast-check";
import { expect, test } from "vitest";
import { timeStated } from "./time.js";

test("is what the language says, whatever was asked before", () => {
  const date = fc.date({ noInvalidDate: true }).map((made) => made.toISOString());
  const broken = fc.tuple(date, fc.nat(23), fc.constantFrom("x", ":", "9", "Z", " ", "-", "T", "0")).map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
  const other = fc.constantFrom("", "2026-01-01", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000+01:00", "soon", "2026-01-01T24:00:00.000Z", "2026-01-01T10:60:00.000Z", "2026-02-30T10:00:00.000Z");
  fc.assert(
    fc.property(fc.array(fc.oneof(date, broken, other), { minLength: 1, maxLength: 6 }), (texts) => {
      for (const text of texts) expect(timeStated(text), text).toBe(Date.parse(text) || 0);
    }),
    { numRuns: 3_000 },
  );
});
