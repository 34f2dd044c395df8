import type * as z from "zod";

/** What a client may assume about a tool before it calls it. All four are said, so that no default decides. */
export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** What a tool answers: text for the model, and whether it is the text of a failure. */
export interface ToolResult {
  content: [{ type: "text"; text: string }];
  isError?: boolean;
}

/** One tool: what the model reads about it, and the function that does it. */
export interface ToolDefinition<S extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  schema: S;
  annotations: ToolAnnotations;
  /** Called with arguments that have passed `schema`. */
  handler(args: z.output<S>): Promise<ToolResult>;
}

/** Returns the tool as it is; the call is what gives `handler` the types of its own schema. */
export function defineTool<S extends z.ZodObject>(tool: ToolDefinition<S>): ToolDefinition<S> {
  return tool;
}

/** A result that says the tool did what it was asked to do. */
export function ok(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
