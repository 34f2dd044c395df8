/** Finding: the places of the matches with the lines around them, cut to what can be shown. */
import type { Grammar } from "./module.js";
import { type Pattern } from "./pattern.js";
import type { Line, Match, SearchOutcome, SearchRequest } from "./protocol.js";
import { Lines, scanFiles, span } from "./scan.js";

/** Characters of a line that are shown. */
const MAX_LINE = 300;
/** Characters before the match that are shown of such a line. */
const LEAD = 60;
/** Lines of one match that are shown. */
const MAX_MATCH_LINES = 30;

/** Searches for at most `maxResults` matches. */
export async function search(request: SearchRequest, grammar: Grammar, pattern: Pattern): Promise<SearchOutcome> {
  const matches: Match[] = [];
  const scan = await scanFiles(request, grammar, pattern, ({ file, text, nodes }) => {
    const lines = new Lines(text);
    for (const node of nodes) {
      if (matches.length >= request.maxResults) return "results";
      matches.push(matchOf(file, lines, span(node), request.context));
    }
    return undefined;
  });
  return { kind: "search", scan, matches, unclean: pattern.unclean };
}

function matchOf(file: string, lines: Lines, { start, end }: { start: number; end: number }, context: number): Match {
  const first = lines.at(start);
  const last = Math.max(first, lines.at(Math.max(start, end - 1)));
  const shown: Line[] = [];
  const add = (from: number, to: number, hit: boolean) => {
    for (let line = Math.max(0, from); line <= Math.min(to, lines.count - 1); line++) {
      const column = hit && line === first ? start - lines.start(line) : 0;
      shown.push({ number: line + 1, text: clip(lines.read(line), column), hit });
    }
  };
  add(first - context, first - 1, false);
  const cutAt = Math.min(last, first + MAX_MATCH_LINES - 1);
  add(first, cutAt, true);
  if (cutAt < last) shown.push({ text: `… ${last - cutAt} more lines of this match`, hit: true });
  add(last + 1, last + context, false);
  return { file, line: first + 1, lines: shown };
}

/** A long line around the column, with its length. */
function clip(text: string, column: number): string {
  if (text.length <= MAX_LINE) return text;
  const from = column + MAX_LINE <= MAX_LINE + LEAD ? 0 : column - LEAD;
  const part = text.slice(from, from + MAX_LINE);
  return `${from > 0 ? "…" : ""}${part}${from + MAX_LINE < text.length ? "…" : ""} (${text.length} characters)`;
}
