/** The parts that the answers of both tools share. */
import { stat } from "node:fs/promises";
import { LANGUAGES } from "../../ast/languages.js";
import type { EngineOutcome, EngineRequest, Refusal, Scan } from "../../ast/protocol.js";
import { cut } from "../../lib/cut.js";
import { allowedPath, RestrictedPathError } from "../../lib/tool-paths.js";
import { errorText, isMistake } from "../error-text.js";
import { log } from "../../mcp/log.js";
import { fail, type ToolResult } from "../types.js";
import { EngineError } from "./engine-process.js";
import { askEngine } from "./engine-pool.js";

/** The release that has every language in it. */
const INSTALL = "npm install -g @ast-grep/napi@0.33.0";

/** Why there is no answer. The message is the whole text for the caller. */
export class AstError extends Error {
  override name = "AstError";
}

/** The real path that a call means. @throws {AstError} when there is nothing, {RestrictedPathError} when it is not allowed. */
export async function startingPath(path: string): Promise<string> {
  if (path.includes("\0")) throw new AstError("the path has a NUL character in it");
  const real = await allowedPath(path);
  const found = await stat(real).catch(() => undefined);
  if (found === undefined) throw new AstError(`there is no file or folder '${cut(path)}'`);
  if (!found.isFile() && !found.isDirectory()) throw new AstError(`'${cut(path)}' is neither a file nor a folder`);
  return real;
}

/** Characters of a pattern or a replacement. */
const MAX_INPUT = 100_000;

/** Asks the engine. @throws {AstError} for a refusal, {EngineError} when there is no engine. */
export async function ask<K extends EngineRequest["kind"]>(
  request: Extract<EngineRequest, { kind: K }>,
  signal: AbortSignal,
): Promise<Extract<EngineOutcome, { kind: K }>> {
  const { pattern } = request;
  const replacement = "replacement" in request ? request.replacement : "";
  if (Math.max(pattern.length, replacement.length) > MAX_INPUT) {
    throw new AstError(`the ${pattern.length > MAX_INPUT ? "pattern" : "replacement"} has more than ${MAX_INPUT} characters`);
  }
  const outcome = await askEngine(request, signal);
  if (outcome.kind === request.kind) return outcome as Extract<EngineOutcome, { kind: K }>;
  throw new AstError(refusal(outcome as Refusal, request));
}

function refusal({ kind, reason }: Refusal, { language, pattern }: EngineRequest): string {
  switch (kind) {
    case "unavailable":
      return `@ast-grep/napi is not available. Install it, then call again; no restart is needed:\n\n  ${INSTALL}\n\nThat release has all ${LANGUAGES.length} languages. The loader said: ${cut(reason)}`;
    case "unsupported":
      return `Unsupported language: ${language}\n\n${reason}. Install the release that has all ${LANGUAGES.length} languages, or the package of this one, then call again; no restart is needed:\n\n  ${INSTALL}\n  npm install -g @ast-grep/lang-${language}`;
    case "invalid":
      return `${cut(reason)}\nPattern: ${cut(pattern)}`;
  }
}

/** The answer for what went wrong. `operation` is "AST search" or "AST replace". */
export function failure(operation: string, error: unknown): ToolResult {
  if (error instanceof AstError && /^(@ast-grep\/napi|Unsupported)/.test(error.message)) return fail(error.message);
  if (error instanceof AstError || error instanceof EngineError || error instanceof RestrictedPathError) {
    return fail(`Error in ${operation}: ${error.message}`);
  }
  if (isMistake(error)) log(`${operation}: ${(error as Error).stack}`);
  return fail(`Error in ${operation}: ${errorText(error)}`);
}

/** Lines that say what was not looked at; none when everything was. */
export function omissions({ scanned, stopped, tooBig, notText, unreadable }: Scan, maxResults?: number): string[] {
  const lines: string[] = [];
  if (stopped === "results") lines.push(`Stopped at maxResults (${maxResults}): there are more matches. Raise it (at most 100) or narrow path or pattern.`);
  if (stopped === "files") lines.push(`Stopped after ${scanned} files, the most that are searched: name a smaller path.`);
  if (stopped === "time") lines.push(`Stopped after 30 s, with ${scanned} files searched: name a smaller path.`);
  if (stopped === "size") lines.push("Stopped: there are more changes than one call makes. Name a smaller path or a narrower pattern.");
  const skipped = [count(tooBig, "over 2 MiB"), count(notText, "not UTF-8"), count(unreadable, "unreadable")].filter((text) => text !== "");
  if (skipped.length > 0) lines.push(`Skipped files: ${skipped.join(", ")}`);
  return lines;
}

function count(number: number, what: string): string {
  return number === 0 ? "" : `${number} ${what}`;
}

/** Whether there was any file to look at. */
export function sawFiles({ scanned, tooBig, notText, unreadable }: Scan): boolean {
  return scanned + tooBig + notText + unreadable > 0;
}
