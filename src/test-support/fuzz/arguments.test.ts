/** That the fuzzed calls are worth making: repeatable, and neither all refused nor all ordinary. */
import { expect, it } from "vitest";
import { allTools, buildListToolsResponse, findTool } from "../../mcp/tool-registry.js";
import { validateArguments } from "../../mcp/validation.js";
import { fuzzedArguments } from "./arguments.js";
import { Chance } from "./random.js";

const PLACES = { folder: "/srv/x", root: "/srv/x/project", home: "/srv/x/home" };
const CALLS = 100;

const tools = buildListToolsResponse(allTools, "").tools;

function calls(schema: (typeof tools)[number]["inputSchema"], seed: string): (string | undefined)[] {
  const chance = new Chance(seed);
  return Array.from({ length: CALLS }, () => fuzzedArguments(schema, PLACES, chance));
}

it.each(tools.map((tool) => [tool.name, tool.inputSchema] as const))("%s gets fitting and unfitting arguments", (name, schema) => {
  const tool = findTool(name, allTools, "");
  if (tool === undefined) throw new Error("not found");
  const fitting = calls(schema, name).filter((args) => validateArguments(tool, args === undefined ? undefined : JSON.parse(args)).ok);
  expect(fitting.length).toBeGreaterThan(CALLS * 0.35);
  expect(fitting.length).toBeLessThanOrEqual(CALLS * (Object.keys(schema.properties).length > 0 ? 0.95 : 1));
});

it("a seed gives the same calls again, another one others", () => {
  const [tool] = tools;
  if (tool === undefined) throw new Error("no tools");
  expect(calls(tool.inputSchema, "a")).toEqual(calls(tool.inputSchema, "a"));
  expect(calls(tool.inputSchema, "a")).not.toEqual(calls(tool.inputSchema, "b"));
});

it("an object may have a property that JavaScript makes much of", () => {
  const texts = tools.flatMap(({ name, inputSchema }) => calls(inputSchema, name));
  for (const part of ['"__proto__":', "\\u0000", "\\ud800", "../", "/srv/x/beside", "[".repeat(50)]) {
    expect(texts.some((text) => text?.includes(part)), part).toBe(true);
  }
});
