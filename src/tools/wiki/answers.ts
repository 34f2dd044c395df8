/** What the tools say. */
import { cut } from "../../lib/cut.js";
import { type Catalog, MAX_PAGES, type WikiPage } from "./catalog.js";
import { oneLine, renderIndex, shorten, shownLine, wholeCharacters } from "./index-file.js";
import type { Issue, IssueType } from "./lint.js";
import type { Hit } from "./search.js";
import type { Wiki } from "./wiki.js";
import type { Written } from "./write.js";

/** Longer answers cost a model more than they are worth; in characters. */
const MAX_LIST = 100_000;
const MAX_PAGE = 200_000;
const MAX_ISSUES = 300;
/** Of tags, links or sources of one page. Ours have fewer. */
const MAX_ITEMS = 200;
const MAX_LIST_LINE = 5_000;

export function ingested({ file, isNew, notes }: Written): string {
  const lines = ["Wiki ingest complete.", `- Created: ${isNew ? file : "none"}`, `- Updated: ${isNew ? "none" : file}`, "- Total affected: 1"];
  return withNotes(lines.join("\n"), notes);
}

export function added({ file, notes }: Written, { shownFolder }: Wiki): string {
  return withNotes(`Wiki page created: ${file}\nPath: ${shownFolder}/${file}`, notes);
}

export function deleted({ file, notes }: { file: string; notes: string[] }): string {
  return withNotes(`Deleted wiki page: ${file}`, notes);
}

function withNotes(text: string, notes: string[]): string {
  return notes.length === 0 ? text : `${text}\n\n${notes.map((note) => `Note: ${note}`).join("\n")}`;
}

export function hitList(query: string, hits: readonly Hit[], catalog: Catalog): string {
  const parts = hits.map(({ found: { file, page }, score, snippet }, at) =>
    [
      `### ${at + 1}. ${shownLine(page.title)} (${shownLine(page.category)}, ${shownLine(page.confidence)})`,
      `**File:** ${file} | **Tags:** ${shownList(page.tags)} | **Score:** ${score}`,
      `**Snippet:** ${snippet}`,
    ].join("\n"),
  );
  return [`## Wiki Query: "${shownQuery(query)}"`, `${hits.length} results:`, ...parts, ...leftOutNote(catalog)].join("\n\n");
}

export function noHits(query: string, catalog: Catalog, { label }: Wiki): string {
  return [`No wiki pages match "${shownQuery(query)}". (searched ${counted(catalog.pages.length)} in ${label})`, ...leftOutNote(catalog)].join("\n");
}

function leftOutNote({ leftOut }: Catalog): string[] {
  return leftOut > 0 ? [`Note: only the first ${MAX_PAGES} pages were looked at; ${leftOut} more are there.`] : [];
}

function shownQuery(query: string): string {
  return oneLine(cut(query));
}

export function lintReport(catalog: Catalog, issues: readonly Issue[]): string {
  const { pages } = catalog;
  if (issues.length === 0) return [`Wiki lint: ${pages.length} pages, no issues found.`, ...leftOutNote(catalog)].join("\n");
  const lines = issues.slice(0, MAX_ISSUES).map(({ severity, type, message }) => `- [${severity}] ${type}: ${message}`);
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`);
  const count = (type: IssueType) => issues.filter((issue) => issue.type === type).length;
  const summary = [
    `${count("orphan")} orphan`,
    `${count("stale")} stale`,
    `${count("broken-ref")} broken refs`,
    `${count("structural-contradiction")} contradictions`,
    `${count("oversized")} oversized`,
  ];
  if (count("unparsed") > 0) summary.push(`${count("unparsed")} unparsed`);
  return ["## Wiki Lint Report", "", `**${pages.length} pages**, ${issues.length} issues:`, "", ...lines, "", `**Summary:** ${summary.join(", ")}`, ...leftOutNote(catalog)].join("\n");
}

/** The index of the pages as they are now, whatever `index.md` says; shortened when there are very many. */
export function pageList(catalog: Catalog, { label }: Wiki): string {
  const { pages, strangers } = catalog;
  const notes = strangers.map(({ file, problem }) => `Note: ${file} ${problem}.`).slice(0, 20);
  if (pages.length === 0) {
    return [`Wiki is empty. (searched 0 pages in ${label}) Add pages with wiki_ingest or wiki_add.`, ...notes].join("\n");
  }
  notes.push(...leftOutNote(catalog));
  const time = new Date(Math.max(...pages.map(({ changedAt }) => changedAt))).toISOString();
  let text = renderIndex(pages, time);
  if (text.length > MAX_LIST) text = renderIndex(pages, time, { summaries: false });
  if (text.length > MAX_LIST) text = beginning(text);
  return [text, ...notes].join("\n");
}

function beginning(index: string): string {
  const shown = index.slice(0, index.lastIndexOf("\n", MAX_LIST) + 1);
  const entries = (text: string) => text.match(/^- /gm)?.length ?? 0;
  return `${shown}\n... and ${entries(index) - entries(shown)} more pages; find them with wiki_query.\n`;
}

export function pageText({ file, page, problem }: WikiPage): string {
  const list = (name: string, items: string[]) => (items.length === 0 ? [] : [`**${name}:** ${shownList(items)}`]);
  const head = [
    `## ${shownLine(page.title)}`,
    `**Category:** ${shownLine(page.category)} | **Confidence:** ${shownLine(page.confidence)} | **Updated:** ${shownLine(page.updated)}`,
    `**Tags:** ${shownList(page.tags) || "none"}`,
    ...list("Links", page.links),
    ...list("Sources", page.sources),
  ];
  const { body } = page;
  if (problem !== undefined) head.push(`**Note:** ${file} ${problem}${body === "" ? "." : "; its text as it is:"}`);
  if (body.length <= MAX_PAGE) return `${head.join("\n")}\n${body}`;
  return `${head.join("\n")}\n${wholeCharacters(body.slice(0, MAX_PAGE))}\n\n... ${body.length - MAX_PAGE} more characters are in ${file}.`;
}

function shownList(items: string[]): string {
  return shorten(items.slice(0, MAX_ITEMS).map(shownLine).join(", "), MAX_LIST_LINE);
}

function counted(pages: number): string {
  return pages === 1 ? "1 page" : `${pages} pages`;
}
