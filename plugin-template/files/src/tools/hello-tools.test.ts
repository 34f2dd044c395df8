import { describe, expect, it } from "vitest";
import { greet } from "./hello-tools.js";

const context = { signal: new AbortController().signal };

describe("hello_greet", () => {
  it.each([
    [{ name: "Ada" }, "Hello, Ada!"],
    [{ name: "Ada", tone: "casual" as const }, "Hello, Ada!"],
    [{ name: "Ada", tone: "formal" as const }, "Good day, Ada."],
  ])("answers %j with %j", async (args, text) => {
    expect(await greet.handler(args, context)).toEqual({ content: [{ type: "text", text }] });
  });

  it.each([{}, { name: "" }, { name: "a".repeat(81) }, { name: "Ada", tone: "rude" }])("refuses %j", (args) => {
    expect(greet.schema.safeParse(args).success).toBe(false);
  });
});
