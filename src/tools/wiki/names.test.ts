/** From titles to file names. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { candidateNames, cleanTitle, fileOf, isReserved, plainName, titleKey } from "./names.js";

describe("the plain name", () => {
  it.each([
    ["Auth Architecture", "auth-architecture.md"],
    ["  C++ & C#: notes!  ", "c-c-notes.md"],
    ["認証 JWT", "jwt.md"],
    ["日本語ページ", "page-32220361.md"],
    ["---", "page-0000ae8d.md"],
    ["x".repeat(70), `${"x".repeat(64)}.md`],
  ])("of %j is %j", (title, name) => {
    expect(plainName(title)).toBe(name);
  });
});

describe("the places of a title", () => {
  const title = fc.string({ unit: "grapheme", minLength: 1, maxLength: 90 }).map(cleanTitle).filter((title) => title !== "");

  it("are names that every system takes, none of them reserved", () => {
    fc.assert(
      fc.property(title, (title) => {
        for (const name of candidateNames(title)) {
          expect(name).toMatch(/^[a-z0-9-]{1,64}\.md$/);
          expect(isReserved(name)).toBe(false);
          expect(fileOf(name)).toBe(name);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("begin with the plain name, and then tell titles apart", () => {
    fc.assert(
      fc.property(title, title, (one, other) => {
        const [, ownOne] = candidateNames(one);
        const [, ownOther] = candidateNames(other);
        if (!isReserved(plainName(one)) && !/^(con|prn|aux|nul|com\d|lpt\d)\.md$/.test(plainName(one))) {
          expect(candidateNames(one)[0]).toBe(plainName(one));
        }
        if (plainName(one) === plainName(other)) expect(ownOne === ownOther).toBe(titleKey(one) === titleKey(other));
      }),
      { numRuns: 500 },
    );
    const clashing = ["認証 JWT", "署名 JWT", "JWT", "JWT!", "-jwt-"];
    expect(new Set(clashing.map((title) => candidateNames(title)[1])).size).toBe(clashing.length);
  });

  it("keep clear of what the wiki and Windows use", () => {
    expect(candidateNames("ログ log")).not.toContain("log.md");
    expect(candidateNames("CON")[0]).toMatch(/^con-[0-9a-f]{8}\.md$/);
  });
});

describe("a title", () => {
  it.each([
    ["Auth", "AUTH"],
    ["a  b", " a b "],
    ["caf\u00e9", "cafe\u0301"],
  ])("%j is the same as %j", (one, other) => {
    expect(titleKey(one)).toBe(titleKey(other));
  });

  it.each([
    ["a-b", "a b"],
    ["C", "C++"],
    ["が", "か"],
    ["cafe", "café"],
  ])("%j is another than %j", (one, other) => {
    expect(titleKey(one)).not.toBe(titleKey(other));
  });

  it("is stored on one line", () => {
    expect(cleanTitle(" a\r\nb\u2028c\0d\uD800 ")).toBe("a b c d\uFFFD");
  });
});

describe("a page's name from a caller", () => {
  it.each(["a", "a.md", "A b", "日本"])("%j is taken", (page) => {
    expect(fileOf(page)).toBe(page.endsWith(".md") ? page : `${page}.md`);
  });

  it.each(["../a", "a/b", "a\\b", "..", "a..b", "/etc/passwd", "a\0b", "a\nb", ".hidden", "", "x".repeat(300)])("%j is not", (page) => {
    expect(fileOf(page)).toBeUndefined();
  });

  it("never leaves the folder", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("/", "\\", ".", "a", "\0", "m", "d") }), (page) => {
        const file = fileOf(page);
        if (file !== undefined) expect(file).not.toMatch(/[/\\\0]|\.\.|^\./);
      }),
    );
  });
});
