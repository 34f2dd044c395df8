/** What a caller reads when a call of an lsp tool fails. */
import { RestrictedPathError } from "../../lib/tool-paths.js";
import { LspFailure, type Refusal } from "../../lsp/session.js";
import { log } from "../../mcp/log.js";
import { errorText, isMistake } from "../error-text.js";
import { clipped } from "./fitted.js";
import { MAX_MESSAGE } from "./limits.js";

/** What the caller asks about cannot be asked; the message is shown as it is. */
export class AskedError extends Error {
  override readonly name = "AskedError";
}

/** `Error in hover: …`; what is missing (a file, a program) and what is not permitted is said without that. */
export function failureText(operation: string, error: unknown): string {
  if (error instanceof AskedError || error instanceof RestrictedPathError) return error.message;
  const words = clipped(withoutTrace(reasonOf(operation, error)), MAX_MESSAGE);
  return words.includes("not found") ? words : `Error in ${operation}: ${words}`;
}

/** Whether a server answered the request with an error, and so is well, unlike one that crashed or hangs. */
export function isRefusal(error: unknown): error is LspFailure & { refusal: Refusal } {
  return error instanceof LspFailure && error.refusal !== undefined;
}

/** The words of a server or of ours, without the lines of a stack trace. */
export function withoutTrace(text: string): string {
  const lines = text.split(/\r?\n/);
  const kept = lines.filter((line) => !/^\s+at /.test(line));
  return kept.join("\n").trim() || "failed without a reason";
}

/** A fault in the language of our code means that the server's answer was not of the form that the protocol has. */
function reasonOf(operation: string, error: unknown): string {
  if (!isMistake(error)) return errorText(error);
  log(`lsp ${operation}: ${(error as Error).stack}`);
  return "the answer of the language server is not of a form that the protocol has";
}
