/** What counts as the same text, and what a query matches. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "./folding.js";
import { makeQuery } from "./query.js";

describe("folding", () => {
  it.each([
    ["Straße", "STRASSE"],
    ["Straße", "STRAẞE"],
    ["İstanbul", "istanbul"],
    ["I\u0307stanbul", "ıSTANBUL"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ", "οδοσ"],
    ["café", "CAFE\u0301"],
    ["\u212aelvin", "kelvin"],
    ["ﬁle", "FILE"],
    ["ǅ", "ǆ"],
    ["각", "\u1100\u1161\u11a8"],
  ])("%s is %s", (a, b) => {
    expect(fold(a)).toBe(fold(b));
  });

  it("keeps letters with and without an accent apart", () => {
    expect(fold("café")).not.toContain(fold("cafe"));
  });

  it("of a folded text changes nothing", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(fold(fold(text))).toBe(fold(text));
    }));
  });
});

describe("a query", () => {
  it("matches when all its words are in the text", () => {
    const { matches } = makeQuery("  Needle\n hay ", false);
    expect(matches("a haystack\nof NEEDLES")).toBe(true);
    expect(matches("a haystack")).toBe(false);
  });

  it("heeds case only when asked", () => {
    expect(makeQuery("Needle", true).matches("needle")).toBe(false);
    expect(makeQuery("Caf\u00e9", true).matches("a Cafe\u0301")).toBe(true);
  });

  it("needs a word", () => {
    expect(() => makeQuery(" \n\t ", false)).toThrow("Query cannot be empty");
  });

  it("is sure only of what it matches, also in bytes read as Latin-1", () => {
    const text = fc.array(fc.constantFrom("k", "i", "I", "s", "K", "ı", "\u0307", "\u0301", "ß", "é", " ", "x"), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.constantFrom("k", "is", "i", "s i", "xx"), fc.boolean(), (given, words, caseSensitive) => {
        const query = makeQuery(words, caseSensitive);
        const folded = query.fold(given);
        const slow = query.words.every((word) => folded.includes(word));
        expect(query.matches(given)).toBe(slow);
        if (/^[\0-\x7f]*$/.test(given)) expect(query.surelyMatches(given)).toBe(slow);
        if (query.surelyMatches(Buffer.from(given).toString("latin1"))) expect(slow).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
