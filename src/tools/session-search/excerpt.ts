/** A short piece of a text that shows where the query is found in it, on one line. */
import { isAscii } from "./folding.js";
import { escaped, type Query } from "./query.js";

interface Range {
  from: number;
  to: number;
}

/** Folding is done piece by piece to find a place again; in UTF-16 units. */
const PIECE = 4096;
/** Of more words the rest is not shown. */
const MAX_WORDS = 12;

/**
 * The words of the query as one phrase if they are found so, else each of them, with what stands around.
 * @param context characters before and after; shared out when the words are apart
 */
export function excerptOf(text: string, query: Query, context: number): string {
  const folded = query.fold(text);
  const ranges = placesOf(folded, query.words).map(({ from, to }) => original(text, query, { from, to }));
  const around = Math.max(20, Math.floor(context / ranges.length));
  const shown: (Range & { start: number; end: number })[] = [];
  for (const range of ranges) {
    const start = widened(text, range.from, -around);
    const end = widened(text, range.to, around);
    const last = shown.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else shown.push({ ...range, start, end });
  }
  const pieces = shown.map(({ start, end }) => collapse(text.slice(start, end)).trim());
  const atStart = shown[0] === undefined || isBlank(text.slice(0, Math.min(shown[0].start, PIECE)));
  const atEnd = shown.at(-1) === undefined || isBlank(text.slice((shown.at(-1) as Range & { end: number }).end).slice(0, PIECE));
  return `${atStart ? "" : "…"}${pieces.join(" … ")}${atEnd ? "" : "…"}`;
}

/** Where the phrase is, or the first place of each word, in order. */
function placesOf(folded: string, words: readonly string[]): Range[] {
  const phrase = new RegExp(words.map(escaped).join("\\s+")).exec(folded);
  if (phrase !== null) return [{ from: phrase.index, to: phrase.index + phrase[0].length }];
  return words
    .slice(0, MAX_WORDS)
    .map((word) => ({ from: folded.indexOf(word), to: folded.indexOf(word) + word.length }))
    .filter(({ from }) => from >= 0)
    .toSorted((a, b) => a.from - b.from);
}

/** The place in the text that became this place in the folded text. */
function original(text: string, query: Query, { from, to }: Range): Range {
  if (isAscii(text)) return { from, to };
  return { from: unfolded(text, query, from), to: unfolded(text, query, to) };
}

function unfolded(text: string, query: Query, place: number): number {
  let at = 0;
  let passed = 0;
  while (at < text.length) {
    const piece = text.slice(at, widened(text, at, PIECE));
    const length = query.fold(piece).length;
    if (passed + length > place) break;
    passed += length;
    at += piece.length;
  }
  for (const character of text.slice(at, at + PIECE)) {
    if (passed >= place) break;
    passed += query.fold(character).length;
    at += character.length;
  }
  return Math.min(at, text.length);
}

/** Moves a place by that many characters of collapsed white space, and out of the middle of a character. */
function widened(text: string, from: number, by: number): number {
  const step = Math.sign(by);
  let at = from;
  let blank = false;
  for (let left = Math.abs(by); left > 0; at += step) {
    const next = text[step < 0 ? at - 1 : at];
    if (next === undefined) return at;
    const isWhite = /\s/.test(next);
    if (!isWhite || !blank) left--;
    blank = isWhite;
  }
  return /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at + step : at;
}

function collapse(text: string): string {
  return text.replace(/\s+/g, " ");
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
