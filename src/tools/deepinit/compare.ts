/** What has changed between a manifest and the tree on the disk. */
import { ancestorsOf, type Directories, isUnseen, type Tree } from "./scan.js";

export type Status = "added" | "deleted" | "modified" | "unchanged";

export interface Change {
  path: string;
  status: Status;
  reason?: string;
}

/** No more names than this are listed in a reason. */
const MAX_NAMES = 20;

/** The same order on every machine. */
const collator = new Intl.Collator("en");

/** Every folder of the tree as added, for a first run. */
export function everything({ directories }: Tree): Change[] {
  return inOrder([...directories.keys()].map((path) => ({ path, status: "added", reason: "first run (no manifest)" })));
}

/**
 * Every folder of either side with its status. A folder above an added or deleted one counts as modified, because what
 * describes it has to mention the other. Folders that were not looked at are left out.
 */
export function compare(before: Directories, tree: Tree): Change[] {
  const changes = new Map<string, Change>();
  for (const [path, files] of tree.directories) changes.set(path, changeOf(path, before.get(path), files));
  for (const path of before.keys()) {
    if (changes.has(path) || isUnseen(tree, path)) continue;
    changes.set(path, { path, status: "deleted", reason: "directory no longer exists or has no files" });
  }
  const sorted = inOrder([...changes.values()]);
  for (const { path, status } of sorted) {
    if (status === "added" || status === "deleted") tellAbove(changes, path, status);
  }
  return sorted;
}

export type Summary = Record<Status | "total", number>;

export function summarise(changes: readonly Change[]): Summary {
  const summary: Summary = { total: changes.length, added: 0, deleted: 0, modified: 0, unchanged: 0 };
  for (const { status } of changes) summary[status]++;
  return summary;
}

function changeOf(path: string, before: string[] | undefined, after: string[]): Change {
  if (before === undefined) return { path, status: "added", reason: "new directory" };
  const reasons = [named("files added", missingFrom(before, after)), named("files removed", missingFrom(after, before))];
  const reason = reasons.filter((each) => each !== undefined).join("; ");
  return reason === "" ? { path, status: "unchanged" } : { path, status: "modified", reason };
}

function missingFrom(known: string[], names: string[]): string[] {
  const there = new Set(known);
  return names.filter((name) => !there.has(name));
}

function named(what: string, names: string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : "";
  return `${what}: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}

function tellAbove(changes: Map<string, Change>, path: string, status: Status): void {
  for (const above of ancestorsOf(path)) {
    const change = changes.get(above);
    if (change?.status !== "unchanged") continue;
    change.status = "modified";
    change.reason = `child directory ${status}: ${path}`;
  }
}

function inOrder(changes: Change[]): Change[] {
  return changes.sort((a, b) => collator.compare(a.path, b.path) || (a.path < b.path ? -1 : 1));
}
