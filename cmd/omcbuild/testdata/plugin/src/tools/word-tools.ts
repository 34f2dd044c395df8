import { inputs, reads, string, type ToolDef } from "./schema.js";

export const wordTools: ToolDef[] = [
  {
    name: "count_words",
    description: "Returns how many words a text has.",
    inputSchema: inputs({ text: string("The text.") }),
    annotations: reads,
    handler: (args) => String(String(args["text"]).split(/\s+/).filter(Boolean).length),
  },
];
