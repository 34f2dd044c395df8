/**
 * Which lines of a transcript are worth parsing. A line is raw JSON, in which a text may be written with escapes, in
 * other case or with other characters for the same letters; yet no line may be left out that has a match. So of the
 * query one part is chosen, the anchor, and a line is let through if its bytes have the anchor, or anything behind which
 * the anchor could hide.
 *
 * An anchor has no characters that JSON may write with a backslash and a letter, and no accents that stand alone or
 * parts of Korean syllables, since those merge with what is before them. Then each of its characters can only come from
 *
 * - itself, or its upper case;
 * - `\u` and four hexadecimal digits;
 * - one of the guises in `guises.ts`: characters that fold to it, and accents that make it of another letter.
 *
 * When the query has no part that can be an anchor, every line is let through. The bytes are read as Latin-1, which is
 * several times faster than decoding them.
 */
import { isAscii } from "./folding.js";
import { ASCII_GUISES, OTHER_GUISES } from "./guises.js";
import { escaped, type Query } from "./query.js";

/** Runs of printable ASCII but for `"`, `\` and `/`, and of other letters but for those that merge. */
const ANCHOR = /(?:[!#-.0-[\]-~]|(?![\p{M}\p{Cs}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\ufffd])[\u0080-\u{10ffff}])+/gu;

/**
 * A global expression for lines whose bytes were read as Latin-1. It matches in each line that may have a match, never
 * across lines, and never nothing.
 */
export function makePrefilter({ words, caseSensitive }: Query): RegExp {
  const parts = words.flatMap((word) => word.match(ANCHOR) ?? []);
  const anchor = parts.reduce((best, part) => (Buffer.byteLength(part) > Buffer.byteLength(best) ? part : best), "");
  return anchor === "" ? /[^\r\n]/g : new RegExp([spelled(anchor, caseSensitive), ...hidden(anchor)].join("|"), "g");
}

/** The bytes of the anchor. Without the flag `i`, which would take bytes such as C3 and E3 for one. */
function spelled(anchor: string, caseSensitive: boolean): string {
  return [...anchor]
    .map((character) => {
      const cases = caseSensitive ? [character] : casesOf(character);
      return cases.length === 1 ? bytesOf(cases[0] as string) : `(?:${cases.map(bytesOf).join("|")})`;
    })
    .join("");
}

/** A folded character, and its upper case if that is one character too. */
function casesOf(character: string): string[] {
  const upper = character.toUpperCase();
  return upper === character || [...upper].length > 1 ? [character] : [character, upper];
}

/** For a regular expression over Latin-1. */
function bytesOf(text: string): string {
  if (isAscii(text)) return escaped(text);
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16)}`).join("");
}

/** What the anchor could hide behind. */
function hidden(anchor: string): string[] {
  const letters = new Set([...anchor.toLowerCase()].filter(isAscii));
  const guises = ASCII_GUISES.filter(([, ascii]) => [...ascii].some((letter) => letters.has(letter))).map(([guise]) => guise);
  const own = [...letters].flatMap(casesOf);
  const escapes = [...own, ...guises].map((each) => hexOf(each.charCodeAt(0)));
  if (isAscii(anchor)) return [`\\\\u(?:${escapes.join("|")})`, ...guises.map(bytesOf)];
  return [`\\\\u(?:${["(?!00[0-7])", ...escapes].join("|")})`, ...guises.map(bytesOf), OTHER_GUISES];
}

/** Four hexadecimal digits, of either case. */
function hexOf(code: number): string {
  return code.toString(16).padStart(4, "0").replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
