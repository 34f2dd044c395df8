/**
 * The file `notepad.md` of a project. Changing it is always: take the lock, read, edit, replace the
 * whole file. Creating it is no special case, so the first writers do not get in each other's way.
 */
import { join } from "node:path";
import { readTextFile, writeFileAtomic } from "../../lib/atomic-file.js";
import { withFileLock } from "../../lib/file-lock.js";
import { contained } from "../../lib/omc-paths.js";
import { resolveWorkspace, type Workspace } from "../../lib/workspace.js";
import { type Notepad, parseNotepad, renderNotepad } from "./document.js";

const FILE = "notepad.md";

/** A change that would make the file larger than this is refused; 1 MiB is some 250 entries of full length. */
export const MAX_FILE_BYTES = 1024 * 1024;
/** Other programs have no limit; up to here their files are read. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const LOCK_WAIT_MS = 15_000;

/** A change that was refused. The message says what to do. */
export class NotepadFullError extends Error {
  override name = "NotepadFullError";
}

export interface NotepadFile {
  /** Absolute. When there is no notepad, where it would be. */
  path: string;
  /** Undefined when there is no notepad. */
  text: string | undefined;
}

/** The notepad of the project that `workingDirectory` means, or the one it had in an older layout. */
export async function readNotepad(workingDirectory: string | undefined): Promise<NotepadFile> {
  const { omc, fallbackOmc } = await resolveWorkspace(workingDirectory);
  const own = await readIn(omc);
  if (own.text !== undefined || fallbackOmc === undefined) return own;
  const older = await readIn(fallbackOmc);
  return older.text === undefined ? own : older;
}

/**
 * Changes the notepad under its lock and returns what `edit` returned. A missing file counts as an
 * empty one. Nothing is written when the edit changes nothing.
 * @throws {NotepadFullError} when the file would grow over {@link MAX_FILE_BYTES}.
 */
export async function editNotepad<T>(
  workingDirectory: string | undefined,
  signal: AbortSignal,
  edit: (notepad: Notepad) => T,
): Promise<T> {
  return editIn(await resolveWorkspace(workingDirectory), signal, edit);
}

/** Like {@link editNotepad}, but does nothing and returns undefined when there is no notepad. */
export async function editExistingNotepad<T>(
  workingDirectory: string | undefined,
  signal: AbortSignal,
  edit: (notepad: Notepad) => T,
): Promise<T | undefined> {
  const workspace = await resolveWorkspace(workingDirectory);
  const { text } = await readIn(workspace.omc);
  return text === undefined ? undefined : editIn(workspace, signal, edit);
}

async function editIn<T>(workspace: Workspace, signal: AbortSignal, edit: (notepad: Notepad) => T): Promise<T> {
  const path = await contained(workspace.omc, FILE);
  return withFileLock(path, { waitMs: LOCK_WAIT_MS, signal }, async () => {
    const { text } = await readIn(workspace.omc);
    const before = text ?? (await firstText(workspace));
    const notepad = parseNotepad(before);
    const result = edit(notepad);
    const after = renderNotepad(notepad);
    if (after === before) return result;
    refuseGrowth(before, after);
    await writeFileAtomic(path, after);
    return result;
  });
}

async function readIn(omc: string): Promise<NotepadFile> {
  const path = await contained(omc, FILE);
  return { path, text: await readTextFile(path, { maxBytes: MAX_READ_BYTES }) };
}

/** A new notepad is empty, but where there are older notes it says so, since they are no longer shown then. */
async function firstText({ fallbackOmc }: Workspace): Promise<string> {
  if (fallbackOmc === undefined || (await readIn(fallbackOmc)).text === undefined) return "";
  return `# Notepad\n<!-- Older notes, which other directories may share: ${join(fallbackOmc, FILE)} -->\n\n`;
}

function refuseGrowth(before: string, after: string): void {
  const bytes = Buffer.byteLength(after);
  if (bytes <= MAX_FILE_BYTES || bytes <= Buffer.byteLength(before)) return;
  throw new NotepadFullError(
    `${FILE} would have ${bytes} bytes, over its limit of ${MAX_FILE_BYTES}; nothing was written. ` +
      "Remove old entries with notepad_prune, or shorten the file by hand",
  );
}
