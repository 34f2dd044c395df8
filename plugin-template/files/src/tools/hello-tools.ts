import * as z from "zod";
import { defineTool, ok } from "./types.js";

const greetSchema = z.object({
  name: z.string().min(1).max(80).describe("Name of the person to greet, 1 to 80 characters."),
  tone: z.enum(["formal", "casual"]).optional().describe("How to address the person; casual when left out."),
});

export const greet = defineTool({
  name: "hello_greet",
  description: "Returns one line that greets a person by name. Use it when the user asks for a greeting.",
  schema: greetSchema,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async handler({ name, tone }) {
    return ok(tone === "formal" ? `Good day, ${name}.` : `Hello, ${name}!`);
  },
});

export const helloTools = [greet];
