/** Words for what goes wrong with a language server. */
import { ResponseError } from "vscode-jsonrpc/node";
import type { ServerDefinition } from "./registry.js";
import { LspFailure } from "./session.js";
import type { Ending } from "./server-process.js";

const MAX_CHARACTERS = 500;
/** What the protocol's library for servers puts before the words of one whose handler failed. */
const WRAPPING = /^Request \S+ failed with message: /;

/** A server's own message without its stack trace, cut to what a caller can use; `otherwise` when nothing is left. */
export function serverMessage(text: string, otherwise = "unknown error"): string {
  const lines = text.split(/\r?\n/);
  const trace = lines.findIndex((line) => /^\s+at /.test(line));
  const message = (trace === -1 ? lines : lines.slice(0, trace)).join("\n").trim();
  return message.length > MAX_CHARACTERS ? `${message.slice(0, MAX_CHARACTERS)}…` : message || otherwise;
}

/** What an exception of the connection means to the caller; what the server answered is told in its own words. */
export function requestFailure(method: string, error: unknown): LspFailure {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ResponseError)) return new LspFailure(serverMessage(text));
  const words = serverMessage(text.replace(WRAPPING, ""), `${method} failed with error ${error.code}`);
  return new LspFailure(`the language server refused: ${words}`, { code: error.code, words });
}

/** Why a server could not be initialized. The classic TypeScript server may lack what only its user can give it. */
export function initializeFailure({ key, name, install }: ServerDefinition, error: unknown): LspFailure {
  const failure = requestFailure("initialize", error);
  if (failure.refusal === undefined) return failure;
  const { words } = failure.refusal;
  if (key !== "typescript" || !/valid TypeScript installation/i.test(words)) return new LspFailure(`${name} could not be initialized: ${words}`);
  return new LspFailure(`${name} has no TypeScript that it can use; version 7 and later are none for it.\nInstall with: ${install}`);
}

const ADVICE = "\nInstall with: ";

/** Whether the failure says all that needs doing, so that a server's last words would only be in the way. */
export function isAdvice({ message }: LspFailure): boolean {
  return message.includes(ADVICE);
}

/** What went wrong, for a place that has the advice beside it. */
export function withoutAdvice({ message }: Error): string {
  return message.split(ADVICE, 1).join("");
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
