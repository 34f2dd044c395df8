import * as z from "zod";
import { describe, expect, it } from "vitest";
import { zodToJsonSchema } from "./json-schema.js";

const text = z.string();

describe("the schema served", () => {
  it("has properties and required even when there is nothing to pass", () => {
    expect(zodToJsonSchema(z.object({}))).toEqual({ type: "object", properties: {}, required: [] });
  });

  const cases: [name: string, field: z.ZodType, served: object][] = [
    ["limits of text", z.string().min(1).max(9).regex(/^a+$/), { type: "string", minLength: 1, maxLength: 9, pattern: "^a+$" }],
    ["limits of numbers", z.number().min(0).max(1), { type: "number", minimum: 0, maximum: 1 }],
    ["limits of whole numbers", z.int().min(1).max(7), { type: "integer", minimum: 1, maximum: 7 }],
    ["no bounds that every whole number keeps", z.int(), { type: "integer" }],
    ["choices", z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    ["lists", z.array(z.string().max(3)).max(8), { type: "array", items: { type: "string", maxLength: 3 }, maxItems: 8 }],
    ["open objects as true", z.record(text, z.unknown()), { type: "object", additionalProperties: true }],
    ["typed values", z.record(text, z.int().min(1)), { type: "object", additionalProperties: { type: "integer", minimum: 1 } }],
    ["limits of property names", z.record(text.max(5), z.unknown()), {
      type: "object",
      propertyNames: { type: "string", maxLength: 5 },
      additionalProperties: true,
    }],
    ["unknown values without a type", z.unknown(), {}],
    ["no closed objects", z.strictObject({ a: text }), { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
    ["nothing of defaults", z.string().default("x"), { type: "string" }],
    ["alternatives", z.union([z.int(), z.array(z.int())]), {
      anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }],
    }],
  ];
  it.each(cases)("has %s", (_name, field, served) => {
    expect(zodToJsonSchema(z.object({ field: field.optional() })).properties["field"]).toEqual(served);
    expect(zodToJsonSchema(z.object({ field: field.describe("words") })).properties["field"]).toEqual({ ...served, description: "words" });
  });

  it("requires what must be given, and nothing that has a default", () => {
    const schema = z.object({ a: text, b: text.optional(), c: text.default("x"), d: z.unknown().optional() });
    expect(zodToJsonSchema(schema).required).toEqual(["a"]);
  });

  it("keeps properties that are named like keywords", () => {
    const schema = z.object({ default: text, minimum: z.int(), additionalProperties: z.boolean() });
    expect(Object.keys(zodToJsonSchema(schema).properties)).toEqual(["default", "minimum", "additionalProperties"]);
  });

  it("cleans nested objects too", () => {
    const option = z.strictObject({ id: text.default("x"), score: z.int() });
    const schema = z.object({ questions: z.array(z.object({ options: z.array(option) })) });
    expect(JSON.stringify(zodToJsonSchema(schema))).not.toMatch(/default|additionalProperties|9007199254740991|\$schema/);
  });
});
