/** The text of a page: byte for byte as oh-my-claudecode has it, and nothing lost in reading what people wrote. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATEGORIES, CONFIDENCES, linkedNames, MAX_HEAD, newBody, type Page, parsePage, renderPage, updatedBody } from "./page.js";
import { parseList, parseScalar, renderList, renderScalar } from "./values.js";

const TIME = "2026-11-30T02:16:40.000Z";
const PAGE: Page = {
  title: 'The "JWT" \\ key',
  tags: ["auth", "a, b", 'q"t', "back\\slash", "two\nlines"],
  created: TIME,
  updated: TIME,
  sources: [],
  links: ["token-store.md", "keys.md"],
  category: "architecture",
  confidence: "high",
  schemaVersion: 1,
  extra: [],
  body: newBody('The "JWT" \\ key', "First.\n---\nSecond."),
};
const TEXT = `---
title: "The \\"JWT\\" \\\\ key"
tags: ["auth", "a, b", "q\\"t", "back\\\\slash", "two\\nlines"]
created: ${TIME}
updated: ${TIME}
sources: []
links: ["token-store.md", "keys.md"]
category: architecture
confidence: high
schemaVersion: 1
---

# The "JWT" \\ key

First.
---
Second.
`;

describe("the frame", () => {
  it("is written byte for byte and read back", () => {
    expect(renderPage(PAGE)).toBe(TEXT);
    expect(parsePage(TEXT)).toEqual(PAGE);
  });

  it("of an update follows the text, without the space at its end", () => {
    expect(updatedBody("\n# T\n\nold  \n\n\n", TIME, "new")).toBe(`\n# T\n\nold\n\n---\n\n## Update (${TIME})\n\nnew\n`);
  });

  it("is read with carriage returns and a byte order mark", () => {
    expect(parsePage(TEXT.replaceAll("\n", "\r\n"))).toEqual(PAGE);
    expect(parsePage(`\uFEFF${TEXT}`)).toEqual(PAGE);
  });

  it("keeps the rarer line breaks of Unicode in values", () => {
    const page = { ...PAGE, tags: ["a\u2028b", "c\u2029d", "e\u0085f"] };
    expect(parsePage(renderPage(page))).toEqual(page);
    expect(parsePage("---\ntags:\n- a\u2028b\n---\n")?.tags).toEqual(["a\u2028b"]);
  });

  it("may end right after the frontmatter", () => {
    expect(parsePage('---\ntitle: "x"\n---')).toMatchObject({ title: "x", body: "" });
  });
});

describe("what people write", () => {
  it("in other forms of YAML is understood", () => {
    const page = parsePage("---\ntitle: It's: fine # really\ntags:\n  - one\n  - 'it''s, two'\n- \"three\"\nsources: [a.ts, 'b, c']\nlinks: x.md, y.md\n---\ntext");
    expect(page).toMatchObject({
      title: "It's: fine # really",
      tags: ["one", "it's, two", "three"],
      sources: ["a.ts", "b, c"],
      links: ["x.md", "y.md"],
      category: "reference",
      confidence: "medium",
      created: "",
      body: "text",
    });
  });

  it("in fields of their own is kept when the page is written again", () => {
    const own = ["author: Kim", "reviewers:", "  - Lee", "# a comment", "nested: {a: 1}"];
    const page = parsePage(`---\n${own[0]}\ntitle: "x"\n${own.slice(1).join("\n")}\n---\nbody`) as Page;
    expect(page).toMatchObject({ title: "x", extra: own });
    const written = renderPage(page);
    expect(written).toContain(`\nschemaVersion: 1\n${own.join("\n")}\n---\nbody`);
    expect(parsePage(written)).toEqual(page);
  });

  it.each([
    ["no frontmatter", "# Title\n\ntext"],
    ["an open one", '---\ntitle: "x"\n\ntext'],
    ["a rule at the start", "---\n\nSome text: yes\n\n---\nmore"],
    ["nothing", ""],
    ["text before it", 'x\n---\ntitle: "x"\n---\n'],
  ])("with %s is no page", (_what, text) => {
    expect(parsePage(text)).toBeUndefined();
  });
});

describe("links", () => {
  it("are the names in double brackets, each once", () => {
    expect(linkedNames("[[A b]] [[c|shown]] [[A b]] [[]] [[ d ]] [[x\ny]] [e] [[C#]]")).toEqual(["A b", "c", "d", "C#"]);
  });
});

/** Line endings are read as line feeds, so only those come back. */
function oneEnding(text: string): string {
  return text.replace(/\r+\n/g, "\n");
}

