/** The record of a session's running bridge, `bridge_meta.json`: how it is reached, and by what it can be told from others. */
import { lstat, unlink } from "node:fs/promises";
import { readTextFile, writeFileAtomic } from "../../lib/atomic-file.js";
import { isRunning } from "../../lib/process-owner.js";
import { record } from "./bridge-results.js";
import type { Session } from "./session.js";

const MAX_BYTES = 64 * 1024;

export interface BridgeMeta {
  pid: number;
  /** A path, or `tcp:PORT`. */
  socketPath: string;
  /** ISO 8601. */
  startedAt: string;
  sessionId: string;
  pythonEnv: { pythonPath: string; type: "venv" };
  /** Field 22 of /proc/PID/stat on Linux. */
  processStartTime?: number;
  /** What requests over TCP must carry. */
  token?: string;
  /** The folder that the session works in. */
  projectDir?: string;
}

export async function writeMeta(session: Session, meta: BridgeMeta): Promise<void> {
  await writeFileAtomic(session.meta, `${JSON.stringify(meta, undefined, 2)}\n`);
}

/** The bridge of the session, if it is on record, alive and the process that was recorded. */
export async function readLiveMeta(session: Session): Promise<BridgeMeta | undefined> {
  const text = await readTextFile(session.meta, { maxBytes: MAX_BYTES }).catch(() => undefined);
  if (text === undefined) return undefined;
  const meta = parseMeta(text);
  if (meta === undefined || meta.sessionId !== session.id) return undefined;
  if (!(await isAlive(meta))) return undefined;
  return (await isReachable(session, meta)) ? meta : undefined;
}

/** Undefined for what is not a record of a bridge. */
export function parseMeta(text: string): BridgeMeta | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { pid, socketPath, startedAt, sessionId, pythonEnv, processStartTime, token, projectDir } = record(value);
  const { pythonPath, type } = record(pythonEnv);
  if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || type !== "venv") return undefined;
  const needed = [socketPath, startedAt, sessionId, pythonPath];
  if (!needed.every((field) => typeof field === "string")) return undefined;
  return {
    pid: pid as number,
    socketPath: socketPath as string,
    startedAt: startedAt as string,
    sessionId: sessionId as string,
    pythonEnv: { pythonPath: pythonPath as string, type },
    ...(typeof processStartTime === "number" && { processStartTime }),
    ...(typeof token === "string" && { token }),
    ...(typeof projectDir === "string" && { projectDir }),
  };
}

/** Whether the recorded process runs. Without its start time a reused pid could be taken for it, so then it counts as gone. */
export async function isAlive({ pid, processStartTime }: Pick<BridgeMeta, "pid" | "processStartTime">): Promise<boolean> {
  if (processStartTime === undefined && process.platform === "linux") return false;
  return isRunning({ pid, processStart: processStartTime === undefined ? undefined : String(processStartTime) });
}

async function isReachable(session: Session, { socketPath }: BridgeMeta): Promise<boolean> {
  if (/^tcp:\d+$/.test(socketPath)) return true;
  if (socketPath !== session.socket) return false;
  const found = await lstat(socketPath).catch(() => undefined);
  return found?.isSocket() === true;
}

/** Removes the record of that bridge, and only of that. */
export async function removeMeta(session: Session, pid: number): Promise<void> {
  const text = await readTextFile(session.meta, { maxBytes: MAX_BYTES }).catch(() => undefined);
  if (text !== undefined && parseMeta(text)?.pid === pid) await unlink(session.meta).catch(() => {});
}
