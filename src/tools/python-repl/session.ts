/** Which names a session may have, and the folder in which its files lie. */
import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runtimeFolder } from "./runtime-folder.js";

/** A name that cannot be used for a session. */
export class SessionNameError extends Error {
  override name = "SessionNameError";
}

/** A session and its files. Other programs find them by these names. */
export interface Session {
  /** As the caller gave it. */
  id: string;
  folder: string;
  socket: string;
  meta: string;
}

const MAX_BYTES = 255;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;

/** @throws {SessionNameError} for a name that could not be a file's on every system. */
export function checkSessionName(id: string): void {
  const name = id.normalize("NFC");
  const problem = problemOf(name);
  if (problem !== undefined) throw new SessionNameError(`researchSessionID ${problem}; use letters, digits, '-' and '_'`);
}

function problemOf(name: string): string | undefined {
  if (name.trim() === "") return "is blank";
  for (const part of ["..", "/", "\\", "\0"]) {
    if (name.includes(part)) return `contains '${part === "\0" ? "\\0" : part}'`;
  }
  if (Buffer.byteLength(name) > MAX_BYTES) return `is longer than ${MAX_BYTES} bytes`;
  if (/[. ]$/.test(name)) return "ends with a dot or a space";
  const base = (name.split(".")[0] ?? "").replace(/[. ]+$/, "");
  return WINDOWS_DEVICE.test(base) ? `is the name of a device, '${base}'` : undefined;
}

/** The name of a session's folder: the beginning of a digest, never the name itself. */
export function folderName(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 12);
}

/**
 * The session of that name. Its folder is made if it is not there.
 * @throws {SessionNameError} for a bad name, {RuntimeFolderError} when no safe folder can be had.
 */
export async function openSession(id: string): Promise<Session> {
  checkSessionName(id);
  const folder = join(await runtimeFolder(), folderName(id));
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new SessionNameError(`the place of this session, '${folderName(id)}', is not a folder; remove it`);
  return { id, folder, socket: join(folder, "bridge.sock"), meta: join(folder, "bridge_meta.json") };
}
