import type { ToolDef } from "../mcp/tool-registry.js";

export const mergeReadinessTools: readonly ToolDef[] = [];
