import { describe, expect, test } from "vitest";
import { checkSessionName, folderName } from "./session.js";

describe("names of sessions", () => {
  test.each(["s", "my session", "日本語", "a.b", "console", "com10", "x".repeat(255), "-"])("%s is one", (name) => {
    expect(() => checkSessionName(name)).not.toThrow();
  });

  test.each([
    ["", "is blank"],
    ["  ", "is blank"],
    ["..", "contains '..'"],
    ["a/b", "contains '/'"],
    ["a\\b", "contains '\\'"],
    ["a\0b", "contains '\\0'"],
    ["x".repeat(256), "is longer than 255 bytes"],
    ["é".repeat(128), "is longer than 255 bytes"],
    ["a.", "ends with a dot or a space"],
    ["a ", "ends with a dot or a space"],
    ["CON", "is the name of a device"],
    ["nul.txt", "is the name of a device"],
    ["Com1 .x", "is the name of a device"],
  ])("%j is none, because it %s", (name, why) => {
    expect(() => checkSessionName(name)).toThrow(why);
  });

  test("never stand in a path", () => {
    expect(folderName("secret project")).toMatch(/^[0-9a-f]{12}$/);
    expect(folderName("s")).toBe("043a718774c5");
  });
});
