/** Writing edits: a file is changed as a whole or not at all, and only if it still is what was matched. */
import { constants } from "node:fs";
import { access, open, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { type Edit, type FileEdits, MAX_FILE_BYTES } from "../../ast/protocol.js";
import { decode, digestOf } from "../../ast/source-file.js";
import { writeFileAtomic } from "../../lib/atomic-file.js";
import { allowedPath } from "../../lib/tool-paths.js";
import { errorText } from "../error-text.js";

/** What became of a file: written when there is no reason. */
export interface Written {
  file: string;
  edits: number;
  /** Why it was not written. */
  reason?: string;
}

/** Applies the edits file by file. After an abort the remaining files are left as they are and reported so. */
export async function applyAll(files: readonly FileEdits[], signal: AbortSignal): Promise<Written[]> {
  const results: Written[] = [];
  for (const { file, digest, edits } of files) {
    try {
      if (signal.aborted) throw new Error("the call was cancelled");
      await applyOne(file, digest, edits);
      results.push({ file, edits: edits.length });
    } catch (error) {
      results.push({ file, edits: edits.length, reason: errorText(error) });
    }
  }
  return results;
}

async function applyOne(file: string, digest: string, edits: readonly Edit[]): Promise<void> {
  // A folder on the way may have become a link since it was searched.
  if ((await realpath(dirname(file))) !== dirname(file)) throw new Error("its folder was replaced by a link meanwhile");
  await allowedPath(file);
  const { bytes, mode, uid, gid } = await readBytes(file);
  const decoded = digestOf(bytes) === digest ? decode(bytes) : undefined;
  if (decoded === undefined) throw new Error("it was changed meanwhile; run the call again");
  await access(file, constants.W_OK);
  const text = decoded.mark + withEdits(decoded.text, edits);
  await writeFileAtomic(file, text, { mode: mode & 0o7777, owner: { uid, gid } });
}

async function readBytes(file: string): Promise<{ bytes: Buffer; mode: number; uid: number; gid: number }> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { size, mode, uid, gid } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw new Error("it grew over 2 MiB meanwhile");
    return { bytes: await handle.readFile(), mode, uid, gid };
  } finally {
    await handle.close();
  }
}

/** The text with the edits, which are in order and do not overlap. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  let out = "";
  let from = 0;
  for (const { start, end, text: inserted } of edits) {
    out += text.slice(from, start) + inserted;
    from = end;
  }
  return out + text.slice(from);
}
