/** Which files the `[[names]]` in a text mean: the page of that title, a file of that name, or where the page would be. */
import type { WikiPage } from "./catalog.js";
import { EXTENSION, fileOf, plainName, titleKey } from "./names.js";
import { linkedNames } from "./page.js";

export type LinkResolver = (text: string) => string[];

/** Finds the linked files of texts, each once, among these pages. */
export function linkResolver(pages: readonly WikiPage[]): LinkResolver {
  const files = new Set(pages.map(({ file }) => file));
  let byTitle: Map<string, string> | undefined; // most texts link to nothing
  const fileFor = (name: string) => {
    byTitle ??= new Map(pages.map(({ file, page }) => [titleKey(page.title), file]));
    const titled = byTitle.get(titleKey(name));
    if (titled !== undefined) return titled;
    const direct = fileOf(name);
    if (direct !== undefined && files.has(direct)) return direct;
    return plainName(name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : name);
  };
  return (text) => [...new Set(linkedNames(text).map(fileFor))];
}
