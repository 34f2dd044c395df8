import { expect, test } from "vitest";
import type { Grammar, Node } from "./module.js";
import { TreeCache } from "./tree-cache.js";

/** A grammar that counts what it parses. */
function counting(): Grammar & { parsed: string[] } {
  const parsed: string[] = [];
  const parse = (source: string) => {
    parsed.push(source);
    return {} as Node;
  };
  return { sigil: "$", parse, parsed };
}

test("a tree is used again for the same file, text and language only", () => {
  const cache = new TreeCache();
  const [one, other] = [counting(), counting()];
  const tree = cache.tree("a", "x", one);
  expect(cache.tree("a", "x", one)).toBe(tree);
  expect(cache.tree("a", "y", one)).not.toBe(tree);
  cache.tree("a", "y", other);
  cache.tree("b", "y", other);
  expect([one.parsed, other.parsed]).toEqual([["x", "y"], ["y", "y"]]);
});

test("those that were not used for longest go first", () => {
  const cache = new TreeCache(10);
  const grammar = counting();
  for (const file of ["a", "b"]) cache.tree(file, "12345", grammar);
  cache.tree("a", "12345", grammar);
  cache.tree("c", "12345", grammar);
  cache.tree("a", "12345", grammar);
  expect(grammar.parsed).toHaveLength(3);
  cache.tree("b", "12345", grammar);
  expect(grammar.parsed).toHaveLength(4);
  cache.tree("huge", "1".repeat(11), grammar);
  expect(cache.size).toBe(0);
});
