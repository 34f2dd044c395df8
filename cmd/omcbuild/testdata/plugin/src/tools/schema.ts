/** The least of a schema library: enough for a plugin without dependencies. */
export interface Field {
  json: Record<string, unknown>;
  required: boolean;
  optional(): Field;
}

function field(json: Record<string, unknown>, required = true): Field {
  return { json, required, optional: () => field(json, false) };
}

export const string = (description: string): Field => field({ type: "string", description });
export const integer = (description: string): Field => field({ type: "integer", description });

export interface ToolDef {
  name: string;
  description: string;
  inputSchema: { type: "object"; properties: Record<string, unknown>; required: string[] };
  annotations: Record<string, boolean>;
  handler(args: Record<string, unknown>): string;
}

export function inputs(fields: Record<string, Field>): ToolDef["inputSchema"] {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, f]) => [name, f.json])),
    required: Object.entries(fields).filter(([, f]) => f.required).map(([name]) => name),
  };
}

export const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
