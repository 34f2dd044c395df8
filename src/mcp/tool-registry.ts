/**
 * The tools of the server, in the order in which they are listed. To add a family, import its array and spread it
 * below: two lines.
 */
import type * as z from "zod";
import { astTools } from "../tools/ast-tools.js";
import { deepinitTools } from "../tools/deepinit-tools.js";
import { lspTools } from "../tools/lsp-tools.js";
import { mergeReadinessTools } from "../tools/merge-readiness-tools.js";
import { notepadTools } from "../tools/notepad-tools.js";
import { projectMemoryTools } from "../tools/project-memory-tools.js";
import { pythonReplTools } from "../tools/python-repl-tools.js";
import { sharedMemoryTools } from "../tools/shared-memory-tools.js";
import { skillsTools } from "../tools/skills-tools.js";
import { stateTools } from "../tools/state-tools.js";
import { traceTools } from "../tools/trace-tools.js";
import type { ToolAnnotations, ToolDefinition } from "../tools/types.js";
import { wikiTools } from "../tools/wiki-tools.js";
import { disabledBy } from "./disabled-tools.js";
import { type InputSchema, zodToJsonSchemas } from "./json-schema.js";

export { zodToJsonSchema } from "./json-schema.js";

/** A tool whose arguments are of a shape that only its own schema knows. */
export type ToolDef = ToolDefinition<z.ZodObject>;

export const allTools: readonly ToolDef[] = [
  ...lspTools,
  ...astTools,
  ...pythonReplTools,
  ...stateTools,
  ...mergeReadinessTools,
  ...notepadTools,
  ...projectMemoryTools,
  ...traceTools,
  ...sharedMemoryTools,
  ...deepinitTools,
  ...wikiTools,
  ...skillsTools,
];

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  name: string;
  description: string;
  inputSchema: InputSchema;
  annotations: ToolAnnotations;
}

/** Converting the schemas takes some twenty milliseconds and never gives anything else, so it is done once. */
const listed = new WeakMap<ToolDef, ListedTool>();

/** The answer to `tools/list`: one page, without the tools that `disabled` (the value of OMC_DISABLE_TOOLS) names. */
export function buildListToolsResponse(
  tools: readonly ToolDef[] = allTools,
  disabled: string | undefined = process.env["OMC_DISABLE_TOOLS"],
): { tools: ListedTool[] } {
  const isDisabled = disabledBy(disabled);
  const shown = tools.filter((tool) => !isDisabled(tool.name));
  list(shown.filter((tool) => !listed.has(tool)));
  return { tools: shown.map((tool) => listed.get(tool) as ListedTool) };
}

/** The tool of that name, or undefined when there is none or it is disabled. */
export function findTool(
  name: string,
  tools: readonly ToolDef[] = allTools,
  disabled: string | undefined = process.env["OMC_DISABLE_TOOLS"],
): ToolDef | undefined {
  return disabledBy(disabled)(name) ? undefined : tools.find((tool) => tool.name === name);
}

function list(tools: readonly ToolDef[]): void {
  const inputSchemas = zodToJsonSchemas(tools.map(({ schema }) => schema));
  tools.forEach((tool, at) => {
    const { name, description, annotations } = tool;
    listed.set(tool, { name, description, inputSchema: inputSchemas[at] as InputSchema, annotations });
  });
}
