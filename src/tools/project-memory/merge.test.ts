import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Memory } from "./memory.js";
import { mergeMemory, safeCopy } from "./merge.js";

const parse = (json: string) => JSON.parse(json) as Memory;

describe("merging fields", () => {
  it.each<[string, Memory, Memory, Memory]>([
    ["recurses into objects", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
    ["lets null overwrite", { a: { b: 1 } }, { a: null }, { a: null }],
    ["lets the new one win where kinds differ", { a: [1], b: "x", c: {} }, { a: {}, b: 2, c: [] }, { a: {}, b: 2, c: [] }],
    ["keeps unknown fields", { mine: 1 }, { yours: 2 }, { mine: 1, yours: 2 }],
    ["takes names that every object inherits", {}, { toString: 1, hasOwnProperty: { a: 1 } }, { toString: 1, hasOwnProperty: { a: 1 } }],
  ])("%s", (_what, base, incoming, expected) => {
    expect(mergeMemory(base, incoming)).toEqual(expected);
  });

  it("never takes over names that reach prototypes, at any depth, and keeps those that are there", () => {
    const incoming = parse('{"__proto__":{"x":1},"a":{"constructor":1,"b":[{"prototype":1,"c":2}]}}');
    const merged = mergeMemory(parse('{"directoryMap":{"prototype":"a folder"}}'), incoming);
    expect(JSON.stringify(merged)).toBe('{"directoryMap":{"prototype":"a folder"},"a":{"b":[{"c":2}]}}');
    expect(({} as Memory)["x"]).toBeUndefined();
    expect(JSON.stringify(safeCopy(incoming))).toBe('{"a":{"b":[{"c":2}]}}');
  });
});

describe("merging lists", () => {
  it("keeps the newer of two notes with the same category and content", () => {
    const note = (timestamp: unknown, content: string, source = "manual") => ({ timestamp, source, category: "build", content });
    const base = [note(5, "a"), note(5, "b"), note("2026-01-01T00:00:00Z", "c")];
    const incoming = [note(4, "a", "learned"), note(6, "b", "learned"), note(7, "c", "learned"), note(1, "d")];
    expect(mergeMemory({ customNotes: base }, { customNotes: incoming })["customNotes"]).toEqual([base[0], incoming[1], base[2], incoming[3]]);
  });

  it("keeps the newer of two directives with the same text, in its place", () => {
    const merged = mergeMemory(
      { userDirectives: [{ directive: "x", timestamp: 1 }, { directive: "y", timestamp: 9 }] },
      { userDirectives: [{ directive: "y", timestamp: 3 }, { directive: "x", timestamp: 2 }, { directive: "X", timestamp: 2 }] },
    );
    expect(merged["userDirectives"]).toEqual([
      { directive: "x", timestamp: 2 },
      { directive: "y", timestamp: 9 },
      { directive: "X", timestamp: 2 },
    ]);
  });

  it("takes the larger of both counters of a hot path", () => {
    const merged = mergeMemory(
      { hotPaths: [{ path: "src", accessCount: 5, lastAccessed: 10, type: "file" }] },
      { hotPaths: [{ path: "src", accessCount: 3, lastAccessed: 20, type: "directory" }, { path: "b", accessCount: 1 }] },
    );
    expect(merged["hotPaths"]).toEqual([{ path: "src", accessCount: 5, lastAccessed: 20, type: "directory" }, { path: "b", accessCount: 1 }]);
  });

  it("replaces a language or framework of the same name, at whatever depth", () => {
    const merged = mergeMemory(
      { techStack: { languages: [{ name: "Go", version: "1.25", markers: ["go.mod"] }], frameworks: [{ name: "x" }] } },
      { techStack: { languages: [{ name: "Go", version: "1.26" }, { name: "C" }] } },
    );
    expect(merged).toEqual({ techStack: { languages: [{ name: "Go", version: "1.26" }, { name: "C" }], frameworks: [{ name: "x" }] } });
  });

  it("unites other lists by what their items are as JSON, the old ones first", () => {
    expect(mergeMemory({ w: ["b", "a", { k: 1 }] }, { w: ["c", "a", { k: 1 }, "c"] })["w"]).toEqual(["b", "a", { k: 1 }, "c"]);
  });

  it("compares items without the naming fields as JSON", () => {
    const merged = mergeMemory({ customNotes: ["old text", { content: "a" }] }, { customNotes: ["old text", { content: "a" }, null] });
    expect(merged["customNotes"]).toEqual(["old text", { content: "a" }, null]);
  });
});

describe("any merge", () => {
  const memory = fc.object({ key: fc.constantFrom("customNotes", "languages", "a", "b", "constructor"), maxDepth: 4 }).map((value) => parse(JSON.stringify(value)));

  it("done twice is as done once, and leaves both sides alone", () => {
    fc.assert(
      fc.property(memory, memory, (base, incoming) => {
        const before = JSON.stringify([base, incoming]);
        const once = mergeMemory(base, incoming);
        expect(mergeMemory(once, incoming)).toEqual(once);
        expect(JSON.stringify([base, incoming])).toBe(before);
      }),
    );
  });
});
