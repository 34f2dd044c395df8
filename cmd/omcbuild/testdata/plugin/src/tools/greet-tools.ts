import { inputs, reads, string, type ToolDef } from "./schema.js";

export const greetTools: ToolDef[] = [
  {
    name: "greet_person",
    description: "Returns a greeting for one person.",
    inputSchema: inputs({
      name: string("Who is greeted."),
      language: string("Language of the greeting, en by default.").optional(),
    }),
    annotations: reads,
    handler: (args) => (args["language"] === "de" ? "Hallo " : "Hello ") + String(args["name"]),
  },
];
