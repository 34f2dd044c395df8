/**
 * Arguments are checked before a handler sees them, so a refused call has done nothing. The answer names each field,
 * what was expected and what came:
 *
 *     Invalid arguments for notepad_prune; nothing was done.
 *     - Invalid daysOld: expected a number of at least 1, got -3
 *
 * `null` for an optional argument that cannot be null counts as not given, since some callers fill in all fields.
 */
import type * as z from "zod";
import type { ToolDef } from "./tool-registry.js";

export type Checked = { ok: true; args: Record<string, unknown> } | { ok: false; text: string };

type Issue = z.core.$ZodIssue;

/** No more problems than this are listed. */
const MAX_LISTED = 10;
/** Longer values are cut in messages; in characters. */
const MAX_SHOWN = 40;

/** Checks the raw `arguments` of a call; absent ones count as none. */
export function validateArguments(tool: ToolDef, raw: unknown): Checked {
  const given = raw ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    return refused(tool, [`Invalid arguments: expected an object, got ${shown(given)}`]);
  }
  const parsed = tool.schema.safeParse(ownArguments(tool, given), { reportInput: true });
  return parsed.success ? { ok: true, args: parsed.data } : refused(tool, parsed.error.issues.map(problem));
}

/** The own properties alone, in an object without a prototype that a field name could reach. */
function ownArguments(tool: ToolDef, given: object): Record<string, unknown> {
  const own: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (value === null && takesNoNull(tool, name)) continue;
    own[name] = value;
  }
  return own;
}

function takesNoNull(tool: ToolDef, name: string): boolean {
  const field = Object.hasOwn(tool.schema.shape, name) ? (tool.schema.shape[name] as z.ZodType) : undefined;
  return field !== undefined && field.safeParse(undefined).success && !field.safeParse(null).success;
}

function refused(tool: ToolDef, problems: string[]): Checked {
  const lines = problems.slice(0, MAX_LISTED).map((line) => `- ${line}`);
  if (problems.length > MAX_LISTED) lines.push(`- and ${problems.length - MAX_LISTED} more`);
  return { ok: false, text: [`Invalid arguments for ${tool.name}; nothing was done.`, ...lines].join("\n") };
}

function problem(issue: Issue): string {
  const field = fieldName(issue.path);
  if (isMissing(issue)) return `Missing ${field}: expected ${expectation(issue)}`;
  const got = "input" in issue && issue.code !== "custom" ? `, got ${measured(issue)}` : "";
  return `Invalid ${field}: expected ${expectation(issue)}${got}`;
}

/** A field that is not there is reported as an undefined one, of which JSON has none. */
function isMissing(issue: Issue): boolean {
  const aboutValue = issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
  return aboutValue && issue.input === undefined;
}

/** `questions[2].options[0].id` */
function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === "number") return `${name}[${key}]`;
    return name === "" ? String(key) : `${name}.${String(key)}`;
  }, "") || "arguments";
}

/** How zod's own messages begin. Any other was put into the schema, by who knows the field better than we do. */
const ZODS_WORDS = /^(Invalid|Too (small|big)|Unrecognized)\b/;

function expectation(issue: Issue): string {
  return ZODS_WORDS.test(issue.message) ? generalExpectation(issue) : issue.message;
}

function generalExpectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeName(issue.expected);
    case "invalid_value":
      return oneOf(issue.values.map((value) => JSON.stringify(value) ?? String(value)));
    case "too_small":
      return bound(issue.origin, issue.exact ? "exactly" : issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return bound(issue.origin, issue.exact ? "exactly" : issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formatName(issue);
    case "invalid_union":
      return oneOf([...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(expectation)))]);
    case "unrecognized_keys":
      return `no field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    default:
      return issue.message;
  }
}

function typeName(expected: string): string {
  switch (expected) {
    case "string":
      return "text";
    case "int":
      return "a whole number";
    case "array":
      return "a list";
    case "object":
    case "record":
      return "an object";
    case "boolean":
      return "true or false";
    case "nonoptional":
      return "a value";
    default:
      return `a ${expected}`;
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `${relation} ${limit} characters`;
  if (origin === "array" || origin === "set") return `${relation} ${limit} items`;
  return `a number of ${relation} ${limit}`;
}

function formatName(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (issue.format === "regex" && issue.pattern !== undefined) return `text that matches ${issue.pattern}`;
  return `a text in the format ${issue.format}`;
}

function oneOf(options: string[]): string {
  return options.length === 1 ? String(options[0]) : `one of ${options.join(", ")}`;
}

/** What came, in the measure that was broken: a length for text and lists that are too long or too short. */
function measured(issue: Issue): string {
  if (issue.code === "too_small" || issue.code === "too_big") {
    if (typeof issue.input === "string") return `${characters(issue.input)}`;
    if (Array.isArray(issue.input)) return `${issue.input.length}`;
  }
  return shown(issue.input);
}

/** As JSON Schema counts them: those beyond the basic plane are one each. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
