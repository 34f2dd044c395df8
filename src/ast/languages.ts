/** The languages, in the order in which the schema lists them, and what the engine has to know of each. */

/** What a language's files end in. A file that a caller names itself may end in anything. */
export const EXTENSIONS = {
  javascript: [".js", ".mjs", ".cjs", ".jsx"],
  typescript: [".ts", ".mts", ".cts"],
  tsx: [".tsx"],
  python: [".py"],
  ruby: [".rb"],
  go: [".go"],
  rust: [".rs"],
  java: [".java"],
  kotlin: [".kt", ".kts"],
  swift: [".swift"],
  c: [".c", ".h"],
  cpp: [".cpp", ".cc", ".cxx", ".hpp"],
  csharp: [".cs"],
  html: [".html", ".htm"],
  css: [".css"],
  json: [".json"],
  yaml: [".yaml", ".yml"],
} as const satisfies Record<string, readonly string[]>;

export type Language = keyof typeof EXTENSIONS;

export const LANGUAGES = Object.keys(EXTENSIONS) as [Language, ...Language[]];

/** Whether blocks of statements are put into braces. */
export function hasBraces(language: Language): boolean {
  return !["python", "ruby", "html", "css", "json", "yaml"].includes(language);
}

/**
 * The letter that stands for `$` where a grammar takes no `$` in a name. The matcher puts it in by itself; we need it
 * to parse a pattern on its own. Packages of languages say theirs.
 */
export const SIGILS: Partial<Record<Language, string>> = {
  c: "\u{10000}",
  cpp: "\u{10000}",
  csharp: "µ",
  css: "_",
  go: "µ",
  html: "z",
  kotlin: "µ",
  python: "µ",
  ruby: "µ",
  rust: "µ",
  swift: "µ",
};

/** Code around a pattern that means something only there, and the kinds of node that it may then be. */
export interface Surroundings {
  before: string;
  after: string;
  kinds: readonly string[];
}

const SCRIPT: readonly Surroundings[] = [
  { before: "x = { ", after: " }", kinds: ["pair", "method_definition"] },
  { before: "class X { ", after: " }", kinds: ["method_definition", "public_field_definition", "field_definition"] },
];

/** Tried in this order when a pattern does not parse by itself, or only as something else than was meant. */
export const SURROUNDINGS: Partial<Record<Language, readonly Surroundings[]>> = {
  javascript: SCRIPT,
  typescript: SCRIPT,
  tsx: SCRIPT,
  go: [{ before: "func x() { ", after: " }", kinds: ["call_expression"] }],
  c: [{ before: "void x() { ", after: "; }", kinds: ["call_expression"] }],
  css: [{ before: "x { ", after: " }", kinds: ["declaration"] }],
  java: [{ before: "class X { ", after: " }", kinds: ["method_declaration", "constructor_declaration", "field_declaration"] }],
  json: [{ before: "{ ", after: " }", kinds: ["pair"] }],
};

/** Kinds as which a call parses when it stands alone, and which hardly anybody means. */
export const MISREADINGS: Partial<Record<Language, readonly string[]>> = {
  go: ["type_conversion_expression"],
  c: ["macro_type_specifier"],
};
