/**
 * Changing the wiki. Every change happens under one lock, which oh-my-claudecode takes too: the page first, which is
 * all that counts, then the index and the log. If those two fail, the change has been made all the same, and the
 * answer says what is missing; the next change makes the index anew.
 */
import { lstat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createFileAtomic, sweepLeftovers, writeFileAtomic } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { errorText } from "../error-text.js";
import { type Catalog, readCatalog, readNamedPage, readWikiPage, type WikiPage } from "./catalog.js";
import { renderIndex } from "./index-file.js";
import { type LinkResolver, linkResolver } from "./links.js";
import { addToLog, type LogEntry } from "./log-file.js";
import { candidateNames, cleanTitle, fileOf, INDEX_FILE, isReserved, LOG_FILE, plainName, storable, titleKey } from "./names.js";
import { CONFIDENCES, newBody, type Page, parsePage, renderPage, updatedBody } from "./page.js";
import { ignoreFolder, prepareFolder, type Wiki } from "./wiki.js";

/** A page would not be written over this size, in bytes. */
export const MAX_PAGE_BYTES = 1024 * 1024;
/** The lock is the reference's `.wiki-lock.lock`. */
const LOCKED = ".wiki-lock";
const LOCK_WAIT_MS = 15_000;

/** A change that was refused. The message says what to do. */
export class WikiError extends Error {
  override name = "WikiError";
}

/** A page that was to be new is there already. The message is the whole answer. */
export class PageExistsError extends Error {
  override name = "PageExistsError";
}

/** What a caller wants to be kept. */
export interface Draft {
  title: string;
  content: string;
  tags: string[];
  category: string;
  sources: string[];
  confidence: string | undefined;
}

export interface Written {
  file: string;
  isNew: boolean;
  /** Sentences for the caller: why the file has another name than expected, what could not be brought up to date. */
  notes: string[];
}

/**
 * Writes a page. When there is one of this title, `ifThere` says whether to add to it or to refuse.
 * @throws {WikiError | PageExistsError} when it is refused; {LockTimeoutError}; the signal's reason.
 */
export async function writePage(wiki: Wiki, draft: Draft, ifThere: "merge" | "refuse", signal: AbortSignal): Promise<Written> {
  const title = cleanTitle(draft.title);
  const plain = plainName(title);
  // A title in another script has only a part of itself in the name; that part alone is not a reserved word.
  if (isReserved(plain) && /^[ -~]*$/.test(title)) {
    throw new WikiError(`Cannot write to reserved wiki file: ${plain}; nothing was written. Choose a longer title`);
  }
  await prepareFolder(wiki);
  return withFileLock(join(wiki.folder, LOCKED), { waitMs: LOCK_WAIT_MS, signal }, async () => {
    const before = await readCatalog(wiki.folder, signal);
    const place = await placeFor(wiki, title, ifThere, before);
    if (place.found !== undefined && ifThere === "refuse") throw alreadyThere(place.found);
    const time = new Date().toISOString();
    const linked = linkResolver(before.pages);
    const page = place.found === undefined ? newPage(title, draft, time, linked) : mergedPage(place.found.page, draft, time, linked);
    await store(wiki, place, renderPage(page));
    const isNew = place.found === undefined;
    const summary = `${isNew ? "Created" : "Added to"} "${page.title}"`;
    const notes = await keepBooks(wiki, before, { time, op: "ingest", pages: [place.file], summary });
    return { file: place.file, isNew, notes: [...place.notes, ...notes] };
  });
}

/**
 * Removes a page. False when there is none of this file name.
 * @throws {WikiError} for files that are not pages; {LockTimeoutError}; the signal's reason.
 */
export async function deletePage(wiki: Wiki, page: string, signal: AbortSignal): Promise<{ file: string; notes: string[] } | undefined> {
  const file = fileOf(page);
  if (file === undefined) return undefined;
  if (isReserved(file)) throw new WikiError(`Cannot delete reserved wiki file: ${file}; nothing was deleted`);
  if ((await readNamedPage(wiki.folder, file)) === undefined) return undefined;
  return withFileLock(join(wiki.folder, LOCKED), { waitMs: LOCK_WAIT_MS, signal }, async () => {
    const found = await readNamedPage(wiki.folder, file);
    if (found === undefined) return undefined;
    if (!("page" in found)) throw new WikiError(`'${file}' ${found.problem}; nothing was deleted`);
    const before = await readCatalog(wiki.folder, signal);
    await unlink(join(wiki.folder, file));
    const summary = `Deleted "${found.page.title}"`;
    return { file, notes: await keepBooks(wiki, before, { time: new Date().toISOString(), op: "delete", pages: [file], summary }) };
  });
}

interface Place {
  file: string;
  /** The page of this title, when there is one. */
  found: WikiPage | undefined;
  notes: string[];
}

