/**
 * The body of a notepad section: text, then entries. An entry starts at a line `### YYYY-MM-DD HH:MM`
 * (UTC) or at the older mark `<!-- WM:YYYY-MM-DD HH:MM -->` and goes on to the next start, whatever
 * other headings it contains. Splitting loses nothing: the pieces joined are the body.
 */
import { decodeContent, type Eol } from "./content.js";

/** One piece of a body, as it stands in the file. */
export interface Piece {
  raw: string;
  /** `YYYY-MM-DD HH:MM`; absent for the text before the first entry. */
  stamp?: string;
}

const START = /^(?:### (\d{4}-\d\d-\d\d \d\d:\d\d)[ \t\r]*$|<!-- WM:(\d{4}-\d\d-\d\d \d\d:\d\d) -->)/;

/** Lines with their terminators. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Cuts a body at the starts of its entries. The first piece is the text before them, maybe empty. */
export function splitEntries(body: string): Piece[] {
  const pieces: Piece[] = [{ raw: "" }];
  for (const line of linesOf(body)) {
    const found = START.exec(line.replace(/\n$/, ""));
    const stamp = found?.[1] ?? found?.[2];
    if (stamp === undefined) pieces.at(-1)!.raw += line;
    else pieces.push({ raw: line, stamp });
  }
  return pieces;
}

/** The body as its writer meant it: without comments, trimmed, decoded. */
export function readableBody(body: string, eol: Eol): string {
  const text = withLf(body, eol);
  // Piece by piece, so that a comment that somebody forgot to close hides no other entry.
  const visible = splitEntries(text).map((piece) => withoutComments(piece.raw));
  return decodeContent(visible.join("").trim());
}

/** Text without its comments, and without the line of a comment that has it for itself. One that is not closed stays. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf("<!--", from);
    const close = open === -1 ? -1 : text.indexOf("-->", open + 4);
    if (close === -1) return kept.join("") + text.slice(from);
    const lineStart = startOfBlanks(text, open, from);
    const opensLine = lineStart === 0 || text[lineStart - 1] === "\n";
    const restOfLine = /[ \t\r]*(?:\n|$)/y;
    restOfLine.lastIndex = close + 3;
    const rest = opensLine ? restOfLine.exec(text) : null;
    kept.push(text.slice(from, rest === null ? open : lineStart));
    from = close + 3 + (rest?.[0].length ?? 0);
  }
}

/** Where the spaces and tabs before `end` begin. */
function startOfBlanks(text: string, end: number, from: number): number {
  let at = end;
  while (at > from && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at;
}

/** Text of a file with its line endings brought to `\n`. A lone carriage return stays in files of LF lines. */
export function withLf(text: string, eol: Eol): string {
  return eol === "\n" ? text : text.replaceAll("\r\n", "\n");
}

/** The stamp of an entry written at this moment. */
export function stampOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}

/** Whether all of the minute named by `stamp` lies before `cutoff`. A stamp that names no real time is never old. */
export function isOlder(stamp: string, cutoff: Date): boolean {
  const start = Date.parse(`${stamp.replace(" ", "T")}:00Z`);
  return start + 60_000 <= cutoff.getTime();
}

/** A body without the entries older than `cutoff`; everything else stays byte for byte. */
export function pruneBody(body: string, cutoff: Date): { body: string; pruned: number; remaining: number } {
  const pieces = splitEntries(body);
  const kept = pieces.filter(({ stamp }) => stamp === undefined || !isOlder(stamp, cutoff));
  return { body: kept.map((piece) => piece.raw).join(""), pruned: pieces.length - kept.length, remaining: kept.length - 1 };
}
