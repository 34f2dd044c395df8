import * as z from "zod";
import { describe, expect, it } from "vitest";
import { defineTool, ok } from "../tools/types.js";
import { allTools, buildListToolsResponse, findTool, zodToJsonSchema } from "./tool-registry.js";

/** The longest prefix that the client puts before a name, and the longest name it takes. */
const PREFIX = "mcp__plugin_omcbuild_t__";
const LONGEST = 64;

/** What oh-my-claudecode 5.5.0 serves for its 55 tools, in bytes; with every limit and hint we stay below. */
const MOST_BYTES = 34_767;

describe("every tool", () => {
  it.each(allTools.map((tool) => [tool.name, tool] as const))("%s is fit to be served", (name, tool) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(PREFIX.length + name.length).toBeLessThanOrEqual(LONGEST);
    expect(tool.description.length).toBeGreaterThan(40);
    expect(tool.description.length).toBeLessThan(300);
    expect(Object.keys(tool.annotations).toSorted()).toEqual(["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]);
    expect(tool.annotations.readOnlyHint && tool.annotations.destructiveHint).toBe(false);
  });

  it.each(buildListToolsResponse(allTools, "").tools.map((tool) => [tool.name, tool] as const))(
    "%s says what each of its parameters is",
    (_name, { inputSchema }) => {
      expect(Object.keys(inputSchema).slice(0, 3)).toEqual(["type", "properties", "required"]);
      for (const [parameter, schema] of Object.entries(inputSchema.properties)) {
        expect(schema["description"], parameter).toMatch(/\S/);
      }
      expect(JSON.stringify(inputSchema)).not.toMatch(/"\$schema"|"default":|"additionalProperties":(\{\}|false)/);
    },
  );
});

it("is served with the schema that it has alone", () => {
  const { tools } = buildListToolsResponse(allTools, "");
  expect(tools.length).toBe(allTools.length);
  tools.forEach(({ inputSchema }, at) => {
    expect(JSON.stringify(inputSchema)).toBe(JSON.stringify(zodToJsonSchema((allTools[at] as (typeof allTools)[number]).schema)));
  });
});

describe("the hints", () => {
  const named = (hint: "readOnlyHint" | "destructiveHint" | "openWorldHint") => allTools.filter(({ annotations }) => annotations[hint]).map(({ name }) => name);

  it("call reading what changes nothing", () => {
    const reading = named("readOnlyHint");
    const lsp = allTools.map(({ name }) => name).filter((name) => name.startsWith("lsp_"));
    expect(reading).toEqual(expect.arrayContaining([...lsp, "ast_grep_search", "wiki_query", "wiki_lint", "session_search", "trace_summary", "merge_readiness_report"]));
    for (const name of ["ast_grep_replace", "python_repl", "deepinit_manifest", "wiki_add", "wiki_delete", "merge_readiness_start"]) expect(reading).not.toContain(name);
  });

  it("warn of what overwrites, and of what runs code", () => {
    expect(named("destructiveHint")).toEqual(expect.arrayContaining(["ast_grep_replace", "python_repl", "state_clear", "wiki_delete", "shared_memory_delete"]));
    expect(named("openWorldHint")).toContain("python_repl");
  });
});

describe("the list", () => {
  it("says the same of workingDirectory everywhere but where it means another folder, and wiki of each wiki tool", () => {
    const { tools } = buildListToolsResponse(allTools, "");
    const said = tools.filter(({ name }) => name !== "state_migrate_non_git").map(({ inputSchema }) => inputSchema.properties["workingDirectory"]?.["description"]);
    expect([...new Set(said)].filter((text) => text !== undefined)).toEqual(["Project folder. Default: server's."]);
    for (const { name, description } of tools) if (name.startsWith("wiki_")) expect(description).toMatch(/\bwiki\b/);
  });

  it("has all tools in the order of registration, each with four fields", () => {
    const { tools } = buildListToolsResponse(allTools, "");
    expect(tools.map((tool) => tool.name)).toEqual(allTools.map((tool) => tool.name));
    for (const tool of tools) expect(Object.keys(tool)).toEqual(["name", "description", "inputSchema", "annotations"]);
  });

  it("is small, since every session pays for it", () => {
    const bytes = Buffer.byteLength(JSON.stringify(buildListToolsResponse(allTools, "")));
    expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it("leaves out disabled tools, which then cannot be found either", () => {
    const names = buildListToolsResponse(allTools, "shared-memory").tools.map((tool) => tool.name);
    expect(names.filter((name) => name.startsWith("shared_memory_"))).toEqual([]);
    expect(findTool("shared_memory_read", allTools, "Shared-Memory")).toBeUndefined();
    expect(findTool("shared_memory_read", allTools, "wiki")?.name).toBe("shared_memory_read");
  });

  it("converts a schema once", () => {
    const tool = defineTool({
      name: "once",
      description: "",
      schema: z.object({}),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      handler: async () => ok(""),
    });
    const [first] = buildListToolsResponse([tool], "").tools;
    const [second] = buildListToolsResponse([tool], "").tools;
    expect(second?.inputSchema).toBe(first?.inputSchema);
  });

  it("does not find names that every object has", () => {
    for (const name of ["constructor", "__proto__", "toString", ""]) expect(findTool(name, allTools, "")).toBeUndefined();
  });
});
