import { greetTools } from "../tools/greet-tools.js";
import { wordTools } from "../tools/word-tools.js";
import type { ToolDef } from "../tools/schema.js";

export const allTools: ToolDef[] = [
  ...greetTools,
  ...wordTools,
];
