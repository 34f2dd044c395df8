/** Ages and dates. */
import { expect, it } from "vitest";
import { parseSince } from "./since.js";

const NOW = Date.parse("2026-11-30T00:00:00Z");

it.each([
  ["30m", "2026-11-29T23:30:00Z"],
  ["12 h", "2026-11-29T12:00:00Z"],
  ["7D", "2026-11-23T00:00:00Z"],
  ["2w", "2026-11-16T00:00:00Z"],
  ["2026-01-31", "2026-01-31T00:00:00Z"],
  ["2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00Z"],
])("%s", (since, time) => {
  expect(parseSince(since, NOW)).toBe(Date.parse(time));
});

it.each(["", "  ", undefined])("%j is no limit", (since) => {
  expect(parseSince(since, NOW)).toBeUndefined();
});

it.each(["garbage", "7", "1y", "-1d", "12", "2026-13-45", "yesterday"])("%j is refused", (since) => {
  expect(() => parseSince(since, NOW)).toThrow(`since '${since}' is neither an age`);
});
