/** `.omc-config.json` of the client's configuration folder: the user's settings. It is read for every call that asks. */
import { join } from "node:path";
import { readTextFile } from "./atomic-file.js";
import { configFolder } from "./config-folder.js";

const MAX_CONFIG_BYTES = 1024 * 1024;

/** What the file says, unchecked; undefined without the file, or when it cannot be read or understood. */
export async function readOmcConfig(): Promise<unknown> {
  try {
    const folder = configFolder();
    const text = folder && (await readTextFile(join(folder, ".omc-config.json"), { maxBytes: MAX_CONFIG_BYTES }));
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
