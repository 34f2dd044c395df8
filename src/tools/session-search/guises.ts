/**
 * Characters that become others when they are folded, in the order of Unicode. Tests go through all of Unicode to show
 * that none is missing.
 */

/** Characters beyond ASCII of which ASCII remains, each with what it becomes. */
export const ASCII_GUISES: readonly (readonly [character: string, ascii: string])[] = [
  ["\u00df", "ss"],
  ["\u0130", "i"],
  ["\u0131", "i"],
  ["\u0149", "n"],
  ["\u017f", "s"],
  ["\u0307", "i"], // the dot of a decomposed İ vanishes
  ["\u037e", ";"],
  ["\u1e9a", "a"],
  ["\u1e9e", "ss"],
  ["\u1fef", "`"],
  ["\u212a", "k"],
  ["\ufb00", "ff"],
  ["\ufb01", "fi"],
  ["\ufb02", "fl"],
  ["\ufb03", "ffi"],
  ["\ufb04", "ffl"],
  ["\ufb05", "st"],
  ["\ufb06", "st"],
];

/**
 * Behind which other letters may hide, as the beginnings of their UTF-8, for a regular expression over Latin-1. Some of
 * these let through whole blocks of rarer scripts.
 */
export const OTHER_GUISES = [
  // Accents, which make one letter of another, and parts of Korean syllables.
  "\\xcc|\\xcd[\\x80-\\xaf]|\\xd9[\\x93-\\x95]|\\xe0[\\xa4-\\xbf]|\\xe1[\\x80\\x84-\\x87\\xac]|\\xe3\\x82[\\x99\\x9a]|\\xf0[\\x91\\x96]",
  // µ ŉ ǅ, then Greek and Armenian letters that have several forms.
  "\\xc2\\xb5|\\xc5\\x89|\\xc7[\\x85\\x88\\x8b\\xb2]|\\xcd\\xb4|\\xce\\x87|\\xcf[\\x82\\x90\\x91\\x95\\x96\\xb0\\xb1\\xb4\\xb5]|\\xd6\\x87",
  // Older Cyrillic, Latin with dots, Greek with accents.
  "\\xe1(?:\\xb2|\\xba[\\x9a\\x9b]|[\\xbd-\\xbf])",
  // Spaces, signs for units, brackets.
  "\\xe2(?:\\x80[\\x80\\x81]|\\x84[\\xa6\\xab]|\\x8c[\\xa9\\xaa]|\\xab\\x9c)",
  // Chinese characters that were encoded twice, ligatures, musical signs.
  "\\xef[\\xa4-\\xad]|\\xf0(?:\\x9d[\\x85-\\x87]|\\xaf)",
].join("|");
