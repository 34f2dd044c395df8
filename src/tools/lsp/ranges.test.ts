import { describe, expect, it } from "vitest";
import { definitionText, referencesText } from "./locations.js";
import { overlaps, shownRange } from "./ranges.js";

const range = (startLine: number, startCharacter: number, endLine: number, endCharacter: number) => ({
  start: { line: startLine, character: startCharacter },
  end: { line: endLine, character: endCharacter },
});
const pathOf = (uri: string) => uri.replace("file://", "");
const here = { uri: "file:///srv/x/a.ts", range: range(1, 16, 1, 21) };

describe("ranges", () => {
  it("count from 1 and collapse when they are empty", () => {
    expect(shownRange(range(0, 0, 2, 4))).toBe("1:1-3:5");
    expect(shownRange(range(4, 2, 4, 2))).toBe("5:3");
  });

  it.each([
    { a: range(1, 0, 1, 5), b: range(1, 5, 1, 9), expected: true, name: "touching" },
    { a: range(1, 0, 1, 5), b: range(1, 6, 1, 9), expected: false, name: "apart in a line" },
    { a: range(0, 0, 9, 0), b: range(3, 4, 3, 4), expected: true, name: "one within the other" },
    { a: range(0, 0, 1, 0), b: range(2, 0, 3, 0), expected: false, name: "apart by lines" },
  ])("overlap: $name", ({ a, b, expected }) => {
    expect(overlaps(a, b)).toBe(expected);
    expect(overlaps(b, a)).toBe(expected);
  });
});

describe("definitions", () => {
  const link = { targetUri: "file:///srv/x/a.ts", targetRange: range(0, 0, 9, 1), targetSelectionRange: range(1, 16, 1, 21) };

  it.each([
    { name: "null", result: null, expected: "No locations found" },
    { name: "undefined", result: undefined, expected: "No locations found" },
    { name: "an empty list", result: [], expected: "No locations found" },
    { name: "one location", result: here, expected: "/srv/x/a.ts:2:17-2:22" },
    { name: "a list", result: [here, { ...here, range: range(3, 0, 3, 0) }], expected: "/srv/x/a.ts:2:17-2:22\n/srv/x/a.ts:4:1" },
    { name: "a link: its name, not its body", result: [link], expected: "/srv/x/a.ts:2:17-2:22" },
    { name: "the same twice", result: [here, link], expected: "/srv/x/a.ts:2:17-2:22" },
    { name: "no file", result: [{ ...here, uri: "untitled:one" }], expected: "untitled:one:2:17-2:22" },
  ])("$name", ({ result, expected }) => {
    expect(definitionText(result, pathOf)).toBe(expected);
  });
});

describe("references", () => {
  it("are counted and listed", () => {
    expect(referencesText([here], pathOf)).toBe("Found 1 reference(s):\n\n/srv/x/a.ts:2:17-2:22");
    expect(referencesText(null, pathOf)).toBe("No references found");
    expect(referencesText([], pathOf)).toBe("No references found");
  });

  it("say how many did not fit", () => {
    const many = Array.from({ length: 20_000 }, (_, line) => ({ ...here, range: range(line, 0, line, 3) }));
    const text = referencesText(many, pathOf);
    expect(text).toContain("Found 20000 reference(s):");
    expect(text.length).toBeLessThan(101_000);
    expect(text).toMatch(/\n\.\.\. and \d+ more references \(the answer would be too long\)$/);
  });
});
