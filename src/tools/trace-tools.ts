import type { ToolDef } from "../mcp/tool-registry.js";

export const traceTools: readonly ToolDef[] = [];
