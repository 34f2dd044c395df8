import type { ToolDef } from "../mcp/tool-registry.js";

export const pythonReplTools: readonly ToolDef[] = [];
