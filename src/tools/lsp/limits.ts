/** Bounds of what the lsp tools read, show and wait for. */
import { requestTimeoutMs } from "../../lsp/settings.js";

/** Longest answer, in characters; what does not fit is counted and said to be left out. */
export const MAX_ANSWER = 100_000;
/** Larger files are not opened, in bytes. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Longest message of a diagnostic, in characters. */
export const MAX_MESSAGE = 4_000;
/** How long quick fixes wait for the problems that they are to fix, in milliseconds. */
const FIX_WAIT_MS = 10_000;
/** The longest time that a timer can count, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long a server may take to speak about a file unasked: twice as long as for an answer. In milliseconds. */
export function silenceMs(): number {
  return Math.min(requestTimeoutMs() * 2, LONGEST_MS);
}

/** How long code actions wait for the problems of the file, in milliseconds. */
export function fixWaitMs(): number {
  return Math.min(silenceMs(), FIX_WAIT_MS);
}
