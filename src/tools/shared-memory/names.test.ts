import { describe, expect, it } from "vitest";
import { fileName, isName, keyOf, unportable } from "./names.js";

describe("names", () => {
  it.each(["a", "A1", "a.b", "a-b_c", "0", "a.", "x".repeat(128), "k.json", "con", "a._-b"])("accept %s", (name) => {
    expect(isName(name)).toBe(true);
    expect(keyOf(fileName(name))).toBe(name);
  });

  it.each(["", ".", "..", ".a", "-a", "_a", "a..b", "a..", "a/b", "a\\b", "a b", "ä", "a\n", "a\0", "x".repeat(129), "a:b"])(
    "refuse %j",
    (name) => {
      expect(isName(name)).toBe(false);
      expect(keyOf(`${name}.json`)).toBeUndefined();
    },
  );

  it("are judged at once, however odd they are", () => {
    expect(isName(`${"a.".repeat(63)}..`)).toBe(false);
    expect(isName(`${"-".repeat(5_000)}!`)).toBe(false);
  });

  it.each(["k.json.lock", ".k.json.tmp.0", "k.json.tmp.12.34", "k.json.rollback.1", "k.txt", "json", ".json"])("do not see %s as an entry", (file) => {
    expect(keyOf(file)).toBeUndefined();
  });

  it.each(["con", "NUL", "com1", "lpt9.txt", "aux.a.b", "a."])("warn of %s", (name) => {
    expect(unportable(name)).toMatch(/^Windows /);
  });

  it.each(["console", "com", "com10", "a.con", "a"])("do not warn of %s", (name) => {
    expect(unportable(name)).toBeUndefined();
  });
});
