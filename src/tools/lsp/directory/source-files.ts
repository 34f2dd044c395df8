/** The files of a directory that a language server can check, in the order of their paths. */
import { opendir } from "node:fs/promises";
import { extname, join } from "node:path";
import { loadServers, supports } from "../../../lsp/sessions.js";

export interface SourceFiles {
  /** Absolute paths. */
  paths: string[];
  /** Whether there are more than were wanted. */
  more: boolean;
  /** Folders that could not be read. */
  unreadable: string[];
}

/** What is made or fetched, not written by the project's authors. */
const SKIPPED = new Set(["node_modules", "dist", "build", ".git", ".hg", ".svn", ".venv", "venv", "__pycache__", "target"]);
const MAX_FOLDERS = 20_000;

/** Walks without following links: what they lead to inside is found anyway, and what is outside was not asked for. */
export async function sourceFiles(directory: string, most: number, signal: AbortSignal): Promise<SourceFiles> {
  await loadServers();
  const found: SourceFiles = { paths: [], more: false, unreadable: [] };
  const due = [directory];
  let folders = 0;
  for (let folder = due.pop(); folder !== undefined; folder = due.pop()) {
    signal.throwIfAborted();
    if (++folders > MAX_FOLDERS) {
      found.more = true;
      break;
    }
    const { files, inner, readable } = await entriesOf(folder);
    if (!readable) found.unreadable.push(folder);
    for (const file of files) {
      if (found.paths.length === most) return { ...found, more: true };
      found.paths.push(file);
    }
    due.push(...inner.toReversed());
  }
  return found;
}

async function entriesOf(folder: string): Promise<{ files: string[]; inner: string[]; readable: boolean }> {
  const files: string[] = [];
  const inner: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) inner.push(path);
      else if (entry.isFile() && supports(path)) files.push(path);
    }
  } catch {
    return { files, inner, readable: false };
  }
  return { files: files.sort(), inner: inner.sort(), readable: true };
}

/**
 * Formats for data and pages, of which every project has some. That nothing can check them is mentioned, but does not
 * make the check of a program incomplete.
 */
const BESIDE_CODE = new Set([".json", ".jsonc", ".html", ".htm", ".css", ".scss", ".less", ".yaml", ".yml", ".toml", ".mdx", ".sh", ".bash", ".tf", ".tfvars"]);

export function isBesideCode(path: string): boolean {
  return BESIDE_CODE.has(extname(path).toLowerCase());
}
