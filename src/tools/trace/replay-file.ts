/**
 * The trace of a session: `state/agent-replay-<session>.jsonl` of `.omc`, one event a line, appended by hooks. Outside
 * of repositories hooks write it to the folder that all such directories share. Only the end of a long file is read.
 */
import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { inBatches } from "../../lib/batches.js";
import { contained } from "../../lib/omc-paths.js";
import { resolveWorkspace, type Workspace } from "../../lib/workspace.js";
import { parseEvents, type TraceEvent } from "./events.js";

export interface Trace {
  /** As the caller named it, else as the file is named. */
  session: string;
  events: TraceEvent[];
  /** Bytes at the beginning that were not read. */
  unread: number;
}

/** Hooks stop at 5 MiB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of more files in a folder, the newest is not looked for among the rest. */
const MAX_FILES = 20_000;
const FILE_NAME = /^agent-replay-([\w-]+)\.jsonl$/;

/**
 * The trace of a session, else that of OMC_SESSION_ID if it has one, else the newest. Undefined when there is none at all.
 * @throws {Error} for a folder that must not be used, and a file that cannot be read.
 */
export async function readTrace(session: string | undefined, workingDirectory: string | undefined, signal: AbortSignal): Promise<Trace | undefined> {
  const ws = await resolveWorkspace(workingDirectory);
  if (session) return (await sessionTrace(ws, session, signal)) ?? { session, events: [], unread: 0 };
  const current = process.env["OMC_SESSION_ID"];
  const own = current ? await sessionTrace(ws, current, signal) : undefined;
  return own ?? newestTrace(ws, signal);
}

/** The roots that may have it; the first that has one is taken. */
function rootsOf({ omc, sessionsOmc, fallbackOmc }: Workspace): string[] {
  return [...new Set([omc, sessionsOmc, fallbackOmc].filter((root) => root !== undefined))];
}

async function sessionTrace(ws: Workspace, session: string, signal: AbortSignal): Promise<Trace | undefined> {
  const name = `agent-replay-${session.replace(/[^a-zA-Z0-9_-]/g, "_")}.jsonl`;
  for (const root of rootsOf(ws)) {
    const trace = await readFileOf(root, name, session, signal);
    if (trace !== undefined) return trace;
  }
  return undefined;
}

async function newestTrace(ws: Workspace, signal: AbortSignal): Promise<Trace | undefined> {
  for (const root of rootsOf(ws)) {
    const newest = await newestName(await contained(root, "state"));
    const trace = newest === undefined ? undefined : await readFileOf(root, newest, (FILE_NAME.exec(newest) as RegExpExecArray)[1] as string, signal);
    if (trace !== undefined) return trace;
  }
  return undefined;
}

async function newestName(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException): Dirent[] => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isFile() && FILE_NAME.test(entry.name)).map(({ name }) => name);
  const dated = await inBatches(names.slice(0, MAX_FILES), async (name) => {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    return { name, time: found?.mtimeMs ?? 0 };
  });
  return dated.toSorted((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1))[0]?.name;
}

async function readFileOf(root: string, name: string, session: string, signal: AbortSignal): Promise<Trace | undefined> {
  const path = await contained(root, "state", name).catch(absent);
  if (path === undefined) return undefined;
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(absent);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`'${name}' is not a regular file and was not read`);
    const length = Math.min(found.size, MAX_BYTES);
    const unread = found.size - length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, unread);
    const bytes = buffer.subarray(0, bytesRead);
    const text = bytes.subarray(unread > 0 ? bytes.indexOf(10) + 1 : 0).toString("utf8");
    return { session, events: await parseEvents(text, signal), unread };
  } finally {
    await file.close();
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
  throw error;
}
