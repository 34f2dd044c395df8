/** Where the user is at home, if anywhere: a service may run with an empty HOME, or as a user whom the system does not know. */
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute } from "node:path";

/** As HOME or the system says it, or undefined when neither names an absolute path. */
export function statedHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined; // HOME is not set, and the user is in no list
  }
}

/** The real path of the home folder. Undefined when there is none, or when it is the root of a disk, where nothing is kept. */
export async function homeFolder(): Promise<string | undefined> {
  const stated = statedHome();
  if (stated === undefined) return undefined;
  const home = await realpath(stated).catch(() => stated);
  return dirname(home) === home ? undefined : home;
}
