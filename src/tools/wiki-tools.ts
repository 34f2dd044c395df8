import type { ToolDef } from "../mcp/tool-registry.js";

export const wikiTools: readonly ToolDef[] = [];
