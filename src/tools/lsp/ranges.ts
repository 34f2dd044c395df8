/**
 * Places as the tools show them. The protocol counts lines and UTF-16 units from 0, answers count both from 1:
 *
 *     12:5-12:9                    range
 *     12:5                         range of no length
 *     /srv/x/src/a.ts:12:5-12:9    location
 */
import type { Location, Position, Range } from "vscode-languageserver-protocol";

/** Turns a URI of a server into a path. */
export type PathOf = (uri: string) => string;

export function shownPosition({ line, character }: Position): string {
  return `${line + 1}:${character + 1}`;
}

export function shownRange({ start, end }: Range): string {
  if (start.line === end.line && start.character === end.character) return shownPosition(start);
  return `${shownPosition(start)}-${shownPosition(end)}`;
}

export function shownLocation({ uri, range }: Location, pathOf: PathOf): string {
  return `${pathOf(uri)}:${shownRange(range)}`;
}

/** Whether two ranges share a place; touching counts, so that a caret at the end of a word is on it. */
export function overlaps(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
