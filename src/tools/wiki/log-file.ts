/**
 * `log.md`: what was done to the wiki, oldest first.
 *
 *     # Wiki Log
 *
 *     ## [2026-11-30T02:16:40.000Z] ingest
 *     - **Pages:** jwt.md
 *     - **Summary:** Created "JWT"
 *
 * When it has grown to its limit it becomes `log.md.1`, in place of an earlier one, and a new one begins.
 */
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { readTextFile, UnreadableFileError, writeFileAtomic } from "../../lib/atomic-file.js";
import { oneLine } from "./index-file.js";
import { LOG_FILE } from "./names.js";

export const MAX_LOG_BYTES = 256 * 1024;
/** Logs of others have no limit. Up to here they are read; larger ones are only put aside. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const HEADING = "# Wiki Log\n\n";

export interface LogEntry {
  time: string;
  op: "ingest" | "delete";
  pages: string[];
  summary: string;
}

export function renderEntry({ time, op, pages, summary }: LogEntry): string {
  return `## [${time}] ${op}\n- **Pages:** ${pages.join(", ") || "none"}\n- **Summary:** ${oneLine(summary)}\n\n`;
}

/** The log with the entry behind it. A log that was cut off in the middle of a line goes on with a new one. */
export function withEntry(log: string | undefined, entry: LogEntry): string {
  if (log === undefined || log.trim() === "") return HEADING + renderEntry(entry);
  return `${log.trimEnd()}\n\n${renderEntry(entry)}`;
}

/** Adds an entry to the log in the folder. Call it under the wiki's lock. */
export async function addToLog(folder: string, entry: LogEntry): Promise<void> {
  const path = join(folder, LOG_FILE);
  let log: string | undefined;
  try {
    log = await readTextFile(path, { maxBytes: MAX_READ_BYTES });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    await rename(path, `${path}.1`); // a giant, or a link that leads elsewhere
  }
  if (log !== undefined && Buffer.byteLength(log) > MAX_LOG_BYTES) {
    await rename(path, `${path}.1`);
    log = undefined;
  }
  await writeFileAtomic(path, withEntry(log, entry));
}
