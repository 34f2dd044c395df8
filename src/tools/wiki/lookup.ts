/** Reading one page, by its file name or by its title. */
import { cut } from "../../lib/cut.js";
import { readCatalog, readNamedPage, type WikiPage } from "./catalog.js";
import { ENVIRONMENT_FILE, fileOf, isReserved, titleKey } from "./names.js";
import type { Wiki } from "./wiki.js";

export type Lookup = { found: WikiPage } | { problem: string };

/** The page whose file or, failing that, whose title this is. What is not found comes with a sentence that says so. */
export async function findPage(wiki: Wiki, page: string, signal: AbortSignal): Promise<Lookup> {
  const file = fileOf(page);
  for (const folder of foldersOf(wiki)) {
    if (file !== undefined && (!isReserved(file) || file === ENVIRONMENT_FILE)) {
      const found = await readNamedPage(folder, file);
      if (found !== undefined && "page" in found) return { found };
      if (found !== undefined) return { problem: `${notFound(page)} (it ${found.problem})` };
    }
    const [titled] = await pagesTitled(folder, page, signal);
    if (titled !== undefined) return { found: titled };
  }
  return { problem: notFound(page) };
}

/** What to tell somebody who asked for a page by a name that no file has. */
export async function missingText(wiki: Wiki, page: string, signal: AbortSignal): Promise<string> {
  const titled = await pagesTitled(wiki.folder, page, signal);
  if (titled.length === 0) return notFound(page);
  return `${notFound(page)}; the page of that title is ${titled.map(({ file }) => `'${file}'`).join(", ")}`;
}

function foldersOf({ folder, older }: Wiki): string[] {
  return older === undefined ? [folder] : [folder, older];
}

async function pagesTitled(folder: string, title: string, signal: AbortSignal): Promise<WikiPage[]> {
  const key = titleKey(title);
  const { pages } = await readCatalog(folder, signal);
  return pages.filter(({ page }) => titleKey(page.title) === key);
}

function notFound(page: string): string {
  const name = cut(page.endsWith(".md") ? page : `${page}.md`);
  return `Wiki page not found: ${name.replace(/\p{Cc}/gu, " ")}`;
}
