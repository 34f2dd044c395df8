/**
 * Folders that tests make and remove. A process that a test has started, or that was killed a moment ago, may still
 * write into one while it is removed; so tests make and remove them here, which the linter sees to.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** How often the removal of one entry is tried again, and by how many milliseconds each wait is longer than the last: 5.5 s in all. */
const RETRIES = 10;
const RETRY_STEP_MS = 100;

/**
 * Makes an empty folder that is removed when the test ends; its real path. What ends with a test does so in the
 * opposite order of its start, so make the folder before you start anything that writes there.
 */
export async function temporaryFolder(prefix = "omc-test-", place = tmpdir()): Promise<string> {
  const folder = await lastingFolder(prefix, place);
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Makes an empty folder for more than one test, to be removed with `removeFolder`; its real path. */
export async function lastingFolder(prefix: string, place = tmpdir()): Promise<string> {
  return realpath(await mkdtemp(join(place, prefix)));
}

/** Removes a folder with all that is in it, if it is there, although somebody may still write into it for a moment. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: RETRIES, retryDelay: RETRY_STEP_MS });
}
