/**
 * Arguments made from a served input schema: half of them fit it, the others nearly do. Everything a call gets is in the
 * JSON text that is returned, since not every JSON text can be told by an object of ours.
 */
import type { JsonSchema } from "../../mcp/json-schema.js";
import type { Chance } from "./random.js";
import { fittingText, hostileText, type Places } from "./texts.js";

/** As JSON text, or undefined for a call without `arguments`. */
export function fuzzedArguments(schema: JsonSchema, places: Places, chance: Chance): string | undefined {
  const maker = new Maker(places, chance);
  if (chance.in(0.04)) return chance.one([undefined, "null", "[]", '"x"', "1", "true", "{}"]);
  const fields = maker.fields(schema);
  if (chance.in(0.5)) return objectText(fields);
  for (let turn = chance.int(1, 2); turn > 0; turn--) maker.spoil(fields, schema);
  return objectText(fields);
}

/** Name → value as JSON text. A list, because a name may come twice. */
type Fields = [name: string, json: string][];

function objectText(fields: Fields): string {
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

class Maker {
  readonly #places: Places;
  readonly #chance: Chance;

  constructor(places: Places, chance: Chance) {
    this.#places = places;
    this.#chance = chance;
  }

  /** All required fields and some of the others, each with a value that fits. */
  fields(schema: JsonSchema): Fields {
    const required = (schema["required"] ?? []) as string[];
    const wanted = Object.entries(propertiesOf(schema)).filter(([name]) => required.includes(name) || this.#chance.in(0.5));
    return wanted.map(([name, field]) => [name, this.fitting(name, field)]);
  }

  /** Makes one thing of the arguments wrong, or odd. */
  spoil(fields: Fields, schema: JsonSchema): void {
    const chance = this.#chance;
    const names = Object.keys(propertiesOf(schema));
    const way = chance.next();
    if (way < 0.1) fields.splice(chance.int(0, fields.length), 1);
    else if (way < 0.2 || names.length === 0) fields.push(this.#strange());
    else {
      const name = chance.one(names);
      const at = fields.findIndex(([known]) => known === name);
      fields.splice(at === -1 ? fields.length : at, 1, [name, this.unfitting(propertiesOf(schema)[name] as JsonSchema)]);
    }
  }

  #strange(): [string, string] {
    const name = this.#chance.one(["__proto__", "constructor", "extra", "x".repeat(5_000), "a\0", "", "toString", "_meta"]);
    return [name, this.#chance.in(0.5) ? '{"polluted":true}' : this.#anything()];
  }

  /** A value that the schema allows, mostly. */
  fitting(name: string, schema: JsonSchema): string {
    const chance = this.#chance;
    const branches = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
    if (branches !== undefined) return this.fitting(name, chance.one(branches));
    if (Array.isArray(schema["enum"])) return JSON.stringify(chance.one(schema["enum"]));
    if ("const" in schema) return JSON.stringify(schema["const"]);
    switch (schema["type"]) {
      case "string":
        return JSON.stringify(this.#fittingString(name, schema));
      case "integer":
      case "number":
        return String(this.#fittingNumber(name, schema));
      case "boolean":
        return String(chance.in(0.5));
      case "array":
        return this.#list(name, schema, chance.int(bound(schema, "minItems", 0), Math.min(bound(schema, "maxItems", 4), 4)));
      case "object":
        return "properties" in schema ? objectText(this.fields(schema)) : objectText(chance.some(3, () => [chance.one(["a", "b", "active", "phase"]), this.#anything()]));
      default:
        return this.#anything();
    }
  }

  /** A value beside what the schema allows: another type, just over a limit, or hostile. */
  unfitting(schema: JsonSchema): string {
    const chance = this.#chance;
    if (chance.in(0.3)) return chance.one(["null", "0", "-1", "1.5", "1e308", "9007199254740993", "-0", "true", '"5"', "[]", "{}", '[["x"]]', '{"__proto__":{"x":1}}']);
    if (chance.in(0.1)) return nested(chance.one(["[", '{"a":', '{"__proto__":']), chance.int(10, 3_000));
    switch (schema["type"]) {
      case "integer":
      case "number":
        return String(chance.one([bound(schema, "minimum", 0) - 1, bound(schema, "maximum", 2 ** 53) + 1, 2 ** 31, -(2 ** 31)]));
      case "array":
        return this.#overfullList(schema);
      case "string":
        return JSON.stringify(chance.in(0.25) ? this.#aroundLimit(schema) : hostileText(this.#places, chance));
      default:
        return JSON.stringify(hostileText(this.#places, chance));
    }
  }

  #list(name: string, schema: JsonSchema, length: number): string {
    return `[${Array.from({ length }, () => this.fitting(name, itemsOf(schema))).join(",")}]`;
  }

  #overfullList(schema: JsonSchema): string {
    const chance = this.#chance;
    if (chance.in(0.4)) return this.#list("", schema, chance.one([bound(schema, "maxItems", 50) + 1, Math.max(0, bound(schema, "minItems", 0) - 1)]));
    return `[${chance.some(3, () => this.unfitting(itemsOf(schema))).join(",")}]`;
  }

  #fittingString(name: string, schema: JsonSchema): string {
    const { pattern } = schema;
    const right = typeof pattern === "string" ? new RegExp(pattern, "u") : /^/;
    const candidates = Array.from({ length: 6 }, () => fittingText(name, this.#places, this.#chance));
    const [most, least] = [bound(schema, "maxLength", 100_000), bound(schema, "minLength", 0)];
    const made = candidates.find((text) => right.test(text) && text.length >= least) ?? "a".repeat(Math.max(1, least));
    return this.#chance.in(0.03) && right.test("a".repeat(9)) ? "a".repeat(Math.min(most, 60_000)) : made.slice(0, most);
  }

  /** Lengths at a limit and one beyond it. */
  #aroundLimit(schema: JsonSchema): string {
    const limit = this.#chance.one([bound(schema, "maxLength", 1_000_000), bound(schema, "minLength", 0)]);
    return this.#chance.one(["a", "é", "\n"]).repeat(Math.max(0, limit + this.#chance.int(-1, 1)));
  }

  #fittingNumber(name: string, schema: JsonSchema): number {
    const least = bound(schema, "minimum", bound(schema, "exclusiveMinimum", -1) + 1);
    const most = bound(schema, "maximum", 1_000_000);
    // Mostly long enough for what is waited for, which is short; never long enough to hold up the test.
    if (/time|wait/i.test(name)) return this.#chance.in(0.1) ? least : Math.min(most, Math.max(least, 5_000));
    return this.#chance.one([least, Math.min(least + 1, most), most, this.#chance.int(least, Math.min(most, least + 50))]);
  }

  #anything(): string {
    const chance = this.#chance;
    return chance.one(["1", "true", "null", '"text"', "[1,[2,{}]]", '{"a":{"b":[]}}', '{"__proto__":1}', JSON.stringify(hostileText(this.#places, chance))]);
  }
}

function nested(open: string, depth: number): string {
  return open.repeat(depth) + "1" + (open === "[" ? "]" : "}").repeat(depth);
}

function bound(schema: JsonSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema["properties"] ?? {}) as Record<string, JsonSchema>;
}

function itemsOf(schema: JsonSchema): JsonSchema {
  return (schema["items"] ?? {}) as JsonSchema;
}
