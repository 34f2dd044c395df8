/**
 * `index.md`: one line for each page, by category. Hooks of oh-my-claudecode show its beginning at the start of a
 * session. It is made anew from the pages at every change, so whatever happened to it before is healed.
 */
import type { WikiPage } from "./catalog.js";

const MAX_SUMMARY = 80;
/** Of values of pages that others wrote; those of ours are shorter. */
const MAX_SHOWN = 250;

/** @param time the moment it is made, in ISO form */
export function renderIndex(pages: readonly WikiPage[], time: string, options: { summaries: boolean } = { summaries: true }): string {
  const byCategory = groupBy(pages, ({ page }) => shownLine(page.category));
  const lines = ["# Wiki Index", "", `> ${pages.length} pages | Last updated: ${time}`, ""];
  for (const category of [...byCategory.keys()].sort()) {
    lines.push(`## ${category}`, "");
    for (const found of byCategory.get(category) ?? []) lines.push(indexLine(found, options.summaries));
    lines.push("");
  }
  return lines.join("\n");
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function indexLine({ file, page, problem }: WikiPage, withSummary: boolean): string {
  const link = `- [${shownLine(page.title)}](${file})`;
  if (!withSummary) return link;
  const summary = shorten(firstLine(page.title, page.body), MAX_SUMMARY);
  return `${link} — ${problem === undefined ? summary : `(${problem}) ${summary}`.trimEnd()}`;
}

/** How far into a text its first line is looked for, in characters. */
const FIRST_LINE_REACH = 64 * 1024;

/** The first line that says something: no comment, and not the title again unless there is nothing else. */
export function firstLine(title: string, body: string): string {
  let at = 0;
  while (at < Math.min(body.length, FIRST_LINE_REACH)) {
    const newline = body.indexOf("\n", at);
    const end = newline < 0 ? body.length : newline;
    const line = body.slice(at, Math.min(end, at + 2_000)).trim();
    if (line !== "" && line !== `# ${title}` && !/^<!--.*-->$/.test(line)) return line;
    at = end + 1;
  }
  return `# ${shownLine(title)}`;
}

/** The text, or its beginning and `...`, together of at most `most` characters; no character is cut in two. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${wholeCharacters(text.slice(0, most - 3))}...`;
}

/** Without half a character at either end. */
export function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "").replace(/^[\uDC00-\uDFFF]/, "");
}

/** A title or another value of a page, of any length and form, as it is shown in a line. */
export function shownLine(value: string): string {
  return shorten(oneLine(value.slice(0, 2 * MAX_SHOWN)), MAX_SHOWN);
}

export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ");
}
