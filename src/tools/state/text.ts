/** Pieces of the answers. */
import { fail, ok, type ToolResult } from "../types.js";
import { errorText } from "../error-text.js";

export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Runs a handler; whatever it throws becomes an error answer that starts with `what`. */
export async function answering(what: string, handler: () => Promise<string | ToolResult>): Promise<ToolResult> {
  try {
    const answer = await handler();
    return typeof answer === "string" ? ok(answer) : answer;
  } catch (error) {
    return fail(`${what}: ${errorText(error)}`);
  }
}

export const NO_SESSION_WARNING =
  "WARNING: No session_id provided. This is the place shared by all sessions, so parallel sessions see and change the " +
  "same state. Pass session_id to keep them apart.";
