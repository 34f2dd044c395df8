/** What is searched for: a text matches when all words of the query are in it, each also as a part of a word. */
import { compose, fold, isAscii } from "./folding.js";

export interface Query {
  /** Without white space, and folded unless case counts. At least one. */
  words: string[];
  caseSensitive: boolean;
  /** Folds as the words are. */
  fold(text: string): string;
  matches(text: string): boolean;
  /**
   * True only if the text matches, and always then if it is ASCII. The text may be bytes read as Latin-1, in which
   * characters beyond ASCII look wrong.
   */
  surelyMatches(text: string): boolean;
}

/** @throws {Error} when there is nothing to search for. */
export function makeQuery(text: string, caseSensitive: boolean): Query {
  const folding = caseSensitive ? compose : fold;
  const words = [...new Set(wordsOf(folding(text)))];
  if (words.length === 0) throw new Error("Query cannot be empty");
  // What follows a match must be ASCII: an accent after the last letter would make it another letter.
  const flags = caseSensitive ? "" : "i";
  const sure = words.every(isAscii) ? words.map((word) => new RegExp(`${escaped(word)}(?![\\u0080-\\uffff])`, flags)) : undefined;
  const surelyMatches = (text: string) => sure !== undefined && sure.every((word) => word.test(text));
  const matches = (text: string) => {
    if (surelyMatches(text)) return true;
    if (isAscii(text)) return false;
    const folded = folding(text);
    return words.every((word) => folded.includes(word));
  };
  return { words, caseSensitive, fold: folding, matches, surelyMatches };
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** For a regular expression, with or without the flag `u`. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
