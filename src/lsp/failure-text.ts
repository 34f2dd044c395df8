/** Words for what goes wrong with a language server. */
import { ResponseError } from "vscode-jsonrpc/node";
import type { Ending } from "./server-process.js";

const MAX_CHARACTERS = 500;

/** A server's own message without its stack trace, cut to what a caller can use. */
export function serverMessage(text: string): string {
  const lines = text.split(/\r?\n/);
  const trace = lines.findIndex((line) => /^\s+at /.test(line));
  const message = (trace === -1 ? lines : lines.slice(0, trace)).join("\n").trim();
  return message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message || "unknown error";
}

/** What an exception of the connection means to the caller. */
export function requestFailure(method: string, error: unknown): string {
  const text = serverMessage(error instanceof Error ? error.message : String(error));
  return error instanceof ResponseError ? `the language server answered ${method} with error ${error.code}: ${text}` : text;
}

/** How a server process ended, and its last words. */
export function endingText(name: string, ending: Ending, lastWords: string): string {
  if (ending.error !== undefined) return `${name} could not be started: ${startTrouble(ending.error)}`;
  const how = ending.code === null ? `was ended by ${ending.signal ?? "a signal"}` : `exited (code ${ending.code})`;
  return `${name} ${how}${quoted(lastWords)}`;
}

/** A server's last words as an addition to a sentence. */
export function quoted(lastWords: string): string {
  return lastWords === "" ? "" : `; its last words:\n${lastWords}`;
}

function startTrouble(error: NodeJS.ErrnoException): string {
  if (error.code === "EACCES") return "it may not be executed";
  if (error.code === "ENOENT") return "its program, or the interpreter that runs it, is gone";
  return error.code ?? "unknown error";
}
