/**
 * Finding pages. The score of a page is the sum of
 *
 *     3  for each asked tag that is one of its tags
 *     2  for each term that a tag of it contains
 *     5  if its title contains the whole query, otherwise 2 for each term in the title
 *     1  for each term in its text
 *
 * All is compared folded. Pages of another category, or with none of the asked tags, are not found. An empty query
 * finds all the others. Equal scores keep the order of file names.
 */
import type { Page } from "./page.js";
import type { WikiPage } from "./catalog.js";
import { fold, unfoldedIndex } from "./folding.js";
import { firstLine, shorten, wholeCharacters } from "./index-file.js";
import { termsOf } from "./terms.js";
import { takingTurns } from "../../lib/turns.js";

const SNIPPET_BEFORE = 40;
const SNIPPET_AFTER = 80;
const SNIPPET_WITHOUT_TERM = 120;
/** How far into a text the first term is looked for, in characters. */
const SNIPPET_REACH = 256 * 1024;

export interface Question {
  query: string;
  tags: string[];
  category: string | undefined;
  limit: number;
}

export interface Hit {
  found: WikiPage;
  score: number;
  snippet: string;
}

/** The best pages, best first. @throws the signal's reason when aborted. */
export async function search(pages: readonly WikiPage[], question: Question, signal: AbortSignal): Promise<Hit[]> {
  const query = fold(question.query).trim();
  const terms = termsOf(question.query);
  const tags = question.tags.map(fold);
  const hits: { found: WikiPage; score: number }[] = [];
  const turn = takingTurns(signal);
  for (const found of pages) {
    await turn();
    if (question.category !== undefined && found.page.category !== question.category) continue;
    const pageTags = found.page.tags.map(fold);
    const matching = tags.filter((tag) => pageTags.includes(tag)).length;
    if (tags.length > 0 && matching === 0) continue;
    const textScore = scoreOf(found.page, pageTags, query, terms);
    if (textScore > 0) hits.push({ found, score: textScore + 3 * matching });
  }
  hits.sort((a, b) => b.score - a.score);
  const shown: Hit[] = [];
  for (const { found, score } of hits.slice(0, question.limit)) {
    await turn();
    shown.push({ found, score, snippet: snippetOf(found.page, terms) });
  }
  return shown;
}

function scoreOf(page: Page, tags: string[], query: string, terms: string[]): number {
  const title = fold(page.title);
  let score = title.includes(query) ? 5 : 2 * count(terms, (term) => title.includes(term));
  if (terms.length === 0) return score;
  const body = fold(page.body);
  score += 2 * count(terms, (term) => tags.some((tag) => tag.includes(term)));
  score += count(terms, (term) => body.includes(term));
  return score;
}

function count(terms: string[], matches: (term: string) => boolean): number {
  return terms.filter(matches).length;
}

/** Where the text begins behind its title, which it may have twice: as every page has it, and as its writer put it. */
function behindHeading(title: string, body: string): number {
  const heading = `# ${title}\n`;
  let at = 0;
  for (let times = 0; times < 2; times++) {
    const start = /\S/.exec(body.slice(at, at + SNIPPET_REACH));
    if (start === null || !body.startsWith(heading, at + start.index)) break;
    at += start.index + heading.length;
  }
  return at;
}

/** The surroundings of the first term in the text, or the text's beginning. */
function snippetOf({ title, body }: Page, terms: string[]): string {
  const behind = behindHeading(title, body);
  const text = body.slice(behind, behind + SNIPPET_REACH);
  const folded = fold(text);
  const places = terms.map((term) => folded.indexOf(term)).filter((place) => place >= 0);
  if (places.length === 0) return shorten(firstLine(title, text), SNIPPET_WITHOUT_TERM);
  const at = unfoldedIndex(text, Math.min(...places));
  const start = Math.max(0, at - SNIPPET_BEFORE);
  const end = Math.min(text.length, at + SNIPPET_AFTER);
  const words = wholeCharacters(text.slice(start, end)).replace(/\s+/g, " ").trim();
  return `${start > 0 ? "..." : ""}${words}${end < text.length ? "..." : ""}`;
}
