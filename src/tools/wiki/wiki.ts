/** Where the wiki of a project is: the folder `wiki` of its `.omc`. */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createFileAtomic, readTextFile, writeFileAtomic } from "../../lib/atomic-file.js";
import { contained, containedDir } from "../../lib/omc-paths.js";
import { resolveWorkspace, type Workspace } from "../../lib/workspace.js";
import { type Catalog, readCatalog } from "./catalog.js";

const FOLDER = "wiki";
const IGNORED = "wiki/";
const MAX_GITIGNORE_BYTES = 1024 * 1024;

export interface Wiki {
  omc: string;
  /** Absolute. It need not exist. */
  folder: string;
  /** The folder in words for the caller: `project/.omc/wiki`. */
  label: string;
  /** How the path of a page begins that the caller may open. */
  shownFolder: string;
  /** A folder of an older layout, which other directories share; to read from when there is no page in `folder`. */
  older: string | undefined;
}

/** @throws {WorkspaceError | UnsafePathError} when the folder must not be used. */
export async function openWiki(workingDirectory: string | undefined): Promise<Wiki> {
  const workspace = await resolveWorkspace(workingDirectory);
  const { omc, fallbackOmc } = workspace;
  return {
    omc,
    folder: await contained(omc, FOLDER),
    older: fallbackOmc === undefined ? undefined : await contained(fallbackOmc, FOLDER).catch(() => undefined),
    ...shown(workspace),
  };
}

/** The folder to read from, and its pages. */
export async function readWiki(wiki: Wiki, signal: AbortSignal): Promise<Catalog & { folder: string }> {
  const own = await readCatalog(wiki.folder, signal);
  if (own.pages.length > 0 || wiki.older === undefined) return { ...own, folder: wiki.folder };
  const older = await readCatalog(wiki.older, signal);
  return older.pages.length > 0 ? { ...older, folder: wiki.older } : { ...own, folder: wiki.folder };
}

/** Makes the folder if it is not there. */
export async function prepareFolder({ omc }: Wiki): Promise<void> {
  await containedDir(omc, FOLDER);
}

/** Adds the folder to `.omc/.gitignore`, if it does not name it in some way. Call it under the wiki's lock. */
export async function ignoreFolder({ omc }: Wiki): Promise<void> {
  const path = await contained(omc, ".gitignore");
  const text = await readTextFile(path, { maxBytes: MAX_GITIGNORE_BYTES });
  if (text?.includes(IGNORED)) return;
  if (text === undefined) {
    await createFileAtomic(path, `${IGNORED}\n`);
    return;
  }
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = text === "" || text.endsWith("\n") ? "" : newline;
  const { mode } = await stat(path);
  await writeFileAtomic(path, `${text}${separator}${IGNORED}${newline}`, { mode: mode & 0o777 });
}

function shown({ omc }: Workspace): Pick<Wiki, "label" | "shownFolder"> {
  if (basename(omc) !== ".omc") return { label: `${basename(omc)}/${FOLDER}`, shownFolder: join(omc, FOLDER) };
  return { label: `${basename(dirname(omc))}/.omc/${FOLDER}`, shownFolder: `.omc/${FOLDER}` };
}
