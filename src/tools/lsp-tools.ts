import type { ToolDef } from "../mcp/tool-registry.js";

export const lspTools: readonly ToolDef[] = [];
