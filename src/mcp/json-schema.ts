/**
 * The JSON Schema served for a tool's input. zod makes it, with every limit; here it is brought into the shape that
 * clients treat well:
 *
 * - `required` is always there, `$schema` never: the dialect is 2020-12, which is also the protocol's default.
 * - An open object says `additionalProperties: true`. Claude Code turns `{}` into `false`, so that nothing may be passed.
 * - Objects are not closed, because unknown arguments are ignored, not refused.
 * - No `default`: some clients then insist on the property. The description says what happens without it.
 * - What says nothing is left out: bounds that any integer keeps, the type of property names.
 */
import * as z from "zod";

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export type JsonSchema = { [keyword: string]: Json };

/** A JSON Schema as served: an object schema at the root. */
export type InputSchema = JsonSchema & { type: "object"; properties: { [name: string]: JsonSchema }; required: string[] };

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE = ["items", "additionalProperties", "contains", "not"];
const LIST = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED = ["properties", "patternProperties", "$defs"];

/** Converts the schema of a tool. Pure; the caller keeps the result if it is needed again. */
export function zodToJsonSchema(schema: z.ZodObject): InputSchema {
  return inputSchema(z.toJSONSchema(schema, OPTIONS) as JsonSchema);
}

/**
 * Converts the schemas of all tools, each to what {@link zodToJsonSchema} makes of it, in two thirds of the time: what
 * several have in common, such as the folder of the project, is converted once.
 * @throws {Error} when a schema contains itself.
 */
export function zodToJsonSchemas(schemas: readonly z.ZodObject[]): InputSchema[] {
  const { properties = {} } = z.toJSONSchema(z.object({ ...schemas }), { ...OPTIONS, cycles: "throw" });
  return schemas.map((_, at) => inputSchema(properties[at] as JsonSchema));
}

const OPTIONS = { io: "input", target: "draft-2020-12" } as const;

function inputSchema(made: JsonSchema): InputSchema {
  const { type: _type, $schema: _dialect, properties = {}, required = [], ...limits } = served(made);
  return { type: "object", properties, required, ...limits } as InputSchema;
}

function served(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isNoise(keyword, value));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, servedValue(keyword, value)]));
}

function isNoise(keyword: string, value: Json): boolean {
  switch (keyword) {
    case "default":
    case "propertyNames":
      return keyword === "default" || isPlainText(value);
    case "additionalProperties":
      return value === false;
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER;
    case "maximum":
      return value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

function isPlainText(value: Json): boolean {
  return isSchema(value) && Object.keys(value).length === 1 && value["type"] === "string";
}

function servedValue(keyword: string, value: Json): Json {
  if (keyword === "additionalProperties" && isSchema(value) && Object.keys(value).length === 0) return true;
  if (ONE.includes(keyword) && isSchema(value)) return served(value);
  if (LIST.includes(keyword) && Array.isArray(value)) return value.map((each) => (isSchema(each) ? served(each) : each));
  if (NAMED.includes(keyword) && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isSchema(each) ? served(each) : each]));
  }
  return value;
}

function isSchema(value: Json): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
