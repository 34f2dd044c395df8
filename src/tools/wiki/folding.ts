/**
 * Text as it is compared: without letter case, accents, and the width of East Asian letters. Marks that make another
 * letter stay: Japanese が is not か, and a Hangul syllable is one letter.
 */

/** Letters that no decomposition brings down to plain ones. */
const PLAIN: Record<string, string> = { ß: "ss", ı: "i", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ς: "σ" };

export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (/^[\0-\x7F]*$/.test(lower)) return lower;
  return lower
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "")
    .normalize("NFC")
    .replace(/[ßıøæœłđðþς]/g, (letter) => PLAIN[letter] ?? letter);
}

/** Where in `text` the character is of which the folded text has a part at `at`. */
export function unfoldedIndex(text: string, at: number): number {
  if (/^[\0-\x7F]*$/.test(text)) return at;
  let folded = 0;
  for (const match of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    folded += fold(match[0]).length;
    if (folded > at) return match.index;
  }
  return text.length;
}
