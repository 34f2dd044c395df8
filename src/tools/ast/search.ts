/** `ast_grep_search`: what the engine found, as text. */
import type { Language } from "../../ast/languages.js";
import type { Match, SearchOutcome } from "../../ast/protocol.js";
import { cut } from "../../lib/cut.js";
import { ok, type ToolResult } from "../types.js";
import { notCode, tip } from "./advice.js";
import { ask, AstError, failure, omissions, sawFiles, startingPath } from "./answer.js";

/** Characters of all blocks together. */
const MAX_TEXT = 60_000;

export interface SearchArguments {
  pattern: string;
  language: Language;
  path: string;
  context: number;
  maxResults: number;
}

export async function runSearch(args: SearchArguments, signal: AbortSignal): Promise<ToolResult> {
  try {
    const path = await startingPath(args.path);
    const outcome = await ask({ kind: "search", ...args, path }, signal);
    if (outcome.matches.length === 0 && outcome.unclean && outcome.scan.scanned > 0) throw new AstError(notCode(args.pattern, args.language));
    return ok(outcome.matches.length === 0 ? nothing(args, outcome) : found(args, outcome));
  } catch (error) {
    return failure("AST search", error);
  }
}

function nothing({ pattern, language, path }: SearchArguments, { scan }: SearchOutcome): string {
  if (!sawFiles(scan)) return `No ${language} files found in ${cut(path)}`;
  const lines = [
    `No matches found for pattern: ${cut(pattern)}`,
    "",
    `Searched ${scan.scanned} ${language} file(s) in ${cut(path)}`,
    ...omissions(scan),
    tip(pattern, language),
  ];
  return lines.join("\n");
}

function found({ pattern, maxResults }: SearchArguments, { scan, matches }: SearchOutcome): string {
  const { blocks, left } = fitting(matches);
  const head = [
    `Found ${matches.length} match(es) in ${scan.scanned} file(s)`,
    `Pattern: ${cut(pattern)}`,
    `Files with matches: ${scan.matched}`,
    ...omissions(scan, maxResults),
  ];
  const tail = left === 0 ? "" : `\n\n... and ${left} more match(es), not shown because the answer would be too long; lower context or narrow path`;
  return `${head.join("\n")}\n\n${blocks.join("\n\n---\n\n")}${tail}`;
}

/** Blocks up to the limit, and how many matches are left. */
function fitting(matches: Match[]): { blocks: string[]; left: number } {
  const blocks: string[] = [];
  let size = 0;
  for (const match of matches) {
    const text = block(match);
    size += text.length;
    if (size > MAX_TEXT && blocks.length > 0) break;
    blocks.push(text);
  }
  return { blocks, left: matches.length - blocks.length };
}

function block({ file, line, lines }: Match): string {
  const shown = lines.map(({ number, text, hit }) => `${hit ? ">" : " "} ${String(number ?? "").padStart(4)}: ${text}`);
  return [`${file}:${line}`, ...shown].join("\n");
}
