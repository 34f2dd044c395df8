import { describe, expect, test } from "vitest";
import { zodToJsonSchema } from "../mcp/json-schema.js";
import type { ToolDef } from "../mcp/tool-registry.js";
import { stateTools } from "./state-tools.js";

const tools = stateTools as unknown as ToolDef[];
const READ = "autopilot autoresearch team ralph deep-interview self-improve ultrawork ultraqa ralplan omc-teams skill-active merge-readiness ultragoal";
const WRITE = "autopilot autoresearch team ralph deep-interview self-improve ralplan omc-teams skill-active";
const schemaOf = (name: string) => zodToJsonSchema((tools.find((tool) => tool.name === name) as ToolDef).schema);

test("six tools, in their order", () => {
  expect(tools.map((tool) => tool.name)).toEqual([
    "state_read",
    "state_write",
    "state_clear",
    "state_list_active",
    "state_get_status",
    "state_migrate_non_git",
  ]);
});

test.each([
  ["state_read", "mode? workingDirectory session_id", ["mode"], READ],
  [
    "state_write",
    "mode active iteration max_iterations current_phase task_description plan_path started_at completed_at error state workingDirectory session_id",
    ["mode"],
    WRITE,
  ],
  ["state_clear", "mode workingDirectory session_id", ["mode"], READ],
  ["state_list_active", "workingDirectory session_id all", [], undefined],
  ["state_get_status", "mode workingDirectory session_id", [], READ],
  ["state_migrate_non_git", "workingDirectory session_id", ["session_id"], undefined],
])("%s takes what it always took", (name, fields, required, modes) => {
  const { properties, required: served, type } = schemaOf(name);
  expect(type).toBe("object");
  expect(Object.keys(properties).join(" ")).toBe(fields.replaceAll("?", ""));
  expect(served).toEqual(required);
  expect(properties["mode"]?.["enum"]).toEqual(modes?.split(" "));
});

test.each([
  ["state_read", [true, false, true, false]],
  ["state_write", [false, false, true, false]],
  ["state_clear", [false, true, true, false]],
  ["state_list_active", [true, false, true, false]],
  ["state_get_status", [true, false, true, false]],
  ["state_migrate_non_git", [false, false, true, false]],
])("%s has all four hints", (name, hints) => {
  const { annotations } = tools.find((tool) => tool.name === name) as ToolDef;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  expect([readOnlyHint, destructiveHint, idempotentHint, openWorldHint]).toEqual(hints);
});

describe("what is served", () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))("%s describes itself and every field, briefly", (_, tool) => {
    expect(tool.description.length).toBeLessThan(300);
    for (const field of Object.values(schemaOf(tool.name).properties)) expect(field["description"]).toMatch(/\.$/);
    expect(JSON.stringify(schemaOf(tool.name))).not.toContain('"additionalProperties":{}');
  });

  test("state is an open object of any values, and the write takes unknown arguments", () => {
    const schema = schemaOf("state_write");
    expect(schema.properties["state"]).toMatchObject({ type: "object", additionalProperties: true });
    expect(schema["additionalProperties"]).toBe(true);
  });

  test("limits are told", () => {
    const { properties } = schemaOf("state_write");
    const limits = Object.entries(properties).map(([name, field]) => [name, field["maxLength"]]);
    expect(Object.fromEntries(limits.filter(([, limit]) => limit !== undefined))).toEqual({
      current_phase: 200,
      task_description: 2000,
      plan_path: 500,
      started_at: 100,
      completed_at: 100,
      error: 2000,
      session_id: 256,
    });
  });
});
