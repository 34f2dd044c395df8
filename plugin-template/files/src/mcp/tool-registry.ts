import { helloTools } from "../tools/hello-tools.js";
import type { ToolDefinition } from "../tools/types.js";

/** Every tool of the server, in the order in which it lists them. */
export const allTools: ToolDefinition[] = [...helloTools];
