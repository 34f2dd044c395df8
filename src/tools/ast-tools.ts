import type { ToolDef } from "../mcp/tool-registry.js";

export const astTools: readonly ToolDef[] = [];
