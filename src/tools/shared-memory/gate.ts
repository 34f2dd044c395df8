/**
 * The switch: `{"agents":{"sharedMemory":{"enabled":false}}}` in `.omc-config.json` of the client's configuration folder
 * turns shared memory off. It is read for every call. Without the file, or when it cannot be understood, it is on.
 */
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { readTextFile } from "../../lib/atomic-file.js";

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

/** `CLAUDE_CONFIG_DIR`, in which `~` means home, else `~/.claude`. */
function configFolder(): string {
  const given = process.env["CLAUDE_CONFIG_DIR"]?.trim();
  if (given === undefined || given === "") return join(homedir(), ".claude");
  if (given === "~") return homedir();
  return given.startsWith("~/") || given.startsWith(`~${sep}`) ? join(homedir(), given.slice(2)) : given;
}
