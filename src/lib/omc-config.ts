/** `.omc-config.json` of the client's configuration folder: the user's settings. It is read for every call that asks. */
import { join, sep } from "node:path";
import { readTextFile } from "./atomic-file.js";
import { statedHome } from "./home-folder.js";

const MAX_CONFIG_BYTES = 1024 * 1024;

/** What the file says, unchecked; undefined without the file, or when it cannot be read or understood. */
export async function readOmcConfig(): Promise<unknown> {
  try {
    const text = await readTextFile(join(configFolder(), ".omc-config.json"), { maxBytes: MAX_CONFIG_BYTES });
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `CLAUDE_CONFIG_DIR`, in which `~` means home, else `~/.claude`. @throws {Error} when home is needed and there is none. */
function configFolder(): string {
  const given = process.env["CLAUDE_CONFIG_DIR"]?.trim() || "~/.claude";
  if (given !== "~" && !given.startsWith("~/") && !given.startsWith(`~${sep}`)) return given;
  const home = statedHome();
  if (home === undefined) throw new Error("there is no home folder");
  return join(home, given.slice(2));
}
