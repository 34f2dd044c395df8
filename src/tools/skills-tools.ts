import type { ToolDef } from "../mcp/tool-registry.js";

export const skillsTools: readonly ToolDef[] = [];
