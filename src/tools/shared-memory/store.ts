/**
 * Where entries are kept: `<omc>/state/shared-memory/<namespace>/<key>.json`. Every change of an entry happens under
 * its lock, and looks again at the file once it has the lock; a lock that is not had in time is an error, never ignored.
 *
 * A directory without repository may have older entries in a folder that all such directories share: they can be read
 * and deleted, new ones go into the directory's own.
 */
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile, UnreadableFileError, writeFileAtomic } from "../../lib/atomic-file.js";
import { inBatches } from "../../lib/batches.js";
import { withFileLock } from "../../lib/file-lock.js";
import { contained, containedDir } from "../../lib/omc-paths.js";
import { readOwnerFile } from "../../lib/owner-file.js";
import { goneAfterMs } from "../../lib/process-owner.js";
import { resolveWorkspace } from "../../lib/workspace.js";
import { type Entry, formatEntry, isExpired, keyInside, parseEntry } from "./entry.js";
import { fileName, isName, keyOf } from "./names.js";

const FOLDER = ["state", "shared-memory"] as const;
/** How long a call waits for another process that has the same entry, in milliseconds. */
const LOCK_WAIT_MS = 5_000;
/** The same for a lock that only has to be removed. */
const DEAD_LOCK_WAIT_MS = 250;
/** Entries written by others may be larger than ours; in bytes. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

/** The folders of one call: the one to write in first, then one to read from. */
export interface Store {
  roots: [own: string, ...older: string[]];
  signal: AbortSignal;
}

/** What a write was asked to do. */
export interface Wish {
  value: unknown;
  ttl: number | undefined;
  /** Only if the entry's `updatedAt` is still this; the empty text stands for "no such entry". */
  ifUpdatedAt: string | undefined;
}

/** The entry is not in the state that the writer had seen. */
export class ChangedMeanwhileError extends Error {
  override name = "ChangedMeanwhileError";
}

/** The name is taken by a key that differs in letter case alone, on a disk that takes both for one. */
export class NameTakenError extends Error {
  override name = "NameTakenError";
}

export async function openStore(workingDirectory: string | undefined, signal: AbortSignal): Promise<Store> {
  const { omc, fallbackOmc } = await resolveWorkspace(workingDirectory);
  return { roots: fallbackOmc === undefined ? [omc] : [omc, fallbackOmc], signal };
}

export async function writeEntry(store: Store, namespace: string, key: string, wish: Wish): Promise<Entry> {
  const [own] = store.roots;
  await containedDir(own, ...FOLDER, namespace);
  const path = await entryPath(own, namespace, key);
  return withFileLock(path, { waitMs: LOCK_WAIT_MS, signal: store.signal }, async () => {
    const text = await readTextFile(path, { maxBytes: MAX_READ_BYTES }).catch(notOurs);
    const before = text === undefined ? undefined : parseEntry(text, key);
    refuseOtherCase(text, key);
    const current = before !== undefined && !isExpired(before) ? before : undefined;
    refuseChanged(current, wish.ifUpdatedAt);
    const entry = makeEntry(namespace, key, wish, current);
    await writeFileAtomic(path, formatEntry(entry));
    return entry;
  });
}

/** The entry, unless there is none or its time is over; then its file is taken away. */
export async function readEntry(store: Store, namespace: string, key: string): Promise<Entry | undefined> {
  for (const root of store.roots) {
    const path = await entryPath(root, namespace, key);
    const entry = await load(path, key);
    if (entry === undefined) continue;
    if (!isExpired(entry)) return entry;
    await removeExpired(store, path, key).catch(() => false); // it is hidden all the same
  }
  return undefined;
}

/** Whether there was something to delete. What cannot be understood can be deleted. */
export async function deleteEntry(store: Store, namespace: string, key: string): Promise<boolean> {
  let deleted = false;
  for (const root of store.roots) {
    const path = await entryPath(root, namespace, key);
    if ((await readTextFile(path).catch(notOurs)) === undefined) continue;
    const removed = await withFileLock(path, { waitMs: LOCK_WAIT_MS, signal: store.signal }, async () => {
      const text = await readTextFile(path).catch(notOurs);
      if (text === undefined || isOtherCase(text, key)) return false;
      return remove(path);
    });
    deleted ||= removed;
  }
  return deleted;
}

/** Sorted names of all namespaces. */
export async function listNamespaces(store: Store): Promise<string[]> {
  const names = new Set<string>();
  for (const root of store.roots) for (const name of await namespacesIn(root)) names.add(name);
  return [...names].sort();
}