/** The page of this title, under whatever name, or the first place for it in which nothing is. */
async function placeFor(wiki: Wiki, title: string, ifThere: "merge" | "refuse", { pages }: Catalog): Promise<Place> {
  let free: string | undefined;
  const notes: string[] = [];
  for (const file of candidateNames(title)) {
    const found = await readWikiPage(wiki.folder, file);
    if (found === undefined) {
      free ??= file;
      continue;
    }
    if (!("page" in found)) throw new WikiError(`'${file}' ${found.problem}; nothing was written`);
    if (isPageOf(found, title)) return { file, found, notes: [] };
    if (found.problem !== undefined && ifThere === "refuse") throw occupied(found);
    if (free === undefined) notes.push(otherTitle(found));
  }
  const elsewhere = pages.find((page) => isPageOf(page, title));
  if (elsewhere !== undefined) return { file: elsewhere.file, found: elsewhere, notes: [] };
  if (free === undefined) throw new WikiError("all file names for this title are taken; nothing was written. Choose another title");
  return { file: free, found: undefined, notes };
}

function isPageOf(found: WikiPage, title: string): boolean {
  if (found.problem !== undefined) return false;
  return titleKey(found.page.title) === titleKey(title) || (!found.titled && found.file === plainName(title));
}

function alreadyThere({ file, page }: WikiPage): PageExistsError {
  return new PageExistsError(
    `Page "${file}" already exists, with the title "${page.title}"; nothing was written. Add to it with wiki_ingest, or remove it with wiki_delete.`,
  );
}

function occupied({ file, problem }: WikiPage): PageExistsError {
  return new PageExistsError(
    `Page "${file}" already exists, but ${problem}; nothing was written. Repair it by hand, remove it with wiki_delete, or choose another title.`,
  );
}

function otherTitle({ file, page, problem }: WikiPage): string {
  if (problem !== undefined) return `'${file}' ${problem} and was left as it is.`;
  return `'${file}' is the page "${page.title}", another title; to add to it, use that one.`;
}

function newPage(title: string, draft: Draft, time: string, linked: LinkResolver): Page {
  return {
    title,
    tags: unique(draft.tags.map(storable)),
    created: time,
    updated: time,
    sources: unique(draft.sources.map(storable)),
    links: linked(draft.content),
    category: draft.category,
    confidence: draft.confidence ?? "medium",
    schemaVersion: 1,
    extra: [],
    body: newBody(title, draft.content),
  };
}

/** The page with the draft added. Its title, category and other fields stay; its confidence does not go down. */
function mergedPage(page: Page, draft: Draft, time: string, linked: LinkResolver): Page {
  const confidence = draft.confidence ?? "medium";
  return {
    ...page,
    tags: unique([...page.tags, ...draft.tags.map(storable)]),
    sources: unique([...page.sources, ...draft.sources.map(storable)]),
    links: unique([...page.links, ...linked(draft.content)]),
    updated: time,
    confidence: rank(confidence) >= rank(page.confidence) ? confidence : page.confidence,
    body: updatedBody(page.body, time, draft.content),
  };
}

function rank(confidence: string): number {
  const at = (CONFIDENCES as readonly string[]).indexOf(confidence);
  return at < 0 ? 2 : CONFIDENCES.length - at;
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

async function store(wiki: Wiki, { file, found }: Place, text: string): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAGE_BYTES) {
    throw new WikiError(
      `'${file}' would have ${bytes} bytes, over its limit of ${MAX_PAGE_BYTES}; nothing was written. Begin a page of another title`,
    );
  }
  if (parsePage(text) === undefined) {
    throw new WikiError(`'${file}' would have too many tags, sources and links; nothing was written. Begin a page of another title`);
  }
  const path = join(wiki.folder, file);
  if (found === undefined) {
    if (!(await createFileAtomic(path, text))) throw new WikiError(`'${file}' was made by another program just now; nothing was written, try again`);
    return;
  }
  const { mode } = await lstat(path);
  await writeFileAtomic(path, text, { mode: mode & 0o777 });
}

/** Brings everything around the pages up to date after a change of those in `entry`. Returns what failed, in sentences. */
async function keepBooks(wiki: Wiki, before: Catalog, entry: LogEntry): Promise<string[]> {
  const failures: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => failures.push(`${what} could not be brought up to date: ${errorText(error)}.`));
  };
  await attempt(INDEX_FILE, async () => {
    const pages = await pagesAfter(wiki, before, entry.pages);
    await writeFileAtomic(join(wiki.folder, INDEX_FILE), renderIndex(pages, entry.time));
  });
  await attempt(LOG_FILE, () => addToLog(wiki.folder, entry));
  await attempt(".omc/.gitignore", () => ignoreFolder(wiki));
  await Promise.all([...entry.pages, INDEX_FILE, LOG_FILE].map((name) => sweepLeftovers(wiki.folder, name)));
  return failures;
}

async function pagesAfter(wiki: Wiki, before: Catalog, changed: string[]): Promise<WikiPage[]> {
  const pages = before.pages.filter(({ file }) => !changed.includes(file));
  for (const file of changed) {
    const now = await readWikiPage(wiki.folder, file);
    if (now !== undefined && "page" in now) pages.push(now);
  }
  return pages.sort((a, b) => (a.file < b.file ? -1 : 1));
}
