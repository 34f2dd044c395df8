import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeContent, encodeContent, type Eol } from "./content.js";
import { withLf } from "./entries.js";

/** Text made of the pieces that the format gives a meaning to, mixed with any other. */
const troublesome = fc
  .array(
    fc.oneof(
      fc.constantFrom("#", "##", "## ", "### ", "\\", "<!--", "-->", "<", "!--", "&", "&#32;", "#32;", "$&", "$1", " ", "\t"),
      fc.constantFrom("\n", "\r", "\r\n", "\u2028", "\uFEFF", "\u00A0", "\0", "\uD800", "\uDC00", "👩‍👧", "## MANUAL", "é"),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("stored content", () => {
  it.each<[string, string]>([
    ["plain text, one # and a#b", "plain text, one # and a#b"],
    ["# Title", "# Title"],
    ["## MANUAL", "#\\# MANUAL"],
    ["### Sub", "##\\# Sub"],
    ["see ## here", "see #\\# here"],
    ["#\\# already", "#\\\\# already"],
    ["<!-- x -->", "<\\!-- x -->"],
    ["<\\!-- x", "<\\\\!-- x"],
    [" a ", "&#32;a&#32;"],
    ["\n\na\n", "&#10;\na&#10;"],
    [" ", "&#32;"],
    ["&#32; and &#39;", "&\\#32; and &#39;"],
    ["##  ", "#\\#  ".replace(/ $/, "&#32;")],
    ["## ", "##&#32;"],
    ["x\uD800", "x&#55296;"],
    ["", ""],
  ])("%j lies as %j", (text, stored) => {
    expect(encodeContent(text, "\n")).toBe(stored);
    expect(decodeContent(stored)).toBe(text);
  });

  it("keeps a carriage return apart from the line endings of a CRLF file", () => {
    expect(encodeContent("a\r\nb\nc", "\r\n")).toBe("a&#13;\r\nb\r\nc");
    expect(encodeContent("a\r\nb\nc", "\n")).toBe("a\r\nb\nc");
  });

  it.each<Eol>(["\n", "\r\n"])("gives back every text in a file of %j lines", (eol) => {
    fc.assert(
      fc.property(fc.oneof(troublesome, fc.string({ unit: "binary" })), (text) => {
        const onDisk = Buffer.from(encodeContent(text, eol), "utf8").toString("utf8");
        expect(decodeContent(withLf(onDisk, eol))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("never shows other programs a heading, a comment or a blank to trim", () => {
    fc.assert(
      fc.property(troublesome, fc.constantFrom<Eol>("\n", "\r\n"), (text, eol) => {
        const stored = encodeContent(text, eol);
        expect(stored).not.toMatch(/## |<!--/);
        expect(stored).toBe(stored.trim());
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves the entities of other people's text alone", () => {
    expect(decodeContent("it&#39;s &amp; &#8364;")).toBe("it&#39;s &amp; &#8364;");
  });
});
