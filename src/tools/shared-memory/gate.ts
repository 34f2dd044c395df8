/**
 * The switch: `{"agents":{"sharedMemory":{"enabled":false}}}` in `.omc-config.json` of the client's configuration folder
 * turns shared memory off. It is read for every call. Without the file, or when it cannot be understood, it is on.
 */
import { join, sep } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";
import { statedHome } from "../../lib/home-folder.js";

const MAX_CONFIG_BYTES = 1024 * 1024;

export async function isSharedMemoryEnabled(): Promise<boolean> {
  try {
    const text = await readTextFile(join(configFolder(), ".omc-config.json"), { maxBytes: MAX_CONFIG_BYTES });
    const config = JSON.parse(text ?? "{}") as { agents?: { sharedMemory?: { enabled?: unknown } } } | null;
    return config?.agents?.sharedMemory?.enabled !== false;
  } catch {
    return true;
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
