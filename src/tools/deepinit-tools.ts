import type { ToolDef } from "../mcp/tool-registry.js";

export const deepinitTools: readonly ToolDef[] = [];
