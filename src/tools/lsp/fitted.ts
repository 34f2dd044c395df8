import { MAX_ANSWER } from "./limits.js";

/** The beginning of a list that fits into an answer. */
export interface Fitted {
  text: string;
  /** How many blocks were left out. */
  left: number;
}

/** Joins blocks as long as they fit; the first that does not, and all after it, are only counted. */
export function fitted(blocks: readonly string[], separator: string, limit = MAX_ANSWER): Fitted {
  let size = 0;
  let count = 0;
  for (const block of blocks) {
    size += block.length + separator.length;
    if (size > limit) break;
    count++;
  }
  return { text: blocks.slice(0, count).join(separator), left: blocks.length - count };
}

/** The same as one text, whose end says what was left out: `... and 12 more references (the answer would be too long)`. */
export function fittedText(blocks: readonly string[], separator: string, noun: string, limit = MAX_ANSWER): string {
  const { text, left } = fitted(blocks, separator, limit);
  if (left === 0) return text;
  return [text, leftOut(left, noun)].filter((part) => part !== "").join(separator);
}

export function leftOut(count: number, noun: string): string {
  return `... and ${count} more ${noun}${count === 1 ? "" : "s"} (the answer would be too long)`;
}

/** A text that may be long by itself, with a note in place of what was cut. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length - limit} more characters)`;
}