describe("any page", () => {
  const character = fc.oneof(fc.constantFrom('"', "'", "\\", ",", "[", "]", "\n", "\r", ":", "-", "#", " ", "n", "r"), fc.string({ unit: "binary", maxLength: 2 }));
  const text = fc.array(character, { maxLength: 20 }).map((parts) => parts.join(""));
  const list = fc.array(text, { maxLength: 6 });
  const body = fc.array(fc.oneof(text, fc.constantFrom("---\n", "\n---\n", "title: x\n", "\r\n")), { maxLength: 8 }).map((parts) => oneEnding(parts.join("")));
  const extra = fc.array(fc.constantFrom("author: Kim", "  - item", "# comment", "x: [1, 2]"), { maxLength: 3 }).map((lines) => ["own: 1"].concat(lines));
  const page: fc.Arbitrary<Page> = fc.record({
    title: text,
    tags: list,
    created: fc.constantFrom("", TIME),
    updated: fc.constantFrom("", TIME),
    sources: list,
    links: list,
    category: fc.constantFrom(...CATEGORIES),
    confidence: fc.constantFrom(...CONFIDENCES),
    schemaVersion: fc.integer({ min: 1, max: 9 }),
    extra: fc.oneof(fc.constant<string[]>([]), extra),
    body,
  });

  it("is read back as it was written", () => {
    fc.assert(
      fc.property(page, (page) => {
        const written = renderPage(page);
        expect(parsePage(written)).toEqual(page);
        expect(renderPage(parsePage(written) as Page)).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it("survives any text in its place", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, fc.constantFrom("---\n", "tags: ", "title: ", '["', "- ")), { maxLength: 30 }), (parts) => {
        const page = parsePage(`---\n${oneEnding(parts.join(""))}`);
        if (page !== undefined) expect(parsePage(renderPage(page))).toEqual(page);
      }),
      { numRuns: 500 },
    );
  });

  it("has values that read back one by one", () => {
    fc.assert(fc.property(text, (text) => void expect(parseScalar(renderScalar(text))).toBe(text)));
    fc.assert(fc.property(list, (list) => void expect(parseList(renderList(list))).toEqual(list)));
  });

  it("with a value of a megabyte is read in no time", () => {
    const before = performance.now();
    for (const value of [`[${" ".repeat(1e6)}x`, `["${"\\".repeat(1e6)}`, `[${"',".repeat(5e5)}]`, `[${",".repeat(1e6)}]`, `[[${"x".repeat(1e6)}`]) {
      parsePage(`---\ntags: ${value}\n---\n${value}`);
      linkedNames(value);
    }
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe("a head of enormous size", () => {
  const items = (count: number) => `---\ntitle: "x"\ntags:\n${"- a\n".repeat(count)}---\ntext`;

  it("is read in a time that grows with its length only", { timeout: 5_000 }, () => {
    expect(parsePage(items(100_000))?.tags).toHaveLength(100_000);
    expect(parsePage(`---\ntags: [${'"a",'.repeat(100_000)}]\n---\n`)?.tags).toHaveLength(100_000);
    expect(parsePage(`---\ntags: [${'"\\",'.repeat(100_000)}]\n---\n`)?.tags).toHaveLength(100_000);
    expect(parsePage(`---\ntags: [a${" ".repeat(400_000)}b]\n---\n`)?.tags).toHaveLength(1);
  });

  it("is none over half a megabyte", () => {
    expect(parsePage(items(MAX_HEAD / 4))).toBeUndefined();
  });
});
