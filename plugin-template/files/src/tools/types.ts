/**
 * What a tool is. A family file declares its tools with {@link defineTool} and exports them as one array; the registry
 * (`src/mcp/tool-registry.ts`) spreads the arrays.
 */
import type * as z from "zod";

/** What a client may assume about a tool before it calls it. All four are said, so that no default decides. */
export interface ToolAnnotations {
  /** Changes nothing that a later call, a person or another program could notice. */
  readOnlyHint: boolean;
  /** May remove or overwrite something that existed before. */
  destructiveHint: boolean;
  /** A second call with the same arguments changes nothing more. */
  idempotentHint: boolean;
  /** Reaches beyond this machine, or runs what it is given. */
  openWorldHint: boolean;
}

/** What a tool answers: text for the model, and whether it is the text of a failure. */
export interface ToolResult {
  content: [{ type: "text"; text: string }];
  isError?: boolean;
}

/** What a handler gets beside its arguments. */
export interface ToolContext {
  /** Aborted when the client cancels the call; pass it on to whatever can wait. */
  signal: AbortSignal;
}

/** One tool: what the model reads about it, and the function that does it. A handler that throws is a failed call. */
export interface ToolDefinition<S extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  schema: S;
  annotations: ToolAnnotations;
  /** Called with arguments that have passed `schema`. */
  handler(args: z.output<S>, context: ToolContext): Promise<ToolResult>;
}

/** Returns the tool as it is; the call is what gives `handler` the types of its own schema. */
export function defineTool<S extends z.ZodObject>(tool: ToolDefinition<S>): ToolDefinition<S> {
  return tool;
}

/** An answer that says what was asked for. */
export function ok(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** An answer that reports a failure in words the caller can act on. */
export function fail(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