/** The entries of a namespace whose time is not over, sorted by key. Changes nothing. */
export async function listEntries(store: Store, namespace: string): Promise<Entry[]> {
  const found = new Map<string, Entry>();
  for (const root of store.roots) {
    for (const { entry } of await entriesIn(root, namespace)) if (!found.has(entry.key)) found.set(entry.key, entry);
  }
  const current = [...found.values()].filter((entry) => !isExpired(entry));
  return current.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** What a cleanup did: entries removed by namespace, and expired ones that others had locked. */
export interface Cleanup {
  removed: Map<string, number>;
  locked: number;
}

/** Removes what has expired, in one namespace or in all of this project's own. */
export async function removeAllExpired(store: Store, namespace: string | undefined): Promise<Cleanup> {
  const [own] = store.roots;
  const result: Cleanup = { removed: new Map(), locked: 0 };
  for (const name of namespace === undefined ? await namespacesIn(own) : [namespace]) {
    await removeDeadLocks(store, own, name);
    const expired = (await entriesIn(own, name)).filter(({ entry }) => isExpired(entry));
    await inBatches(expired, async ({ path, entry }) => {
      try {
        if (await removeExpired(store, path, entry.key)) result.removed.set(name, (result.removed.get(name) ?? 0) + 1);
      } catch {
        store.signal.throwIfAborted();
        result.locked++;
      }
    });
  }
  return result;
}

/** Locks of processes that were killed, on keys that nobody has used since. Taking such a lock and giving it back removes it. */
async function removeDeadLocks(store: Store, root: string, namespace: string): Promise<void> {
  const folder = await contained(root, ...FOLDER, namespace);
  const names = (await readdir(folder).catch(nothing)).filter((name) => name.endsWith(".json.lock"));
  await inBatches(names, async (name) => {
    const path = join(folder, name);
    const owner = (await readOwnerFile(path))?.owner;
    if (owner === undefined || (await goneAfterMs(owner)) === Infinity) return;
    const options = { waitMs: DEAD_LOCK_WAIT_MS, signal: store.signal };
    await withFileLock(path.slice(0, -".lock".length), options, async () => {}).catch(() => store.signal.throwIfAborted());
  });
}

function entryPath(root: string, namespace: string, key: string): Promise<string> {
  return contained(root, ...FOLDER, namespace, fileName(key));
}

async function load(path: string, key: string): Promise<Entry | undefined> {
  const text = await readTextFile(path, { maxBytes: MAX_READ_BYTES }).catch(notOurs);
  return text === undefined ? undefined : parseEntry(text, key);
}

/** A link, a folder or a giant in an entry's place is no entry. */
function notOurs(error: unknown): undefined {
  if (!(error instanceof UnreadableFileError)) throw error;
  return undefined;
}

/** Another user's entry, which must not hide the others. */
function notForUs(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
  return undefined;
}

/** Looks again under the lock: somebody may have written the key anew. True when the file was removed. */
function removeExpired(store: Store, path: string, key: string): Promise<boolean> {
  return withFileLock(path, { waitMs: LOCK_WAIT_MS, signal: store.signal }, async () => {
    const entry = await load(path, key);
    return entry !== undefined && isExpired(entry) && remove(path);
  });
}

async function remove(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function isOtherCase(text: string, key: string): boolean {
  const inside = keyInside(text);
  return inside !== undefined && inside !== key && inside.toLowerCase() === key.toLowerCase();
}

function refuseOtherCase(text: string | undefined, key: string): void {
  if (text === undefined || !isOtherCase(text, key)) return;
  throw new NameTakenError(`this disk does not tell "${key}" from the existing key "${keyInside(text)}"; use another name`);
}

function refuseChanged(current: Entry | undefined, expected: string | undefined): void {
  if (expected === undefined || expected === (current?.updatedAt ?? "")) return;
  const now = current === undefined ? "it does not exist now" : `it was updated at ${current.updatedAt}`;
  throw new ChangedMeanwhileError(`the entry is not as expected, ${now}; nothing was written, read it again and merge`);
}

function makeEntry(namespace: string, key: string, wish: Wish, before: Entry | undefined): Entry {
  // Later than the last update even if both are in one millisecond, so that `ifUpdatedAt` can tell them apart.
  const now = Math.max(Date.now(), before === undefined ? 0 : Date.parse(before.updatedAt) + 1);
  const updatedAt = new Date(now).toISOString();
  const entry: Entry = { key, value: wish.value ?? null, namespace, createdAt: before?.createdAt ?? updatedAt, updatedAt };
  if (wish.ttl === undefined) return entry;
  return { ...entry, ttl: wish.ttl, expiresAt: new Date(now + wish.ttl * 1000).toISOString() };
}

async function namespacesIn(root: string): Promise<string[]> {
  const folder = await contained(root, ...FOLDER);
  const found = await readdir(folder, { withFileTypes: true }).catch(nothing);
  return found.filter((each) => each.isDirectory() && isName(each.name)).map((each) => each.name);
}

async function entriesIn(root: string, namespace: string): Promise<{ path: string; entry: Entry }[]> {
  const folder = await contained(root, ...FOLDER, namespace);
  const found = await readdir(folder, { withFileTypes: true }).catch(nothing);
  const keys = found.filter((each) => each.isFile()).map((each) => keyOf(each.name)).filter((key) => key !== undefined);
  const entries = await inBatches(keys, async (key) => {
    const path = await entryPath(root, namespace, key);
    const entry = await load(path, key).catch(notForUs);
    return entry && { path, entry };
  });
  return entries.filter((each) => each !== undefined);
}

function nothing(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
  throw error;
}

