/** The three actions of `deepinit_manifest`. Each returns the text of its answer and throws what hinders it. */
import { writeFileAtomic } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { resolveWorkspace } from "../../lib/workspace.js";
import { type Change, compare, everything, summarise } from "./compare.js";
import { manifestPath, readManifest, renderManifest, savedText } from "./manifest.js";
import { type Directories, isUnseen, LIMITS, scanTree, type Tree, type Unseen } from "./scan.js";

const LOCK_WAIT_MS = 15_000;
/** The entries of a diff, and the folders of a dry run, are cut at this many characters. */
export const MAX_SHOWN_CHARS = 500_000;

/** Whether there is a record: `{exists, valid, directoryCount, generatedAt}`. */
export async function check(workingDirectory: string | undefined): Promise<string> {
  const { exists, manifest } = await readManifest(await manifestPath(await resolveWorkspace(workingDirectory)));
  return pretty({
    exists,
    valid: manifest !== undefined,
    directoryCount: manifest?.directories.size ?? 0,
    generatedAt: manifest?.generatedAt ?? null,
  });
}

/**
 * What changed since the last save: `{mode, manifestExists, entries, summary, notices?}`. The summary counts all folders;
 * `entries` of mode incremental are those that changed.
 */
export async function diff(workingDirectory: string | undefined, mode: "incremental" | "full", signal: AbortSignal): Promise<string> {
  const workspace = await resolveWorkspace(workingDirectory);
  const [{ exists, manifest }, tree] = await Promise.all([
    manifestPath(workspace).then(readManifest),
    scanTree(workspace.root, signal),
  ]);
  const notices = noticesOf(tree);
  if (exists && manifest === undefined) notices.unshift("the manifest is not a valid one and was ignored; save replaces it");
  const changes = mode === "full" || manifest === undefined ? everything(tree) : compare(manifest.directories, tree);
  const changed = changes.filter(({ status }) => status !== "unchanged");
  const entries = firstOf(changed, lengthOf);
  if (entries.length < changed.length) notices.push(`entries has the first ${entries.length} of ${changed.length} folders`);
  const answer = { mode, manifestExists: exists, entries, summary: summarise(changes) };
  return pretty(notices.length > 0 ? { ...answer, notices } : answer);
}

/** Records the tree as it is now, or with `dryRun` shows what would be recorded. */
export async function save(workingDirectory: string | undefined, dryRun: boolean, signal: AbortSignal): Promise<string> {
  const workspace = await resolveWorkspace(workingDirectory);
  const path = await manifestPath(workspace);
  if (dryRun) return preview(await scanTree(workspace.root, signal));
  // Scanned under the lock, so that of two saves the one that sees more recent folders is the one that stays.
  return withFileLock(path, { waitMs: LOCK_WAIT_MS, signal }, async () => {
    const tree = await scanTree(workspace.root, signal);
    const directories = await withUnseen(path, tree);
    const generatedAt = new Date().toISOString();
    await writeFileAtomic(path, savedText(generatedAt, directories));
    const lines = [`Path: ${path}`, `Directories tracked: ${directories.size}`, `Generated at: ${generatedAt}`];
    return ["Manifest saved successfully.", "", ...lines, ...noticesOf(tree).map((notice) => `Note: ${notice}`)].join("\n");
  });
}

function preview(tree: Tree): string {
  const shown = firstOf([...tree.directories], ([path, files]) => path.length + 40 + files.reduce((sum, name) => sum + name.length + 12, 0));
  const notices = noticesOf(tree);
  if (shown.length < tree.directories.size) notices.push(`only the first ${shown.length} folders are shown`);
  return [
    "Dry run: the manifest was NOT written.",
    "",
    `Directories tracked: ${tree.directories.size}`,
    "",
    "```json",
    renderManifest(new Date().toISOString(), new Map(shown)),
    "```",
    ...notices.map((notice) => `Note: ${notice}`),
  ].join("\n");
}

/** The folders of the tree, and those of the record before that could not be looked at this time. */
async function withUnseen(path: string, tree: Tree): Promise<Directories> {
  if (tree.unseen.size === 0) return tree.directories;
  const { manifest } = await readManifest(path);
  const kept = [...(manifest?.directories ?? [])].filter(([known]) => isUnseen(tree, known));
  return new Map([...tree.directories, ...kept]);
}

const WHY: Record<Unseen, string> = {
  "too deep": `more than ${LIMITS.depth} levels deep`,
  "too many": `over the limit of ${LIMITS.directories} folders or ${LIMITS.files} files`,
  "not readable": "not readable",
};

/** One line for each reason why folders were not looked at. */
function noticesOf({ unseen }: Tree): string[] {
  return (Object.keys(WHY) as Unseen[]).flatMap((why) => {
    const paths = [...unseen].filter(([, each]) => each === why).map(([path]) => path);
    if (paths.length === 0) return [];
    return [`not looked at, with all below, ${WHY[why]}: ${paths.length === 1 ? "1 folder" : `${paths.length} folders`}, first ${JSON.stringify(paths[0])}`];
  });
}

function lengthOf({ path, reason = "" }: Change): number {
  return path.length + reason.length + 80;
}

/** As many of the items, from the first on, as can be shown. */
function firstOf<T>(items: T[], length: (item: T) => number): T[] {
  let room = MAX_SHOWN_CHARS;
  const end = items.findIndex((item) => (room -= length(item)) < 0);
  return end === -1 ? items : items.slice(0, end);
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
