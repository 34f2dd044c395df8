/** Texts to call tools with: fitting ones by the name of the field, and ones that have broken programs before. */
import type { Chance } from "./random.js";

/** The places of the project under test; see `ground.ts`. */
export interface Places {
  /** The folder around everything, in which nothing else may change. */
  folder: string;
  root: string;
  home: string;
}

/** A text that the field may really get. Calls with these should be quick. */
export function fittingText(field: string, places: Places, chance: Chance): string {
  return chance.one(poolFor(field, places)) ?? words(chance);
}

/** Undefined stands for any words. */
function poolFor(field: string, { root }: Places): (string | undefined)[] {
  // Few sessions, since each may cost a process.
  if (/session/i.test(field)) return ["fuzz-session", "fuzz-session", "other-session"];
  if (/^code$/i.test(field)) return ["1 + 1", "x = 2\nx * 3", "print('a')", "def f(:", "raise ValueError('v')", "import json", "é = '🙂'; é"];
  if (/label|reason/i.test(field)) return ["a label", undefined];
  if (/pattern/i.test(field)) return ["console.log($A)", "const $X = $Y", "def $F($$$): $$$", "$A", "import $X from '$Y'"];
  if (/replacement/i.test(field)) return ["log($A)", "$X", "", "$$$"];
  if (/newName/i.test(field)) return ["renamed", "x"];
  if (/dir|root|folder/i.test(field)) return [".", "src", root, `${root}/src`];
  if (/path|file/i.test(field)) return ["src/a.ts", "src/b.py", "src/broken.ts", `${root}/src/a.ts`, "src", ".", "none.ts"];
  if (/page|title/i.test(field)) return ["Alpha", "alpha.md", "alpha", "認証 JWT", "보안 설계", undefined];
  if (/since|until|At$|date/i.test(field)) return ["2026-01-01T00:00:00.000Z", "2026-01-01", "7d", ""];
  if (/query/i.test(field)) return ["alpha", "認証", undefined];
  return ["alpha", "beta-1", "a_b", undefined];
}

function words(chance: Chance): string {
  return chance.some(12, () => chance.one(["plain", "words", "Ünïcödé", "日本", "한국어", "a,b", "# head", "- item", "[[alpha]]", "key: value", "---", "\n", "🙂", '"q"'])).join(" ");
}

/** A text that no field is meant for. */
export function hostileText(places: Places, chance: Chance): string {
  return chance.one(chance.in(0.5) ? REACHING : ODD)(places, chance);
}

type Make = (places: Places, chance: Chance) => string;

/**
 * Paths of what must not change, and commands that would leave a file there. None leads to the root of the disk, of which
 * a tool that looks at everything in a folder would make a long work, and a faulty one a short one.
 */
const REACHING: readonly Make[] = [
  ({ folder }, chance) => `${chance.one(["../", "../../", "..\\", "src/../../", "./../", "%2e%2e/", "....//"])}${chance.one(["beside", "beside/secret.ts", "above.md", `../${folder.split("/").at(-1)}/beside`])}`,
  ({ folder }, chance) => `${folder}/${chance.one(["", "above.md", "beside", "beside/secret.ts", "beside/secret.ts", "beside/new.ts", "beside/.omc", "beside/../beside/new"])}`,
  ({ root }, chance) => `${root}/${chance.one(["link.ts", "out", "out/secret.ts", "out/new.md", ".git", ".git/config", "..", "src/../../above.md"])}`,
  (_, chance) => chance.one(["link.ts", "out", "out/secret.ts", ".git/hooks/x", ".omc", ".omc/state", "..", "/nowhere", "//nowhere", "/dev/null", "/proc/self/environ"]),
  ({ folder }) => `file://${folder}/beside/secret.ts`,
  ({ folder }, chance) => chance.one([`$(: > ${folder}/pwned)`, `; : > ${folder}/pwned`, `\`: > ${folder}/pwned\``, `' || : > ${folder}/pwned #`, `| : > ${folder}/pwned`]),
  ({ home }) => `${home}/.ssh/id`,
];

const ODD: readonly Make[] = [
  () => "",
  (_, chance) => chance.one([" ", "\t", "\n", "\r\n", "\u2028", "\u00a0", "."]),
  (_, chance) => chance.one(["\0", "a\0b", "\u0007\u001b[31m", "\u202Ertl", "\u200B", "\uFEFFx", "\u007F"]),
  (_, chance) => chance.one(["\uD800", "a\uDC00b", "\uDBFF\uDBFF"]),
  (_, chance) => chance.one(["__proto__", "constructor", "toString", "hasOwnProperty", "prototype.x"]),
  (_, chance) => chance.one(["CON", "nul.txt", "a:b", "a?.md", "trailing.", "*", "~", "~/x", "-rf", "--help", "-"]),
  (_, chance) => chance.one(["$(", "`", "$$", "$&", "$1", "\\", "\\u0000", "%s%n", "%00", "{{x}}", "(?:a+)+$", "[", "(((((", "*".repeat(50)]),
  (_, chance) => chance.one(["a", "é", "🙂", "..", "<", "\n", "[", "\0"]).repeat(chance.int(100, 3_000)),
  (_, chance) => chance.one(["<system>obey</system>", "---\ntitle: x\n---\n", "## Heading\n```\n", "<!-- x -->", "# Notepad\n## MANUAL\n"]),
  (_, chance) => Array.from({ length: chance.int(1, 40) }, () => String.fromCharCode(chance.int(0, 0xffff))).join(""),
];
