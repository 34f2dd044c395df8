/**
 * The file `project-memory.json` of a project. Every change is made under one lock, on what is in the
 * file at that moment. A file that cannot be read as a memory is never overwritten unseen: changes are
 * refused, and a replacement keeps it as `project-memory.json.corrupt-<UTC time>`.
 */
import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import { readTextFile, UnreadableFileError, writeFileAtomic } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { contained } from "../../lib/omc-paths.js";
import { resolveWorkspace, type Workspace } from "../../lib/workspace.js";
import { type Lost, lostBetween } from "./lists.js";
import { completed, type Memory, MemoryError, parseMemory, serializeMemory } from "./memory.js";

const FILE = "project-memory.json";
const LOCK_WAIT_MS = 15_000;

/** A memory, and where it is. */
export interface Found {
  /** Absolute path of its file; when there is none, where it would be. */
  path: string;
  memory: Memory | undefined;
}

/** What a change has led to. */
export interface Saved extends Found {
  /** Where the unreadable file is kept that was replaced. */
  backup?: string | undefined;
  /** What a replacement removed. */
  lost?: Lost;
}

interface Loaded extends Found {
  /** The text of the project's own file. */
  text: string | undefined;
  /** Why that file cannot be read as a memory. */
  corrupt?: MemoryError;
}

/**
 * The memory of the project that `workingDirectory` means, or the one it had in an older layout.
 * @throws {MemoryError} when the file is not a memory.
 */
export async function readMemory(workingDirectory: string | undefined): Promise<Found> {
  return usable(await load(await resolveWorkspace(workingDirectory)));
}

/**
 * Changes the memory, and returns it as it is afterwards. Nothing is written when `change` returns the
 * memory it got.
 * @throws {MemoryError} when the file is not a memory, or the changed one is over a limit.
 */
export async function changeMemory(
  workingDirectory: string | undefined,
  signal: AbortSignal,
  change: (memory: Memory) => Memory,
): Promise<Saved> {
  return changeIn(await resolveWorkspace(workingDirectory), signal, (memory = {}) => change(memory));
}

/** Like {@link changeMemory}, but does nothing when there is no memory. */
export async function changeExistingMemory(
  workingDirectory: string | undefined,
  signal: AbortSignal,
  change: (memory: Memory) => Memory,
): Promise<Saved> {
  const workspace = await resolveWorkspace(workingDirectory);
  const found = usable(await load(workspace));
  if (found.memory === undefined) return found; // without a lock, which would make the folder
  return changeIn(workspace, signal, (memory) => memory && change(memory));
}

/** Saves a memory in place of what is there, whatever that is. */
export async function replaceMemory(workingDirectory: string | undefined, signal: AbortSignal, memory: Memory): Promise<Saved> {
  const workspace = await resolveWorkspace(workingDirectory);
  return locked(workspace, signal, async () => {
    const loaded = await load(workspace);
    return { ...(await save(workspace, memory, loaded)), lost: lostBetween(loaded.memory, memory) };
  });
}

async function changeIn(
  workspace: Workspace,
  signal: AbortSignal,
  change: (memory: Memory | undefined) => Memory | undefined,
): Promise<Saved> {
  return locked(workspace, signal, async () => {
    const loaded = usable(await load(workspace));
    const changed = change(loaded.memory);
    return changed === undefined || changed === loaded.memory ? loaded : save(workspace, changed, loaded);
  });
}

async function locked<T>({ omc }: Workspace, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return withFileLock(await contained(omc, FILE), { waitMs: LOCK_WAIT_MS, signal }, work);
}

async function load(workspace: Workspace): Promise<Loaded> {
  const path = await contained(workspace.omc, FILE);
  const text = await readTextFile(path);
  if (text === undefined) return { path, text, memory: undefined, ...(await loadOlder(workspace)) };
  try {
    return { path, text, memory: parseMemory(text) };
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return { path, text, memory: undefined, corrupt: error };
  }
}

/** The memory in the place of an older layout, if it is not that of another directory. */
async function loadOlder({ fallbackOmc, root, trustedRoot }: Workspace): Promise<Found | undefined> {
  if (fallbackOmc === undefined) return undefined;
  const path = await contained(fallbackOmc, FILE);
  try {
    const memory = parseMemory((await readTextFile(path)) ?? "");
    const owner = memory?.["projectRoot"] || root;
    return owner === root || owner === trustedRoot ? { path, memory } : undefined;
  } catch (error) {
    if (error instanceof MemoryError || error instanceof UnreadableFileError) return undefined;
    throw error;
  }
}

function usable(loaded: Loaded): Loaded {
  if (loaded.corrupt === undefined) return loaded;
  throw new MemoryError(
    `${FILE} was not used because ${loaded.corrupt.message}. Correct it by hand, ` +
      "or replace it with project_memory_write and merge:false, which keeps a copy of it",
  );
}

async function save(workspace: Workspace, memory: Memory, before: Loaded): Promise<Saved> {
  const path = await contained(workspace.omc, FILE);
  const saved = completed(memory, workspace.root, Date.now());
  const text = serializeMemory(saved);
  if (before.memory !== undefined && isSame(memory, before, workspace)) return { path, memory: before.memory };
  const backup = before.corrupt === undefined ? undefined : await backUp(path);
  await writeFileAtomic(path, text);
  return { path, memory: saved, backup };
}

/** Whether the file already says this, but for the time that is only put in where the memory has none. */
function isSame(memory: Memory, before: Loaded, { root }: Workspace): boolean {
  const time = before.memory?.["lastScanned"];
  return typeof time === "number" && serializeMemory(completed(memory, root, time)) === before.text;
}

async function backUp(path: string): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  const backup = `${path}.corrupt-${time}`;
  await copyFile(path, backup, constants.COPYFILE_EXCL);
  return backup;
}
