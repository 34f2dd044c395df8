/**
 * The switch: `{"agents":{"sharedMemory":{"enabled":false}}}` in `.omc-config.json` turns shared memory off. It is read
 * for every call. Without the file, or when it cannot be understood, it is on.
 */
import { readOmcConfig } from "../../lib/omc-config.js";

export async function isSharedMemoryEnabled(): Promise<boolean> {
  const config = (await readOmcConfig()) as { agents?: { sharedMemory?: { enabled?: unknown } | null } | null } | null | undefined;
  return config?.agents?.sharedMemory?.enabled !== false;
}
