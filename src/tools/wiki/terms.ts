/**
 * What a query looks for. Scripts that write words apart give words. Chinese, Japanese and Korean text gives every pair
 * of neighbouring characters, since nothing tells where a word ends; Korean too, because endings are written onto the
 * words. Thai and its like, which have neither, are divided by the dictionary of the JavaScript engine.
 */
import { fold } from "./folding.js";

/** More terms than this say nothing more. */
const MAX_TERMS = 64;

const PAIRED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Bopomofo}々〆ヶー";
const UNDIVIDED = "\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const RUNS = new RegExp(`[${PAIRED}]+|[${UNDIVIDED}]+|(?:(?![${PAIRED}${UNDIVIDED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, "u");
const IS_UNDIVIDED = new RegExp(`^[${UNDIVIDED}]`, "u");

/** The folded terms of a query, each once, in the order of the query. */
export function termsOf(query: string): string[] {
  const terms = new Set<string>();
  for (const [run] of fold(query).matchAll(RUNS)) {
    for (const term of divide(run)) {
      terms.add(term);
      if (terms.size === MAX_TERMS) return [...terms];
    }
  }
  return [...terms];
}

function divide(run: string): string[] {
  if (IS_PAIRED.test(run)) return pairs([...run]);
  if (IS_UNDIVIDED.test(run)) return words(run);
  return [run];
}

function pairs(characters: string[]): string[] {
  if (characters.length <= 2) return [characters.join("")];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function words(run: string): string[] {
  return [...new Intl.Segmenter("th", { granularity: "word" }).segment(run)].map(({ segment }) => segment);
}
