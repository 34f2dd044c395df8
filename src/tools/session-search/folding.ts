/**
 * How texts are compared. Upper and lower case are the same, also where one letter becomes two (ß, ﬁ); all kinds of
 * the letter i (I, i, İ, ı) are one; σ and ς are one; a letter with an accent is the same whether it is written as one
 * character or two, and differs from the letter without.
 */

const NOT_ASCII = /[\u0080-\uffff]/;

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** The text in the one form that all its spellings share. It may have another length. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  // Lower, upper, lower: ẞ becomes ß, then SS, then ss.
  const folded = text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll("ς", "σ").normalize("NFC").replaceAll("i\u0307", "i");
}

/** For a search that heeds case: only the ways to write an accent are made one. */
export function compose(text: string): string {
  return isAscii(text) ? text : text.normalize("NFC");
}
