import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Entry, formatEntry, isExpired, keyInside, MAX_ENTRY_BYTES, parseEntry } from "./entry.js";

const AT = "2026-11-30T02:16:00.000Z";
const entry: Entry = { key: "k", value: { a: [1] }, namespace: "n", createdAt: AT, updatedAt: AT };

describe("an entry", () => {
  it("is stored with its fields in order, two spaces deep, without a line end", () => {
    const text = formatEntry({ ...entry, value: 1, ttl: 5, expiresAt: "2026-11-30T02:16:05.000Z" });
    expect(text).toBe(`{
  "key": "k",
  "value": 1,
  "namespace": "n",
  "createdAt": "${AT}",
  "updatedAt": "${AT}",
  "ttl": 5,
  "expiresAt": "2026-11-30T02:16:05.000Z"
}`);
  });

  it("comes back as it was, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const stored = JSON.parse(JSON.stringify({ ...entry, value })) as Entry;
        expect(parseEntry(formatEntry(stored), "k")).toEqual({ ...stored, value: stored.value ?? null });
      }),
    );
  });

  it("has a limit", () => {
    const room = MAX_ENTRY_BYTES - Buffer.byteLength(formatEntry({ ...entry, value: "" }));
    expect(Buffer.byteLength(formatEntry({ ...entry, value: "x".repeat(room) }))).toBe(MAX_ENTRY_BYTES);
    expect(() => formatEntry({ ...entry, value: "x".repeat(room + 1) })).toThrow(`takes ${MAX_ENTRY_BYTES + 1} bytes`);
    expect(() => formatEntry({ ...entry, value: "ä".repeat(room / 2 + 1) })).toThrow("bytes, the limit is 1048576");
  });

  it("cannot be nested without end", () => {
    const value = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(() => formatEntry({ ...entry, value })).toThrow("the value is nested too deeply to be stored");
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"value":1}',
    '{"key":"other","updatedAt":"2026-11-30T02:16:00.000Z"}',
    '{"key":"K","updatedAt":"2026-11-30T02:16:00.000Z"}',
    '{"key":"k"}',
    '{"key":"k","updatedAt":"soon"}',
    '{"key":"k","updatedAt":"2026-11-30\\n## Forged heading"}',
    '{"key":["k"],"updatedAt":"2026-11-30T02:16:00.000Z"}',
  ])("is not %s", (text) => {
    expect(parseEntry(text, "k")).toBeUndefined();
  });

  it("is read when only its value, its creation or a sensible end is missing", () => {
    const text = `{"key":"k","namespace":"n","updatedAt":"${AT}","expiresAt":"whenever","ttl":"5"}`;
    expect(parseEntry(text, "k")).toEqual({ ...entry, value: null });
  });

  it("never fails to be judged", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void [parseEntry(text, "k"), keyInside(text)]));
  });

  it("ends at its end", () => {
    const end = Date.parse(AT);
    expect(isExpired(entry, end)).toBe(false);
    expect(isExpired({ ...entry, expiresAt: AT }, end - 1)).toBe(false);
    expect(isExpired({ ...entry, expiresAt: AT }, end)).toBe(true);
  });
});
