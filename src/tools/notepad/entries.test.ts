import { describe, expect, it } from "vitest";
import { isOlder, pruneBody, readableBody, splitEntries, stampOf } from "./entries.js";

const BODY = "<!-- note -->\nfree text\n### 2026-01-02 03:04\none\n### Sub\nmore\n<!-- WM:2026-02-03 04:05 -->\ntwo\n### 2026-03-04\nno time\n";

describe("splitting a body", () => {
  it("starts an entry only at a stamp or at the older mark", () => {
    expect(splitEntries(BODY)).toEqual([
      { raw: "<!-- note -->\nfree text\n" },
      { raw: "### 2026-01-02 03:04\none\n### Sub\nmore\n", stamp: "2026-01-02 03:04" },
      { raw: "<!-- WM:2026-02-03 04:05 -->\ntwo\n### 2026-03-04\nno time\n", stamp: "2026-02-03 04:05" },
    ]);
  });

  it("loses nothing, whatever the line endings", () => {
    for (const body of [BODY, BODY.replaceAll("\n", "\r\n"), "", "no newline at the end", "\n\n", "### 2026-01-02 03:04"]) {
      expect(splitEntries(body).map((piece) => piece.raw).join("")).toBe(body);
    }
    expect(splitEntries("### 2026-01-02 03:04\r\nx\r\n")[1]?.stamp).toBe("2026-01-02 03:04");
  });
});

describe("the readable body", () => {
  it.each<[string, string]>([
    ["<!-- note -->\n\ntext\n\n", "text"],
    ["a <!-- in line --> b\n", "a  b"],
    ["a\n  <!-- alone\nover lines -->  \nb\n", "a\nb"],
    ["a <!-- not closed\n### 2026-01-02 03:04\n--> b", "a <!-- not closed\n### 2026-01-02 03:04\n--> b"],
    ["<!-- one --><!-- two -->\nb", "b"],
    ["<!-->x-->y", "y"],
    ["#\\# MANUAL\n<\\!-- x -->", "## MANUAL\n<!-- x -->"],
    ["", ""],
  ])("of %j is %j", (raw, readable) => {
    expect(readableBody(raw, "\n")).toBe(readable);
  });

  it("is found in linear time in a file made to be slow", () => {
    const size = 1_000_000;
    for (const text of ["<!--".repeat(size / 4), "<!---->".repeat(size / 7), `${" ".repeat(size)}x`, "\n".repeat(size), "#\\".repeat(size / 2)]) {
      readableBody(`x${text}x`, "\n");
      pruneBody(text, new Date());
    }
  });
});

describe("age", () => {
  it("is measured in UTC, and only a whole minute before the limit is old", () => {
    expect(stampOf(new Date("2026-01-02T03:04:59.999Z"))).toBe("2026-01-02 03:04");
    expect(isOlder("2026-01-02 03:04", new Date("2026-01-02T03:04:59.999Z"))).toBe(false);
    expect(isOlder("2026-01-02 03:04", new Date("2026-01-02T03:05:00.000Z"))).toBe(true);
  });

  it("is unknown for a stamp that is no time", () => {
    expect(isOlder("2026-13-45 99:99", new Date("2099-01-01T00:00:00Z"))).toBe(false);
  });

  it("removes only old entries, and keeps all the rest byte for byte", () => {
    const result = pruneBody(BODY, new Date("2026-02-01T00:00:00Z"));
    expect(result).toEqual({
      body: "<!-- note -->\nfree text\n<!-- WM:2026-02-03 04:05 -->\ntwo\n### 2026-03-04\nno time\n",
      pruned: 1,
      remaining: 1,
    });
  });
});
