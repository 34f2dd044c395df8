import { describe, expect, it } from "vitest";
import { withDirective, withNote } from "./lists.js";
import { checkDepth, completed, MAX_MEMORY_DEPTH, type Memory, parseMemory, serializeMemory } from "./memory.js";

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as Memory;

describe("reading a memory", () => {
  it("accepts an object without the fields of a complete one, and fills in the lists", () => {
    expect(parseMemory('{"customNotes":[{"content":"kept"}],"mine":1}')).toEqual({
      customNotes: [{ content: "kept" }],
      mine: 1,
      hotPaths: [],
      userDirectives: [],
    });
  });

  it("takes a file without text for none, and tolerates a byte order mark", () => {
    expect(parseMemory(" \n")).toBeUndefined();
    expect(parseMemory('\uFEFF{"version":"1.0.0"}')).toHaveProperty("version", "1.0.0");
  });

  it.each<[string, string]>([
    ["{bad secret", "it is not valid JSON"],
    ['"text"', "it is not a JSON object"],
    ["[1]", "it is not a JSON object"],
    ["null", "it is not a JSON object"],
    [`${"[".repeat(50_000)}${"]".repeat(50_000)}`, "it is not a JSON object"],
    [`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "it is nested deeper than 1000 levels"],
  ])("refuses %.20s", (text, message) => {
    expect(() => parseMemory(text)).toThrow(message);
  });
});

describe("writing a memory", () => {
  it("gives two-space JSON without a last line ending", () => {
    expect(serializeMemory({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it("takes more than a megabyte, a hundred keys, and the full depth", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, "x".repeat(4_000)]));
    expect(JSON.parse(serializeMemory(wide))).toEqual(wide);
    expect(JSON.parse(serializeMemory(nested(MAX_MEMORY_DEPTH)))).toEqual(nested(MAX_MEMORY_DEPTH));
  });

  it("refuses what is too deep or too big, also what only its indentation makes big", () => {
    expect(() => checkDepth(nested(MAX_MEMORY_DEPTH + 1))).toThrow("deeper than 1000 levels");
    expect(() => serializeMemory(nested(100_000))).toThrow("deeper than 1000 levels");
    expect(() => serializeMemory({ a: "x".repeat(17 * 1024 * 1024) })).toThrow("more than 16777216 bytes");
    const hollow = JSON.parse(`${"[".repeat(900)}${"1,".repeat(500_000)}1${"]".repeat(900)}`) as unknown;
    expect(() => serializeMemory({ hollow })).toThrow("more than 16777216 bytes");
  });

  it("fills in only what is missing", () => {
    expect(completed({ a: 1, version: "2" }, "/where/it/is", 42)).toEqual({ a: 1, version: "2", lastScanned: 42, projectRoot: "/where/it/is" });
    expect(completed({ version: "", lastScanned: 7, projectRoot: "/r" }, "/x", 42)).toEqual({ version: "1.0.0", lastScanned: 7, projectRoot: "/r" });
  });
});

describe("notes", () => {
  it("are added at the end, and the oldest go when there are more than twenty", () => {
    let memory: Memory = { mine: 1 };
    for (let at = 1; at <= 22; at++) memory = withNote(memory, "c", `n${at}`, at);
    const notes = memory["customNotes"] as Memory[];
    expect(notes.map((note) => note["content"])).toEqual(Array.from({ length: 20 }, (_, at) => `n${at + 3}`));
    expect(notes[0]).toEqual({ timestamp: 3, source: "manual", category: "c", content: "n3" });
    expect(memory["mine"]).toBe(1);
  });

  it("are not put in place of something that is no list", () => {
    expect(() => withNote({ customNotes: { a: "kept" } }, "c", "n", 1)).toThrow("customNotes in project-memory.json is not a list");
  });
});

describe("directives", () => {
  const add = (memory: Memory, directive: string, priority: "high" | "normal" = "normal", now = 1) =>
    withDirective(memory, { directive, context: undefined, priority }, now);
  const texts = (memory: Memory) => (memory["userDirectives"] as Memory[]).map((each) => each["directive"]);

  it("are added with all their fields", () => {
    const memory = withDirective({}, { directive: "Use pnpm", context: "CI", priority: "high" }, 5);
    expect(memory).toEqual({ userDirectives: [{ timestamp: 5, directive: "Use pnpm", context: "CI", source: "explicit", priority: "high" }] });
  });

  it("are the same whatever the letter case, and odd items of others do not disturb", () => {
    const memory: Memory = { userDirectives: [null, 3, {}, { directive: "Use PNPM" }] };
    expect(add(memory, "use pnpm")).toBe(memory);
    expect(texts({ userDirectives: (add(memory, "other")["userDirectives"] as unknown[]).slice(3) })).toEqual(["Use PNPM", "other"]);
  });

  it("of high priority stay, then the newest", () => {
    let memory: Memory = add({}, "first, high", "high", 0);
    for (let at = 1; at <= 24; at++) memory = add(memory, `d${at}`, "normal", at);
    expect(texts(memory)).toEqual(["first, high", ...Array.from({ length: 19 }, (_, at) => `d${24 - at}`)]);
  });

  it("that are new have a place also when all are of one millisecond", () => {
    let memory: Memory = {};
    for (let at = 1; at <= 24; at++) {
      memory = add(memory, `d${at}`);
      expect(texts(memory)).toContain(`d${at}`);
    }
    expect(texts(memory)).toHaveLength(20);
  });

  it("that would have no place are refused instead of lost", () => {
    let memory: Memory = {};
    for (let at = 1; at <= 20; at++) memory = add(memory, `h${at}`, "high", at);
    expect(() => add(memory, "normal one", "normal", 99)).toThrow("all 20 places are taken");
    expect(texts(add(memory, "h21", "high", 99))[0]).toBe("h21");
  });
});
