/** The prefilter must never leave out a line that has a match; that is shown here against parsing every line. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose, fold, isAscii } from "./folding.js";
import { ASCII_GUISES, OTHER_GUISES } from "./guises.js";
import { makePrefilter } from "./prefilter.js";
import { makeQuery } from "./query.js";

/** Whether a line is let through. */
function passes(line: string, query: string, caseSensitive = false): boolean {
  const prefilter = makePrefilter(makeQuery(query, caseSensitive));
  return prefilter.test(Buffer.from(line).toString("latin1"));
}

/** Characters that are hard to keep apart, among ordinary ones. */
const TRICKY = [..."aeikKnsSIıİßẞſŉKÅΩåωσςΣµμéêếйиИがか゛各각ᄀ각ﬁﬆﬀ豈豈ǅǆǄქႵ;;``/\\\"'.*[]()+?$^|{}-", "\u0301", "\u0302", "\u0306", "\u0307", "\u0323", "\u0345", "\u3099", "\u0344", "😀", "\ud800", "\udc00", "\ufffd", "\u0001", "\u007f", "\u00a0", "\u2000", "\ufeff", "\u1fb3", "\u0390", "\u01f0", "\u1e96", "\u0958", "\u0915", "\u093c"];
const character = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TRICKY) }, fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
const word = fc.array(character, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

/** A way to write a text in JSON: each character as it is, or with one of its escapes. */
function written(text: string, ways: readonly number[]): string {
  const SHORT: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\", "/": "\\/" };
  const units = Array.from({ length: text.length }, (_, at) => text[at] as string);
  const escapedUnit = (unit: string, upper: boolean) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${upper ? digits.toUpperCase() : digits}`;
  };
  const isPair = (at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at, at + 2));
  let line = "";
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] as string;
    const way = (ways[at % ways.length] ?? 0) % 8;
    const lone = /[\ud800-\udfff]/.test(unit);
    if (way >= 6 || (lone && !isPair(at))) line += escapedUnit(unit, way === 7);
    else if (lone) line += text.slice(at, ++at + 1);
    else if (SHORT[unit] !== undefined && (unit !== "/" || way === 0)) line += SHORT[unit];
    else line += unit < " " ? escapedUnit(unit, false) : unit;
  }
  return `{"text":"${line}"}`;
}

function respelled(text: string, how: number): string {
  switch (how % 6) {
    case 1:
      return text.normalize("NFD");
    case 2:
      return text.normalize("NFC");
    case 3:
      return text.toUpperCase();
    case 4:
      return text.toLowerCase();
    default:
      return text;
  }
}

describe("the prefilter", () => {
  it("lets through every line in which the query is found by parsing", () => {
    const ways = fc.array(fc.nat(), { minLength: 1, maxLength: 8 });
    let found = 0;
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), word, word, ways, fc.nat(), fc.boolean(), (words, before, after, how, spelling, caseSensitive) => {
        const text = respelled(`${before}${words.join(" ")}${after}`, spelling);
        if (words.join("").trim() === "") return;
        const query = makeQuery(words.join(" "), caseSensitive);
        const line = written(text, how);
        const { text: parsed } = JSON.parse(Buffer.from(line).toString("utf8")) as { text: string };
        const folded = caseSensitive ? compose(parsed) : fold(parsed);
        if (!query.words.every((each) => folded.includes(each))) return;
        found++;
        expect({ line, passes: makePrefilter(query).test(Buffer.from(line).toString("latin1")) }).toEqual({ line, passes: true });
      }),
      { numRuns: 4_000 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it.each([
    ["needle", '{"text":"a NeEdLe"}'],
    ["needle", '{"text":"\\u006eeedle"}'],
    ["NEEDLE", '{"text":"need\\u004Ce"}'],
    ['say "hi"', '{"text":"say \\"hi\\""}'],
    ["C:\\Users", '{"text":"c:\\\\users"}'],
    ["a/b", '{"text":"a\\/b"}'],
    ["two words", '{"text":"two\\nwords"}'],
    ["strasse", '{"text":"Straße"}'],
    ["STRASSE", '{"text":"stra\\u00DFe"}'],
    ["istanbul", '{"text":"İstanbul"}'],
    ["istanbul", '{"text":"I\u0307STANBUL"}'],
    ["isparta", '{"text":"ISPARTA ıSPARTA"}'],
    ["kelvin", '{"text":"\u212aelvin"}'],
    ["file", '{"text":"\ufb01le"}'],
    ["café", '{"text":"cafe\u0301"}'],
    ["café", '{"text":"CAF\\u00c9"}'],
    ["привет", '{"text":"ПРИВЕТ"}'],
    ["ΟΔΟΣ", '{"text":"οδος"}'],
    ["한글", '{"text":"\u1112\u1161\u11ab\u1100\u1173\u11af"}'],
    ["检索", '{"text":"全文检索"}'],
    ["がく", '{"text":"か\u3099く"}'],
    ["😀", '{"text":"\\ud83d\\ude00"}'],
    ["\u0301", '{"text":"e\u0323\u0301"}'],
  ])("finds %j in %s", (query, line) => {
    expect(makeQuery(query, false).matches((JSON.parse(line) as { text: string }).text)).toBe(true);
    expect(passes(line, query)).toBe(true);
  });

  it.each([
    ["needle", '{"text":"nothing of the kind — \\u001b[0m, café, 한글, 😀"}'],
    ["привет", '{"text":"nothing of the kind — café → \\u001b[0m 検索 한글 😀"}'],
    ["检索", '{"text":"nothing — 検査 привет ひらがな \\n \\" 한글"}'],
    ["한글", '{"text":"nothing — 検査 привет ひらがな 조선"}'],
  ])("leaves out what cannot have %j", (query, line) => {
    expect(passes(line, query)).toBe(false);
  });
});

describe("the guises", () => {
  const steady = /^(?![\p{M}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff])[\u0080-\u{10ffff}]$/u;
  const others = new RegExp(OTHER_GUISES);
  const latin1 = (text: string) => Buffer.from(text).toString("latin1");

  it("are all characters that fold to another than themselves", () => {
    const known = new Map(ASCII_GUISES);
    const missing: string[] = [];
    for (let code = 0x80; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const one = String.fromCodePoint(code);
      if (/[\p{Cn}\p{Co}]/u.test(one)) continue;
      const ascii = [...fold(one), ...compose(one)].filter(isAscii);
      if (!ascii.every((letter) => known.get(one)?.includes(letter.toLowerCase()))) missing.push(one);
      const folds = [...fold(one)].some((to) => steady.test(to) && to !== one && to.toUpperCase() !== one);
      const composes = [...compose(one)].some((to) => steady.test(to) && to !== one);
      if ((folds || composes) && !others.test(latin1(one))) missing.push(one);
      const parts = compose(one) === one ? [...one.normalize("NFD")].slice(1) : [];
      if (!parts.every((part) => others.test(latin1(part)))) missing.push(one);
    }
    expect(missing.map((one) => one.codePointAt(0)?.toString(16))).toEqual([]);
  });

  it("never reach over a line", () => {
    for (const query of ["needle", "é", "检索", "\u0301", "/"]) expect(passes("\n\n", query)).toBe(false);
  });
});
