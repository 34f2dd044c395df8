/**
 * What a tool is. A family file declares its tools with {@link defineTool} and exports them as one array; the registry
 * (`src/mcp/tool-registry.ts`) spreads the arrays, and the frame validates the arguments before a handler sees them.
 */
import type * as z from "zod";

/** The four hints of the protocol. All are stated on every tool, and all are true of what its handler does. */
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

/** The answer of a tool: exactly one text, and whether it reports a failure (absent means no). */
export interface ToolResult {
  content: [{ type: "text"; text: string }];
  isError?: boolean;
}

/** What a handler gets beside its arguments. */
export interface ToolContext {
  /** Aborted when the client cancels the call or the server shuts down; pass it on to whatever can wait. */
  signal: AbortSignal;
}

/**
 * A tool. `schema` is the single statement of its input: it is served to the client with all its limits and checked by
 * the frame, so `handler` may trust `args`. A handler that throws is answered as `Error: <message>`.
 */
export interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  description: string;
  schema: S;
  annotations: ToolAnnotations;
  handler(args: z.output<S>, context: ToolContext): Promise<ToolResult>;
}

/** Returns `tool` as it is; it only lets the compiler infer the type of the handler's arguments from the schema. */
export function defineTool<S extends z.ZodObject>(tool: ToolDefinition<S>): ToolDefinition<S> {
  return tool;
}

/** A successful answer. */
export function ok(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: false };
}

/** An answer that reports a failure in words the caller can act on. */
export function fail(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
