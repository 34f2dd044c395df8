import * as z from "zod";
import { describe, expect, it } from "vitest";
import { defineTool, ok } from "../tools/types.js";
import { validateArguments } from "./validation.js";

const tool = defineTool({
  name: "sample",
  description: "",
  schema: z.object({
    mode: z.enum(["a", "b"]),
    count: z.int().min(1).max(5).optional(),
    ratio: z.number().gt(0).lt(1).optional(),
    key: z.string().min(2).max(4).regex(/^[a-z]*$/, "small letters").optional(),
    ref: z.string().regex(/^r/).optional(),
    on: z.boolean().optional(),
    value: z.unknown().optional(),
    state: z.record(z.string(), z.unknown()).optional(),
    list: z.array(z.object({ id: z.string().max(3) })).max(2).optional(),
    either: z.union([z.string(), z.int()]).optional(),
    nothing: z.string().nullable().optional(),
    step: z.int().multipleOf(5).optional(),
    id: z.uuid().optional(),
    many: z.array(z.int()).optional(),
    season: z.enum(["spring"], { error: ({ input }) => (input === "autumn" ? "a season to come" : undefined) }).optional(),
    short: z.string().max(3, "at most a short word").optional(),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  handler: async () => ok(""),
});

function check(args: unknown) {
  return validateArguments(tool, args);
}

function problems(args: unknown): string[] {
  const checked = check(args);
  if (checked.ok) throw new Error(`accepted: ${JSON.stringify(checked.args)}`);
  const [head, ...lines] = checked.text.split("\n");
  expect(head).toBe("Invalid arguments for sample; nothing was done.");
  return lines.map((line) => line.replace(/^- /, ""));
}

describe("refused arguments", () => {
  const cases: [args: object, problem: string][] = [
    [{}, 'Missing mode: expected one of "a", "b"'],
    [{ mode: "c" }, 'Invalid mode: expected one of "a", "b", got "c"'],
    [{ mode: null }, 'Invalid mode: expected one of "a", "b", got null'],
    [{ mode: "a", count: 0 }, "Invalid count: expected a number of at least 1, got 0"],
    [{ mode: "a", count: 6 }, "Invalid count: expected a number of at most 5, got 6"],
    [{ mode: "a", count: 1.5 }, "Invalid count: expected a whole number, got 1.5"],
    [{ mode: "a", count: "1" }, 'Invalid count: expected a number, got "1"'],
    [{ mode: "a", ratio: 0 }, "Invalid ratio: expected a number of more than 0, got 0"],
    [{ mode: "a", ratio: 1 }, "Invalid ratio: expected a number of less than 1, got 1"],
    [{ mode: "a", key: "x" }, "Invalid key: expected at least 2 characters, got 1"],
    [{ mode: "a", key: "xxxxx" }, "Invalid key: expected at most 4 characters, got 5"],
    [{ mode: "a", short: "😀😀😀😀" }, "Invalid short: expected at most a short word, got 4"],
    [{ mode: "a", key: "A1" }, 'Invalid key: expected small letters, got "A1"'],
    [{ mode: "a", ref: "x" }, 'Invalid ref: expected text that matches /^r/, got "x"'],
    [{ mode: "a", on: "yes" }, 'Invalid on: expected true or false, got "yes"'],
    [{ mode: "a", state: "abc" }, 'Invalid state: expected an object, got "abc"'],
    [{ mode: "a", state: [1] }, "Invalid state: expected an object, got a list of 1"],
    [{ mode: "a", list: {} }, "Invalid list: expected a list, got an object"],
    [{ mode: "a", list: [{ id: "a" }, { id: "b" }, { id: "c" }] }, "Invalid list: expected at most 2 items, got 3"],
    [{ mode: "a", list: [{ id: "a" }, {}] }, "Missing list[1].id: expected text"],
    [{ mode: "a", either: true }, "Invalid either: expected one of text, a number, got true"],
    [{ mode: "a", step: 3 }, "Invalid step: expected a multiple of 5, got 3"],
    [{ mode: "a", id: "x" }, 'Invalid id: expected a text in the format uuid, got "x"'],
    [{ mode: "a", season: "autumn" }, 'Invalid season: expected a season to come, got "autumn"'],
    [{ mode: "a", season: "x" }, 'Invalid season: expected "spring", got "x"'],
    [{ mode: "a", short: "long" }, "Invalid short: expected at most a short word, got 4"],
    [{ mode: "x".repeat(100) }, `Invalid mode: expected one of "a", "b", got "${"x".repeat(39)}… (102 characters)`],
  ];
  it.each(cases)("%j", (args, problem) => {
    expect(problems(args)).toEqual([problem]);
  });

  it.each([["text"], [[1]], [7], [true]])("that are no object: %j", (args) => {
    expect(problems(args)).toEqual([expect.stringContaining("Invalid arguments: expected an object, got ")]);
  });

  it("name every problem", () => {
    expect(problems({ count: 9, key: "x", on: 1 })).toHaveLength(4);
  });

  it("do not flood the answer", () => {
    const lines = problems({ mode: "a", many: Array.from({ length: 30 }, () => "x") });
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("and 20 more");
  });
});

describe("accepted arguments", () => {
  it.each([[undefined], [null]])("absent ones count as none: %j", (args) => {
    expect(problems(args)).toEqual(['Missing mode: expected one of "a", "b"']);
  });

  it("drop what the schema does not know", () => {
    expect(check({ mode: "a", status: "x" })).toEqual({ ok: true, args: { mode: "a" } });
  });

  it("take null for an optional field as not given, unless null is a value there", () => {
    const args = { mode: "a", count: null, key: null, on: null, value: null, nothing: null };
    expect(check(args)).toEqual({ ok: true, args: { mode: "a", value: null, nothing: null } });
  });

  it("keep names that every object has, inside free values", () => {
    const state = JSON.parse('{"constructor":1,"toString":"x","hasOwnProperty":null}');
    expect(check({ mode: "a", state })).toEqual({ ok: true, args: { mode: "a", state } });
  });

  it("cannot bring a prototype", () => {
    const forged = JSON.parse('{"__proto__":{"mode":"a"},"count":2}');
    expect(problems(forged)).toEqual(['Missing mode: expected one of "a", "b"']);
    const inherited = Object.create({ mode: "a" });
    expect(problems(inherited)).toEqual(['Missing mode: expected one of "a", "b"']);
    const nested = check(JSON.parse('{"mode":"a","state":{"__proto__":{"admin":true}}}'));
    expect(nested).toMatchObject({ ok: true, args: { state: {} } });
    expect("admin" in ((nested as { args: Record<string, object> }).args["state"] as object)).toBe(false);
  });
});
