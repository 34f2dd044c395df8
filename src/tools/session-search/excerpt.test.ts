/** What is shown of a text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptOf } from "./excerpt.js";
import { makeQuery } from "./query.js";

function excerpt(text: string, query: string, context = 20): string {
  return excerptOf(text, makeQuery(query, false), context);
}

describe("an excerpt", () => {
  it.each([
    ["Needle", "needle", "Needle"],
    ["  a\n\n needle\tin hay ", "needle in", "a needle in hay"],
    [`${"x".repeat(50)} needle ${"y".repeat(50)}`, "needle", `…${"x".repeat(19)} needle ${"y".repeat(19)}…`],
    [`needle${" ".repeat(10_000)}end`, "needle", "needle end"],
    [`İ${"ß".repeat(100)}nadel`, "NADEL", `…${"ß".repeat(20)}nadel`],
    ["😀".repeat(30) + "needle", "needle", `…${"😀".repeat(10)}needle`],
  ])("of %j for %j", (text, query, shown) => {
    expect(excerpt(text, query)).toBe(shown);
  });

  it("shows words that are far apart, each with what is around", () => {
    const text = `${"a ".repeat(100)}first ${"b ".repeat(100)}second ${"c ".repeat(100)}`;
    expect(excerpt(text, "second first", 40)).toMatch(/^…[a ]+ first [b ]+ … [b ]+ second [c ]+…$/);
    expect(excerpt("one two", "two one")).toBe("one two");
  });

  it("has the words, and a bounded length", () => {
    const filler = fc.array(fc.constantFrom("ß", "İ", "é", "e\u0301", "ﬁ", "x", "한", "😀", "\n\n"), { maxLength: 3_000 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(filler, filler, (before, after) => {
        const shown = excerpt(`${before} needle ${after}`, "NEEDLE");
        expect(shown.toLowerCase()).toContain("needle");
        expect(shown.length).toBeLessThan(120);
      }),
    );
  });
});
