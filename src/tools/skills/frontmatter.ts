/**
 * The head of a Markdown file, between two lines `---`: the part of YAML that skills use.
 *
 *     name: Plain, "double" or 'single' quoted
 *     description: >        (or |) joins the indented lines that follow
 *     triggers: [a, "b, c"]
 *     tags:
 *       - d                 indented or not
 */

/** A key's value: text, or the items of a list. */
export type Value = string | string[];

const KEY = /^([A-Za-z]\w*)[ \t]*:(?:[ \t]+(.*))?$/s;
const ITEM = /^[ \t]*-(?:[ \t]+(.*))?$/s;

/** The keys at the first level. Undefined when the text does not begin with a head, or the head does not end. */
export function parseFrontmatter(text: string): Map<string, Value> | undefined {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/).map((line) => line.trimEnd());
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end === -1) return undefined;
  const head = lines.slice(1, end);
  const values = new Map<string, Value>();
  for (let at = 0; at < head.length; at++) {
    const [, key, rest = ""] = KEY.exec(head[at] as string) ?? [];
    if (key !== undefined && !values.has(key)) values.set(key, valueOf(rest.trim(), head.slice(at + 1)));
  }
  return values;
}

/** @param below the lines after the key's */
function valueOf(rest: string, below: string[]): Value {
  if (rest === "") return takeWhile(below, (line) => line === "" || ITEM.test(line)).flatMap(itemOf);
  if (/^[|>][+-]?$/.test(rest)) return indented(below).join(" ").trim();
  if (!rest.startsWith("[")) return unquoted(rest);
  const whole = rest.endsWith("]") ? rest : [rest, ...indented(below)].join(" ");
  return splitItems(whole.replace(/^\[/, "").replace(/\]$/, ""));
}

function itemOf(line: string): string[] {
  const item = unquoted((ITEM.exec(line)?.[1] ?? "").trim());
  return item === "" ? [] : [item];
}

function indented(lines: string[]): string[] {
  return takeWhile(lines, (line) => line === "" || /^[ \t\]]/.test(line)).map((line) => line.trim());
}

function takeWhile(lines: string[], holds: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !holds(line));
  return end === -1 ? lines : lines.slice(0, end);
}

/** Splits at commas outside of quotes. */
function splitItems(text: string): string[] {
  const items = text.match(/(?:"(?:[^"\\]|\\[^])*"|'[^']*'|[^,"'])+|["']/g) ?? [];
  return items.map((item) => unquoted(item.trim())).filter((item) => item !== "");
}

function unquoted(text: string): string {
  const quote = text[0];
  if (text.length < 2 || (quote !== '"' && quote !== "'") || !text.endsWith(quote)) return text;
  const inner = text.slice(1, -1);
  return quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, "$1");
}
