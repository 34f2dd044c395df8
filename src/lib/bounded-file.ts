/** Reading files that somebody else may have made: a pipe with the name of one would be waited for without end. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * The text of a regular file of up to `maxBytes` bytes, or undefined when it is anything else. Links are followed.
 * @throws what the file system says when it cannot be opened or read.
 */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= maxBytes ? await file.readFile("utf8") : undefined;
  } finally {
    await file.close();
  }
}
