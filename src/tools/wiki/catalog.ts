/**
 * The pages of a wiki, read from its folder. Pages that have not changed since are taken from memory, so that a wiki of
 * thousands of pages is read once. Nothing here writes.
 *
 * A text without frontmatter is a page too: somebody wrote it by hand, or tore it. It is shown with what can be told of
 * it, and `problem` says what is wrong.
 */
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile, UnreadableFileError } from "../../lib/atomic-file.js";
import { inBatches } from "../../lib/batches.js";
import { EXTENSION, isReserved } from "./names.js";
import { type Page, parsePage, unifyLines } from "./page.js";

export interface WikiPage {
  file: string;
  /** With a title that is never empty and times that are never empty. */
  page: Page;
  /** Whether the title is the page's own word, and not the file's name. */
  titled: boolean;
  /** Why the file is not a proper page, in words that follow its name; undefined for a proper one. */
  problem: string | undefined;
  /** When the file was changed, in milliseconds. */
  changedAt: number;
}

/** Something in a page's place that is no file to read: a link or a folder. */
export interface Stranger {
  file: string;
  problem: string;
}

export interface Catalog {
  /** Sorted by file name. */
  pages: WikiPage[];
  strangers: Stranger[];
  /** How many files were left out, because there are more than {@link MAX_PAGES}. */
  leftOut: number;
}

/** What stands for the category of a page that does not give one because it is not a proper page. */
export const NO_CATEGORY = "unparsed";
export const MAX_PAGES = 10_000;
/** Files over this size are listed and not read. */
export const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Of all pages together; the rest are listed and not read. */
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
/** Of texts kept in memory, in characters. */
const MAX_KEPT = 32 * 1024 * 1024;
/** A file that changed less than this before it was read may change again without looking changed. */
const UNSURE_MS = 100;

/** What may still be read. */
interface Budget {
  bytes: number;
}

interface Kept {
  signature: string;
  found: WikiPage;
}

/** Path → page. In the order in which they were read. */
const kept = new Map<string, Kept>();
let keptSize = 0;

/** All pages in the folder; none when there is no folder. @throws the signal's reason when aborted. */
export async function readCatalog(folder: string, signal: AbortSignal): Promise<Catalog> {
  const names = (await readdir(folder).catch(noFolder)).filter(isPageName).sort();
  const catalog: Catalog = { pages: [], strangers: [], leftOut: Math.max(0, names.length - MAX_PAGES) };
  const budget: Budget = { bytes: MAX_TOTAL_BYTES };
  const found = await inBatches(names.slice(0, MAX_PAGES), async (file) => {
    signal.throwIfAborted();
    return isUsable(file) ? readWikiPage(folder, file, budget) : { file: printable(file), problem: "has no proper name and was not used" };
  });
  for (const each of found) {
    if (each === undefined) continue;
    if ("page" in each) catalog.pages.push(each);
    else catalog.strangers.push(each);
  }
  return catalog;
}

/** Not so for names that nobody can pass, and those that are no UTF-8. */
function isUsable(file: string): boolean {
  return !/[\p{Cc}\uFFFD]/u.test(file);
}

function printable(file: string): string {
  return file.replace(/\p{Cc}/gu, "?");
}

/** Like {@link readWikiPage}, but for a name from a caller: some disks take names for equal that differ in letter case. */
export async function readNamedPage(folder: string, file: string): Promise<WikiPage | Stranger | undefined> {
  const names = await readdir(folder).catch(noFolder);
  return names.some((name) => name.normalize("NFC") === file.normalize("NFC")) ? readWikiPage(folder, file) : undefined;
}

/** What is in this place of the folder; undefined when nothing is. */
export async function readWikiPage(folder: string, file: string, budget?: Budget): Promise<WikiPage | Stranger | undefined> {
  const path = join(folder, file);
  const stats = await lstat(path, { bigint: true }).catch(gone);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return { file, problem: "is a symbolic link and was not used" };
  if (!stats.isFile()) return { file, problem: "is not a regular file and was not used" };
  const isRead = stats.size <= MAX_READ_BYTES;
  if (budget !== undefined && isRead && (budget.bytes -= Number(stats.size)) < 0) {
    return improper(file, "was not read, because the pages before it are very large", "", Number(stats.mtimeMs));
  }
  const signature = `${stats.ino}-${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}`;
  const before = kept.get(path);
  if (before?.signature === signature) return before.found;
  const found = await read(path, file, stats);
  if (found !== undefined && Date.now() - Number(stats.ctimeMs) > UNSURE_MS) keep(path, { signature, found });
  return found;
}

async function read(path: string, file: string, stats: BigIntStats): Promise<WikiPage | undefined> {
  const changedAt = Number(stats.mtimeMs);
  try {
    const text = await readTextFile(path, { maxBytes: MAX_READ_BYTES });
    if (text === undefined) return undefined;
    const isText = !text.includes("\uFFFD") || (await isUtf8(path));
    return isText ? pageOf(file, text, changedAt) : improper(file, "is not UTF-8 text", "", changedAt);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return improper(file, "may not be read by this user", "", changedAt);
    if (error instanceof UnreadableFileError) return improper(file, `has more than ${MAX_READ_BYTES} bytes and was not read`, "", changedAt);
    throw error;
  }
}

/** The page that the text is, with what it lacks filled in. */
export function pageOf(file: string, text: string, changedAt: number): WikiPage {
  const page = parsePage(text);
  if (page === undefined) return improper(file, "has no valid frontmatter", unifyLines(text), changedAt);
  const changed = timeOf(changedAt);
  const title = page.title || headingOf(page.body);
  return {
    file,
    page: {
      ...page,
      title: title || file.slice(0, -EXTENSION.length),
      created: page.created || page.updated || changed,
      updated: page.updated || changed,
    },
    titled: title !== "",
    problem: undefined,
    changedAt,
  };
}

function improper(file: string, problem: string, body: string, changedAt: number): WikiPage {
  const changed = timeOf(changedAt);
  const page: Page = {
    title: headingOf(body) || file.slice(0, -EXTENSION.length),
    tags: [],
    created: changed,
    updated: changed,
    sources: [],
    links: [],
    category: NO_CATEGORY,
    confidence: "unknown",
    schemaVersion: 1,
    extra: [],
    body,
  };
  return { file, page, titled: false, problem, changedAt };
}

function headingOf(body: string): string {
  return /^#[ \t]+(\S.{0,199})/m.exec(body.slice(0, 2_000))?.[1]?.trim() ?? "";
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Whether U+FFFD was written into the file, or stands for bytes that are no text. */
async function isUtf8(path: string): Promise<boolean> {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    return true;
  } catch {
    return false;
  }
}

function isPageName(name: string): boolean {
  return name.endsWith(EXTENSION) && !name.startsWith(".") && !isReserved(name);
}

function keep(path: string, entry: Kept): void {
  drop(path);
  kept.set(path, entry);
  keptSize += sizeOf(entry);
  for (const oldest of kept.keys()) {
    if (keptSize <= MAX_KEPT) break;
    drop(oldest);
  }
}

function drop(path: string): void {
  const entry = kept.get(path);
  if (entry === undefined) return;
  kept.delete(path);
  keptSize -= sizeOf(entry);
}

/** With something for what surrounds the text. */
function sizeOf({ found }: Kept): number {
  return found.page.body.length + 1_000;
}

function noFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return [];
}

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR" && error.code !== "ENAMETOOLONG") throw error;
  return undefined;
}
